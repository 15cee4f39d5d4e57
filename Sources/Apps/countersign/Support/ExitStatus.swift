import Foundation

/// How the program ends. A closed set: scripts rely on it.
enum ExitStatus: Int32, Sendable, CaseIterable {
    /// What was asked for is done.
    case done = 0
    /// Refused, or failed.
    case refused = 1
    /// The command line, or a value on it, is not right.
    case usage = 2
    /// The server or the store cannot be reached.
    case unreachable = 3
    /// There is no such thing.
    case notFound = 4

    /// Ends the program, without leaving temporary files.
    func exit() -> Never {
        Leftover.removeAll()
        Foundation.exit(rawValue)
    }
}
