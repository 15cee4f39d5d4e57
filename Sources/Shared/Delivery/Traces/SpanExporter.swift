import AsyncHTTPClient
import CountersignCore
import Foundation
import JSON
import NIOCore
import NIOHTTP1
import OutboundTLS
import Traces

/// Takes finished spans to a collector: OTLP over HTTP, in JSON (OpenTelemetry Protocol 1.x, section "OTLP/HTTP").
///
/// Spans are worth little: what the collector does not take within a few attempts is dropped and counted, and meanwhile the queue takes
/// what fits. Nothing waits for it but the last flush, which has seconds.
public final class SpanExporter: Sendable {
    /// Where spans go, and what is said of their origin.
    public struct Destination: Sendable {
        /// For instance `http://127.0.0.1:4318/v1/traces`.
        public var url: String
        /// Sent with each request, such as an API key of the collector.
        public var headers: [(name: String, value: Secret<String>)]
        /// `service.name` and others (OpenTelemetry, resource semantic conventions).
        public var resource: [(name: String, value: String)]
        /// The program's.
        public var version: String

        public init(
            url: String, headers: [(name: String, value: Secret<String>)] = [],
            resource: [(name: String, value: String)], version: String
        ) {
            (self.url, self.headers, self.resource, self.version) = (url, headers, resource, version)
        }
    }

    /// What happened, for the log.
    public enum Note: Sendable {
        /// So many spans are lost. The reason is a word that holds nothing of what was said.
        case lost(Int, reason: String)
    }

    /// Attempts for one batch.
    static let attempts = 4
    /// The most that `Retry-After` is obeyed.
    static let longestPause = Duration.seconds(30)
    private static let answerLimit = 65_536

    /// How long a collector is waited for.
    struct Patience: Sendable {
        /// For the whole of one request, its answer's body included.
        var request = Duration.seconds(10)
        /// At the end of the program, for one request and for all.
        var last = Duration.seconds(3)
        var lastInAll = Duration.seconds(5)
    }

    private let queue: SpanQueue
    private let destination: Destination
    private let client: HTTPClient
    private let note: @Sendable (Note) -> Void
    private let sleep: @Sendable (Duration) async throws -> Void
    private let patience: Patience

    /// - Parameter note: is told what happened.
    public convenience init(
        _ queue: SpanQueue, to destination: Destination, note: @escaping @Sendable (Note) -> Void = { _ in }
    ) {
        self.init(queue, to: destination, patience: Patience(), note: note) { try await Task.sleep(for: $0) }
    }

