import Delivery
import Logging
import ServerHTTP
import ServiceLifecycle
import Traces

/// Takes spans to the collector while the server runs, and what is left at its end.
struct TraceExportService: NamedService {
    private let exporter: SpanExporter

    /// What the log calls it.
    var description: String { "Traces" }

    init(_ queue: SpanQueue, to destination: SpanExporter.Destination, logger: Logger) {
        let pace = WarningPace()
        exporter = SpanExporter(queue, to: destination) { note in
            guard case .lost(let count, let reason) = note else { return }
            if pace.isDue(at: .now) {
                logger.warning(
                    "spans could not be exported",
                    metadata: ["spans": .stringConvertible(count), "reason": "\(reason)"])
            }
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await exporter.run() }
        // A task of its own: one that was cancelled sends nothing any more.
        await Task { await exporter.finish() }.value
    }
}
