import Logging

/// Writes lines like the handler within, and puts their metadata into words only where a line is written: each request
/// gets a logger with its id, and most requests log nothing.
struct DeferredMetadataLog<Inner: LogHandler>: LogHandler {
    private let inner: Inner
    var logLevel: Logger.Level = .info
    var metadata = Logger.Metadata()
    var metadataProvider: Logger.MetadataProvider?

    init(_ inner: Inner) {
        self.inner = inner
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        let provided = metadataProvider?.get() ?? [:]
        event.metadata = metadata.merging(provided) { $1 }.merging(event.metadata ?? [:]) { $1 }
        inner.log(event: event)
    }
}
