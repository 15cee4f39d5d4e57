import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import Synchronization

/// Answers that are the same for every client until something changes: the public keys, that the process lives.
///
/// **How the files of this folder meet.** ``ReadyAnswerRecorder`` stands around all routes and keeps the whole answer that
/// an ordinary request got, with every header that the middleware gave it; ``ReadyAnswerHandler`` stands on a connection
/// and repeats it to the next client, on the event loop, as long as the answer's source says that nothing changed.
/// So there is one way to make an answer, and a short way to give it again.
///
/// Only a plain `GET` takes the short way: one with a body, a query, a condition or an `Origin` takes the ordinary one,
/// and so does every request of HTTP/2.
public final class ReadyAnswers: Sendable {
    /// One path whose answer can be repeated.
    public struct Source: Sendable {
        /// As the router has it, which is also the metrics' label.
        let path: String
        let version: @Sendable () -> Data?

        /// - Parameter version: everything that the answer depends on; nil where that is not known now, and the ordinary
        ///   way finds it out. It is called on an event loop: it must not block.
        public init(_ path: String, version: @escaping @Sendable () -> Data?) {
            self.path = path
            self.version = version
        }
    }

    /// One answer, as often as it is wanted.
    final class Answer: Sendable {
        let body: ByteBuffer
        let metrics: RequestMetrics.Route
        private let head: HTTPResponseHead
        /// With the `Date` of the second in which it was last given.
        private let stamped: Mutex<(second: Int64, head: HTTPResponseHead)>

        init(_ head: HTTPResponseHead, _ body: ByteBuffer, _ metrics: RequestMetrics.Route) {
            (self.head, self.body, self.metrics) = (head, body, metrics)
            stamped = Mutex((.min, head))
        }

        func head(at second: Int64) -> HTTPResponseHead {
            stamped.withLock { stamped in
                if stamped.second != second {
                    var fresh = head
                    fresh.headers.replaceOrAdd(name: "Date", value: HTTPDate.text(of: second))
                    stamped = (second, fresh)
                }
                return stamped.head
            }
        }
    }

    private struct VersionedAnswer {
        let version: Data
        let answer: Answer
    }

    private let sources: [String: Source]
    private let metrics: RequestMetrics
    private let clock: any WallClock
    private let kept = Mutex<[String: VersionedAnswer]>([:])

    /// - Parameter clock: the machine's, for `Date`.
    public init(_ sources: [Source], metrics: RequestMetrics, clock: any WallClock = SystemClock()) {
        self.sources = Dictionary(sources.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
        self.metrics = metrics
        self.clock = clock
    }

    /// The whole second that answers bear.
    var second: Int64 { clock.now.seconds }

    // MARK: Giving

    /// The answer to that request; nil where it has to be made.
    func answer(to head: HTTPRequestHead) -> Answer? {
        guard head.method == .GET, let source = sources[head.uri], Self.isPlain(head.headers) else { return nil }
        guard let kept = kept.withLock({ $0[source.path] }), kept.version == source.version() else { return nil }
        return kept.answer
    }

    /// Headers that change the answer, or announce a body.
    private static let deciding = [
        "origin", "if-none-match", "content-length", "transfer-encoding", "expect", "upgrade", "range", "x-request-id",
    ]

    private static func isPlain(_ headers: HTTPHeaders) -> Bool {
        for (name, _) in headers {
            for other in deciding where name.utf8.count == other.utf8.count {
                if zip(name.utf8, other.utf8).allSatisfy({ $0 | 0x20 == $1 }) { return false }
            }
        }
        return true
    }

    // MARK: Keeping

    /// What is known before an ordinary request is answered, if its answer may be kept.
    func version(of request: Request) -> (path: String, version: Data)? {
        guard request.method == .get, let path = request.head.path, let source = sources[path],
            !request.headers.contains(.origin), !request.headers.contains(.ifNoneMatch),
            !request.headers.contains(.range), !request.headers.contains(.xRequestID),
            let version = source.version()
        else { return nil }
        return (path, version)
    }

    /// Keeps the answer, if nothing changed while it was made.
    func keep(_ response: Response, for path: String, madeFrom version: Data) async {
        guard response.status == .ok, sources[path]?.version() == version,
            kept.withLock({ $0[path]?.version != version })
        else { return }
        let collected = BodyCollector.Bytes()
        guard (try? await response.body.write(BodyCollector(bytes: collected))) != nil else { return }
        var headers = HTTPHeaders()
        for field in response.headers { headers.add(name: field.name.rawName, value: field.value) }
        let answer = Answer(
            HTTPResponseHead(version: .http1_1, status: .ok, headers: headers), collected.buffer,
            metrics.route(path, "GET", status: 200))
        kept.withLock { $0[path] = VersionedAnswer(version: version, answer: answer) }
    }

    /// Takes a body's bytes instead of a connection.
    private struct BodyCollector: ResponseBodyWriter {
        final class Bytes: Sendable {
            private let bytes = Mutex(ByteBuffer())
            var buffer: ByteBuffer { bytes.withLock { $0 } }
            func append(_ buffer: ByteBuffer) { bytes.withLock { _ = $0.writeImmutableBuffer(buffer) } }
        }

        let bytes: Bytes
        mutating func write(_ buffer: ByteBuffer) async throws { bytes.append(buffer) }
        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}

/// Keeps for ``ReadyAnswers`` what ordinary requests are answered. Wrap it around everything.
public struct ReadyAnswerRecorder<Inner: HTTPResponder>: HTTPResponder {
    public typealias Context = Inner.Context

    private let answers: ReadyAnswers?
    private let inner: Inner

    /// - Parameter answers: nil keeps nothing.
    public init(_ answers: ReadyAnswers?, _ inner: Inner) {
        (self.answers, self.inner) = (answers, inner)
    }

    public func respond(to request: Request, context: Context) async throws -> Response {
        guard let answers, let known = answers.version(of: request) else {
            return try await inner.respond(to: request, context: context)
        }
        let response = try await inner.respond(to: request, context: context)
        await answers.keep(response, for: known.path, madeFrom: known.version)
        return response
    }
}
