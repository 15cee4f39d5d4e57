import CountersignCore
import Logging
import ServiceLifecycle

/// Counts what the log got since the last time, for the figures of the last day, and writes what this server measured itself.
struct FiguresService: NamedService {
    let realm: Realm
    let measured: MeasuredFigures
    let logger: Logger

    /// What the log calls it.
    var description: String { "Figures" }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // A cancelled sleep is the shutting down, and no error.
            while (try? await Task.sleep(for: .seconds(60))) != nil {
                do {
                    try await realm.figures.advance()
                    try await measured.write(to: realm)
                } catch is CancellationError {
                    return
                } catch {
                    logger.warning("the log could not be counted: \(error)")
                }
            }
        }
        do {
            try await measured.write(to: realm)
        } catch {
            logger.debug("the figures of the last minute could not be written: \(error)")
        }
    }
}
