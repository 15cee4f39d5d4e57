import CountersignCore
import CountersignServer
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import ServerHTTP

/// Answers that are repeated on the connection itself must be those that the routes give.
@Suite struct ReadyAnswerTests {
    private static let keys = "/.well-known/jwks.json"

    private static func get(_ path: String, _ method: String = "GET", _ more: String = "") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(more)\r\n"
    }

    private static let last = "Connection: close\r\n"

    /// The header lines of an answer, without the time, in the order of names.
    private static func headers(_ answer: String) -> [String] {
        let head = answer.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n").dropFirst()
        return head.map { $0.lowercased() }.filter { !$0.hasPrefix("date:") }.sorted()
    }

    private static func body(_ answer: String) -> String {
        answer.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n")
    }

    @Test func `A repeated answer has the headers of the first`() async throws {
        try await LiveServer.run(log: CapturedLog(.info)) { url, _ in
            // A condition takes the ordinary way.
            let ordinary = Self.get(Self.keys, "GET", "If-None-Match: \"other\"\r\n" + Self.last)
            let expected = Self.headers(try await RawConnection.exchange(ordinary, with: url).text)
            #expect(expected.contains("x-content-type-options: nosniff"))
            var bodies: Set<String> = []
            for _ in 0..<4 {
                let answer = try await RawConnection.exchange(Self.get(Self.keys, "GET", Self.last), with: url)
                #expect(answer.isClosed && answer.text.statuses == [200])
                #expect(Self.headers(answer.text) == expected)
                #expect(answer.text.lowercased().contains("\r\ndate: "))
                bodies.insert(Self.body(answer.text))
            }
            #expect(bodies.count == 1 && bodies.first?.contains("\"keys\"") == true)
        }
    }

    @Test func `New keys are there at once`() async throws {
        try await LiveServer.run(log: CapturedLog(.info)) { url, opened in
            let request = Self.get(Self.keys, "GET", Self.last)
            for _ in 0..<3 { _ = try await RawConnection.exchange(request, with: url) }
            let before = try await RawConnection.exchange(request, with: url).text
            try await opened.realm.keyring.rotate(by: .commandLine)
            for _ in 0..<3 {
                let after = try await RawConnection.exchange(request, with: url).text
                let kids = { (text: String) in text.components(separatedBy: "\"kid\":").count - 1 }
                #expect(kids(after) == kids(before) + 2)
            }
        }
    }

    @Test func `Only a plain request is answered so`() async throws {
        try await LiveServer.run(log: CapturedLog(.info)) { url, _ in
            for _ in 0..<3 { _ = try await RawConnection.exchange(Self.get(Self.keys, "GET", Self.last), with: url) }
            let head = try await RawConnection.exchange(Self.get(Self.keys, "HEAD", Self.last), with: url)
            #expect(head.text.statuses == [200] && Self.body(head.text).isEmpty)
            let post = try await RawConnection.exchange(
                Self.get(Self.keys, "POST", "Content-Length: 0\r\n" + Self.last), with: url)
            #expect(post.text.statuses == [405])
            let query = try await RawConnection.exchange(Self.get(Self.keys + "?a=b", "GET", Self.last), with: url)
            #expect(query.text.statuses == [200])
            let bodied = try await RawConnection.exchange(
                Self.get(Self.keys, "GET", "Content-Length: 3\r\n") + "abc"
                    + Self.get("/health/live", "GET", Self.last),
                with: url)
            #expect(bodied.text.statuses == [200, 200])
        }
    }

    @Test func `A cache that has the present keys is told so`() async throws {
        try await LiveServer.run(log: CapturedLog(.info)) { url, _ in
            let request = Self.get(Self.keys, "GET", Self.last)
            let answer = try await RawConnection.exchange(request, with: url).text
            let tag = try #require(Self.headers(answer).first { $0.hasPrefix("etag: ") }?.dropFirst("etag: ".count))
            // Lower case here, and Base64 there: take the tag as it was written.
            let start = try #require(answer.range(of: tag, options: .caseInsensitive))
            for known in [String(answer[start]), "W/\(answer[start])", "\"other\", \(answer[start])", "*"] {
                let again = try await RawConnection.exchange(
                    Self.get(Self.keys, "GET", "If-None-Match: \(known)\r\n" + Self.last), with: url)
                #expect(again.text.statuses == [304] && Self.body(again.text).isEmpty, "\(known)")
                #expect(again.text.contains(answer[start]))
            }
            let other = try await RawConnection.exchange(
                Self.get(Self.keys, "GET", "If-None-Match: \"other\"\r\n" + Self.last), with: url)
            #expect(other.text.statuses == [200])
        }
    }

    @Test func `Requests on one connection are answered in their order`() async throws {
        try await LiveServer.run(log: CapturedLog(.info)) { url, _ in
            let live = Self.get("/health/live")
            for _ in 0..<3 {
                _ = try await RawConnection.exchange(Self.get("/health/live", "GET", Self.last), with: url)
            }
            let mixed = [live, Self.get("/nowhere"), live, live, Self.get("/health/ready"), live]
            let answer = try await RawConnection.exchange(
                mixed.joined() + Self.get("/nowhere", "GET", Self.last), with: url)
            #expect(answer.text.statuses == [200, 404, 200, 200, 200, 200, 404])
            #expect(answer.text.components(separatedBy: "alive").count == 5)
        }
    }

    @Test func `The connection ends where the request says so`() async throws {
        try await LiveServer.run(log: CapturedLog(.info)) { url, _ in
            for _ in 0..<3 {
                _ = try await RawConnection.exchange(Self.get("/health/live", "GET", Self.last), with: url)
            }
            for request in [
                Self.get("/health/live", "GET", "Connection: Upgrade\r\nUpgrade: websocket\r\n"),
                Self.get("/health/live", "GET", Self.last), "GET /health/live HTTP/1.0\r\n\r\n",
                "GET /health/live HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
            ] {
                let answer = try await RawConnection.exchange(request + Self.get("/health/live"), with: url)
                #expect(answer.isClosed && answer.text.statuses == [200], "\(request)")
                #expect(answer.text.lowercased().contains("connection: close"))
            }
            let twoHosts = try await RawConnection.exchange(
                Self.get("/health/live") + "GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", with: url)
            #expect(twoHosts.isClosed && twoHosts.text.statuses == [200, 400])
        }
    }

    @Test func `They are counted like others`() async throws {
        try await LiveServer.run(log: CapturedLog(.info)) { url, _ in
            func count() async throws -> Int {
                let text = try await RawConnection.exchange(Self.get("/metrics", "GET", Self.last), with: url).text
                let line = text.components(separatedBy: "\n").first {
                    $0.hasPrefix("http_server_requests_total{") && $0.contains("\"/health/live\"")
                        && $0.contains("\"200\"")
                }
                return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
            }
            let before = try await count()
            for _ in 0..<7 {
                _ = try await RawConnection.exchange(Self.get("/health/live", "GET", Self.last), with: url)
            }
            // Other tests of this process count in the same registry.
            #expect(try await count() >= before + 7)
        }
    }

    // MARK: On a channel alone

    /// A channel whose short way knows one path.
    private static func channel(_ answers: ReadyAnswers) throws -> EmbeddedChannel {
        let deadlines = ConnectionDeadlineHandler(ConnectionDeadlines())
        let connection = HTTP1ConnectionHandler(deadlines)
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers([
            deadlines, HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()), connection,
            ReadyAnswerHandler(answers, connection),
        ])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        return channel
    }

    private static func written(_ channel: EmbeddedChannel) throws -> String {
        var text = ""
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) { text += String(buffer: buffer) }
        return text
    }

    @Test func `A request behind one that is being answered waits for it`() async throws {
        let version = Mutex(Data([1]))
        let answers = ReadyAnswers([.init("/same") { version.withLock { $0 } }], metrics: RequestMetrics())
        let response = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "same")))
        await answers.keep(response, for: "/same", madeFrom: Data([1]))
        let channel = try Self.channel(answers)
        try channel.writeInbound(ByteBuffer(string: Self.get("/same")))
        #expect(try Self.written(channel).hasSuffix("\r\n\r\nsame"))
        #expect(try channel.readInbound(as: HTTPServerRequestPart.self) == nil)
        // A slow one first: both go the ordinary way.
        try channel.writeInbound(ByteBuffer(string: Self.get("/slow") + Self.get("/same")))
        #expect(try Self.written(channel).isEmpty)
        var uris: [String] = []
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
            if case .head(let head) = part { uris.append(head.uri) }
        }
        #expect(uris == ["/slow", "/same"])
        _ = try? channel.finish()
    }

    @Test func `What has changed meanwhile is not repeated`() async throws {
        let version = Mutex<Data?>(Data([1]))
        let answers = ReadyAnswers([.init("/same") { version.withLock { $0 } }], metrics: RequestMetrics())
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/same")
        let response = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "same")))
        // Something changed while the answer was made.
        await answers.keep(response, for: "/same", madeFrom: Data([0]))
        #expect(answers.answer(to: head) == nil)
        await answers.keep(response, for: "/same", madeFrom: Data([1]))
        #expect(answers.answer(to: head) != nil)
        version.withLock { $0 = nil }
        #expect(answers.answer(to: head) == nil)
        version.withLock { $0 = Data([2]) }
        #expect(answers.answer(to: head) == nil)
        // A refusal is made anew each time.
        await answers.keep(Response(status: .serviceUnavailable), for: "/same", madeFrom: Data([2]))
        #expect(answers.answer(to: head) == nil)
    }

    @Test(
        arguments: [
            "Origin: https://a.example", "origin: null", "If-None-Match: *", "CONTENT-LENGTH: 0", "Range: bytes=0-1",
            "Transfer-Encoding: chunked", "Expect: 100-continue",
        ])
    func `A header that decides takes the ordinary way`(line: String) async throws {
        let answers = ReadyAnswers([.init("/same") { Data() }], metrics: RequestMetrics())
        await answers.keep(Response(status: .ok), for: "/same", madeFrom: Data())
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/same", headers: ["Accept": "*/*"])
        #expect(answers.answer(to: head) != nil)
        let parts = line.components(separatedBy: ": ")
        head.headers.add(name: parts[0], value: parts[1])
        #expect(answers.answer(to: head) == nil)
    }

    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (-1, "Thu, 01 Jan 1970 00:00:00 GMT"),
        ] as [(Int64, String)])
    func `Dates are spelled as HTTP spells them`(seconds: Int64, text: String) {
        #expect(HTTPDate.text(of: seconds) == text)
    }

    @Test func `Methods that clients invent share one name`() {
        #expect(RequestMetrics.name(of: .patch) == "PATCH")
        #expect(HTTPRequest.Method("BREW").map(RequestMetrics.name) == "_OTHER")
    }
}