    /// - Parameters:
    ///   - patience: other times for tests.
    ///   - sleep: waits between attempts.
    init(
        _ queue: SpanQueue, to destination: Destination, patience: Patience,
        note: @escaping @Sendable (Note) -> Void = { _ in }, sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        (self.queue, self.destination, self.note, self.sleep) = (queue, destination, note, sleep)
        self.patience = patience
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = .outbound()
        configuration.timeout.connect = .seconds(5)
        configuration.redirectConfiguration = .disallow
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Exports until its task is cancelled: when a batch is full, and what there is every few seconds.
    public func run(every pause: Duration = .seconds(5)) async {
        let (wake, ring) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { group in
            group.addTask { [queue] in for await _ in queue.filled { ring.yield() } }
            group.addTask { while (try? await Task.sleep(for: pause)) != nil { ring.yield() } }
            for await _ in wake { await drain() }
            group.cancelAll()
        }
    }

    /// Exports what waits, without trying again, and lets go of the connections.
    public func finish() async {
        let begin = ContinuousClock.now
        while begin.duration(to: .now) < patience.lastInAll {
            let spans = queue.take()
            if spans.isEmpty { break }
            switch await post(spans, within: patience.last) {
            case .taken(let refused): count(spans, refused: refused)
            case .later(let reason, _), .never(let reason):
                lose(spans.count, reason)
                // The next ones would fare no better, and the program wants to end.
                let rest = queue.statistics.waiting
                if rest > 0 { note(.lost(rest, reason: reason)) }
                try? await client.shutdown()
                return
            }
        }
        try? await client.shutdown()
    }

    /// Exports all that waits now.
    func drain() async {
        while !Task.isCancelled {
            let spans = queue.take()
            if spans.isEmpty { return }
            await export(spans)
        }
    }

    private func export(_ spans: [FinishedSpan]) async {
        var pause = Duration.seconds(1)
        for attempt in 1...Self.attempts {
            switch await post(spans, within: patience.request) {
            case .taken(let refused): return count(spans, refused: refused)
            case .never(let reason): return lose(spans.count, reason)
            case .later(let reason, let after):
                if attempt == Self.attempts { return lose(spans.count, reason) }
                do {
                    try await sleep(min(max(pause, after ?? .zero), Self.longestPause))
                } catch {
                    // The end of the program: the last flush takes them.
                    return queue.giveBack(spans)
                }
                pause = pause * 2
            }
        }
    }

    private func count(_ spans: [FinishedSpan], refused: Int) {
        let refused = min(max(0, refused), spans.count)
        queue.exported(spans.count - refused)
        if refused > 0 { lose(refused, "refused") }
    }

    private func lose(_ count: Int, _ reason: String) {
        queue.refused(count)
        note(.lost(count, reason: reason))
    }

    // MARK: One request

    private enum Reply {
        /// - Parameter refused: of them; the specification calls it a partial success.
        case taken(refused: Int)
        case later(reason: String, after: Duration?)
        case never(reason: String)
    }

    /// - Parameter time: for all of it, the answer's body included.
    private func post(_ spans: [FinishedSpan], within time: Duration) async -> Reply {
        let begin = ContinuousClock.now
        let document = TraceDocument(resource: destination.resource, version: destination.version, spans: spans)
        var request = HTTPClientRequest(url: destination.url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "User-Agent", value: "Countersign/\(destination.version)")
        for (name, value) in destination.headers { request.headers.replaceOrAdd(name: name, value: value.reveal()) }
        request.body = .bytes(ByteBuffer(bytes: document.bytes))
        do {
            let response = try await client.execute(request, timeout: TimeAmount(time))
            let status = Int(response.status.code)
            switch status {
            case 200..<300:
                // Taken is taken, whatever the rest of the answer is. The library's deadline ended with the head of it.
                let body = await Self.collect(response.body, within: time - begin.duration(to: .now))
                return .taken(refused: Self.refused(in: body))
            case 429, 502, 503, 504:
                let seconds = response.headers.first(name: "Retry-After").flatMap { Int($0) }
                return .later(reason: "status-\(status)", after: seconds.map { .seconds(max(0, min($0, 3600))) })
            default: return .never(reason: "status-\(status)")
            }
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            return .later(reason: "timeout", after: nil)
        } catch {
            return .later(reason: "connection", after: nil)
        }
    }

    /// Nothing where it does not end in time, or is longer than it may be.
    private static func collect(_ body: HTTPClientResponse.Body, within time: Duration) async -> [UInt8] {
        await withTaskGroup(of: [UInt8].self) { tasks in
            tasks.addTask { (try? await body.collect(upTo: answerLimit)).map { Array($0.readableBytesView) } ?? [] }
            tasks.addTask {
                try? await Task.sleep(for: time)
                return []
            }
            let first = await tasks.next() ?? []
            tasks.cancelAll()
            return first
        }
    }

    /// `partialSuccess.rejectedSpans`, which the mapping writes as a string.
    static func refused(in body: [UInt8]) -> Int {
        let partial = (try? JSONParser.parse(body))?["partialSuccess"]
        switch partial?["rejectedSpans"] {
        case .string(let text): return Int(text) ?? 0
        case .integer(let number): return Int(clamping: number)
        default: return 0
        }
    }
}
