import AdminServer
import CountersignCore

/// A command as it is typed into a shell.
enum ShellCommand {
    static func line(of operation: any CommandedOperation) -> String { line(operation.commandLine) }

    /// - Parameter words: what follows `countersign`, one argument each.
    static func line(_ words: [String]) -> String {
        (["countersign"] + words).map(ShellWord.quoted).joined(separator: " ")
    }
}
