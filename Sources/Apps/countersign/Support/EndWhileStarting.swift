import Foundation

/// Ends the program on SIGTERM and SIGINT while the server starts, which may take as long as PostgreSQL is away.
///
/// As the first process of a container it would be sent these signals to no effect: there the system has no default for
/// them. Nothing is lost by ending at once, as no request has been taken. Afterwards the signals are as they were, and the
/// server's own.
enum EndWhileStarting {
    private static let signals = [SIGTERM, SIGINT]

    /// From here on the signals end the program, as done (``ExitStatus/done``).
    static func begin() {
        for number in signals { signal(number) { _ in _exit(0) } }
    }

    static func end() {
        for number in signals { signal(number, SIG_DFL) }
    }
}
