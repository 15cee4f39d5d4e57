import CountersignCore
import Logging
import ServerHTTP
import ServiceLifecycle

/// Tells services what happens, while the server runs. At its end calls under way are finished; the rest waits for the next start, or for
/// another server.
struct HookService: NamedService {
    let delivery: HookDelivery

    /// What the log calls it.
    var description: String { "Hooks" }

    func run() async throws {
        await withGracefulShutdownHandler {
            await delivery.run()
        } onGracefulShutdown: {
            delivery.stop()
        }
    }

    /// Ids of hooks and events are in the audit log too. What was said is in neither.
    ///
    /// Strangers can bring events about: lines about single ones are thirty a minute at most, for each hook.
    static func note(
        in logger: Logger, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) -> @Sendable (HookDelivery.Note) -> Void {
        let (pace, events) = (WarningPace(), WarningPace(most: WarningPace.mostOfTheirOwn))
        return { note in
            switch note {
            case .postponed(let hook, let reason, let seconds):
                logger.warning(
                    "a hook could not be told yet",
                    metadata: [
                        "hook": "\(hook)", "reason": "\(reason)",
                        "againInSeconds": .stringConvertible(Int(seconds.rounded(.up))),
                    ])
            case .givenUp(let hook, let event, let reason):
                guard let leftOut = events.leftOut("\(hook)", at: now()) else { return }
                let metadata: Logger.Metadata = ["hook": "\(hook)", "event": "\(event)", "reason": "\(reason)"]
                logger.error("a hook refuses an event, which is given up", metadata: metadata.with(leftOut: leftOut))
            case .disabled(let hook, let reason):
                logger.error("a hook was disabled", metadata: ["hook": "\(hook)", "reason": "\(reason)"])
            case .trouble(let error):
                if pace.isDue(at: now()) { logger.warning("hooks could not be processed: \(error)") }
            }
        }
    }
}
