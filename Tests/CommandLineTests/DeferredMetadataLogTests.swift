import Logging
import Synchronization
import Testing

@testable import countersign

/// The log of the server writes what it would write without the metadata's delay.
@Suite struct DeferredMetadataLogTests {
    private final class Lines: Sendable {
        let events = Mutex<[Logger.Metadata]>([])
    }

    private struct Recorder: LogHandler {
        let lines: Lines
        var logLevel = Logger.Level.trace
        var metadata = Logger.Metadata()

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let explicit = event.metadata ?? [:]
            lines.events.withLock { $0.append(explicit) }
        }
    }

    @Test func `A line has the metadata of its logger and its own`() {
        let lines = Lines()
        var logger = Logger(label: "test") { _ in DeferredMetadataLog(Recorder(lines: lines)) }
        logger[metadataKey: "request"] = "1"
        logger[metadataKey: "path"] = "/a"
        #expect(logger[metadataKey: "request"] == "1")
        logger.info("one", metadata: ["path": "/b", "status": "200"])
        logger.debug("below the level")
        logger.logLevel = .debug
        logger.debug("two")
        #expect(
            lines.events.withLock { $0 } == [
                ["request": "1", "path": "/b", "status": "200"], ["request": "1", "path": "/a"],
            ])
    }

    /// Metadata that counts how often it is put into words.
    private final class Counted: CustomStringConvertible, Sendable {
        let count = Mutex(0)
        var description: String {
            count.withLock { $0 += 1 }
            return "x"
        }
    }

    @Test func `Metadata is put into words for lines that are written and no others`() {
        let counted = Counted()
        var logger = Logger(label: "test") { label in
            DeferredMetadataLog(StreamLogHandler.standardError(label: label))
        }
        logger.logLevel = .critical
        logger[metadataKey: "request"] = .stringConvertible(counted)
        logger.info("below the level")
        #expect(counted.count.withLock { $0 } == 0)
    }
}
