import CountersignCore
import Foundation
import Logging
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The server's log: a line an entry, whatever is in it (``LogLine``), by one write each.
///
/// Metadata is put into words where a line is written and only there: each request gets a logger with its id, and most requests log
/// nothing.
public struct ServerLog: LogHandler {
    private let label: String
    private let format: LogFormat
    private let clock: any WallClock
    private let output: @Sendable ([UInt8]) -> Void
    public var logLevel: Logger.Level
    public var metadata = Logger.Metadata()
    public var metadataProvider: Logger.MetadataProvider?

    /// - Parameters:
    ///   - label: which logger it is.
    ///   - level: the least important level that is written.
    ///   - clock: the machine's; lines do not bear the time of a clock that was moved.
    ///   - output: takes a whole line, from any thread.
    public init(
        label: String, format: LogFormat, level: Logger.Level, clock: any WallClock = SystemClock(),
        output: @escaping @Sendable ([UInt8]) -> Void = ServerLog.standardError
    ) {
        (self.label, self.format, logLevel, self.clock, self.output) = (label, format, level, clock, output)
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all["error"] = "\(type(of: error)): \(error)" }
        let line = LogLine(
            time: clock.now, level: event.level, label: label, source: event.source,
            message: event.message.description, metadata: all)
        output(format == .json ? line.json : line.text)
    }

    private static let turn = Mutex(())

    /// Writes a line to standard error. Where that cannot be written the line is lost: there is no other place to say it.
    public static let standardError: @Sendable ([UInt8]) -> Void = { line in
        turn.withLock { _ in
            var rest = line[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    // Another program has made the terminal that both write to non-blocking.
                    var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
                    if poll(&entry, 1, 1000) < 1 { return }
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}
