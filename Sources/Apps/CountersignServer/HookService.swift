import CountersignCore
import Logging
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
    static func note(in logger: Logger) -> @Sendable (HookDelivery.Note) -> Void {
        let pace = WarningPace()
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
                logger.error(
                    "a hook refuses an event, which is given up",
                    metadata: ["hook": "\(hook)", "event": "\(event)", "reason": "\(reason)"])
            case .disabled(let hook, let reason):
                logger.error("a hook was disabled", metadata: ["hook": "\(hook)", "reason": "\(reason)"])
            case .trouble(let error):
                if pace.isDue(at: .now) { logger.warning("hooks could not be processed: \(error)") }
            }
        }
    }
}
