import Dispatch
import Foundation

/// Ends the program on SIGTERM and SIGINT while the server starts, which may take as long as PostgreSQL is away.
///
/// As the first process of a container it would be sent these signals to no effect: there the system has no default for
/// them. Nothing is lost by ending at once, as no request has been taken.
final class EndWhileStarting {
    private static let signals = [SIGTERM, SIGINT]
    private let sources: [any DispatchSourceSignal]

    init() {
        sources = Self.signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                Terminal.say("Stopped before the server was ready.")
                ExitStatus.done.exit()
            }
            source.activate()
            return source
        }
    }

    /// From here on the signals are somebody else's.
    func stop() {
        for source in sources { source.cancel() }
        for number in Self.signals { signal(number, SIG_DFL) }
    }
}
