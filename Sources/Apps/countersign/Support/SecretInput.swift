import Foundation

/// Reads secrets from where other users of the machine cannot see them: a file, or standard input.
enum SecretInput {
    static func file(_ path: String) throws -> String {
        try checked(try InputFile.bytes(path), from: path)
    }

    /// Prompts at a terminal; else reads to the end.
    static func standardInput(asking question: String) throws -> String {
        if Terminal.canAsk {
            guard let first = Terminal.askSecretly("\(question): "), !first.isEmpty,
                let second = Terminal.askSecretly("Once more: ")
            else { throw CommandFailure(.refused, "Cancelled: nothing was typed.") }
            guard first == second else { throw CommandFailure(.usage, "The two are not the same.") }
            return try checked(Data(first.utf8), from: "standard input")
        }
        return try checked(try FileHandle.standardInput.readToEnd() ?? Data(), from: "standard input")
    }

    /// Without the one line break that editors and `echo` put at the end.
    private static func checked(_ data: Data, from place: String) throws -> String {
        guard var text = String(validating: data, as: UTF8.self) else {
            throw CommandFailure(.usage, "The content of \(place) is not UTF-8.")
        }
        if text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty else { throw CommandFailure(.usage, "\(place) is empty.") }
        return text
    }
}
