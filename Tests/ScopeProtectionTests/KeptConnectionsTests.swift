import ClientHTTP
import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@testable import ScopeProtection

@Suite("Connections to an issuer", .timeLimit(.minutes(1)))
struct KeptConnectionsTests {
    private let connections = KeptConnections()

    private func question(
        _ service: ScriptedService, timeout: TimeInterval = 30, limit: Int = 1000
    ) throws -> HTTPClientRequest {
        HTTPClientRequest(
            method: "POST", url: try #require(URL(string: "http://127.0.0.1:\(service.port)/introspect?a=b")),
            headers: ["Authorization": "Basic bWU6c2VjcmV0"], body: Data("token=t".utf8), timeout: timeout,
            maximumResponseBytes: limit)
    }

    private func failure(_ request: HTTPClientRequest) async -> HTTPClientError? {
        do {
            _ = try await connections.send(request)
            return nil
        } catch {
            return error as? HTTPClientError
        }
    }

    @Test
    func `A question arrives as it was put, and a redirect is the answer to it`() async throws {
        let other = try ScriptedService(ScriptedService.json("{}"))
        let location = "Location: http://127.0.0.1:\(other.port)/"
        let service = try ScriptedService { _ in
            [.send(ScriptedService.answer(307, "elsewhere", headers: [location]))]
        }
        // The second by what is known of the first.
        for _ in 0..<2 {
            let answer = try await connections.send(question(service))
            #expect(answer.status == 307 && answer.body == Data("elsewhere".utf8))
        }
        #expect(service.requests.count == 2 && other.requests.isEmpty)
        for request in service.requests {
            #expect(request.line == "POST /introspect?a=b HTTP/1.1")
            #expect(request.headers["authorization"] == "Basic bWU6c2VjcmV0")
            #expect(request.body == Array("token=t".utf8))
        }
    }

    @Test
    func `A question that meets a connection which is just being closed is asked once more, and not a third time`()
        async throws
    {
        let service = try ScriptedService { _ in [] }
        #expect(await failure(try question(service))?.isUnreachable == true)
        #expect(service.requests.count == 2)
        let asked = Mutex(0)
        service.answers { _ in
            let number = asked.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? [] : [.send(ScriptedService.answer(200, "{}"))]
        }
        #expect(try await connections.send(question(service)).status == 200)
        #expect(service.requests.count == 4)
    }

    @Test
    func `An answer that trickles, is too long or cannot come ends the question`() async throws {
        let service = try ScriptedService { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n"), .trickle(0x20, every: 0.05)]
        }
        #expect(await failure(try question(service, timeout: 0.3))?.isTimedOut == true)
        #expect(await failure(try question(service, limit: 899))?.isResponseTooLarge == true)
        let held = try question(service)
        let task = Task { try await connections.send(held) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        service.stop()
        let port = try QuietPort.next()
        var refused = held
        refused.url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        #expect(await failure(refused)?.isUnreachable == true)
    }

    @Test
    func `A connection whose answer is followed by something is not used again`() async throws {
        let answer = "HTTP/1.1 200 Word\r\nContent-Length: 2\r\n\r\n{}"
        let service = try ScriptedService { _ in
            [.send(answer + "HTTP/1.1 418 Word\r\nX: "), .next, .send(answer), .hold]
        }
        for _ in 0..<2 { #expect(try await connections.send(question(service)).status == 200) }
    }

    @Test
    func `What was not asked for is no answer to the next question`() throws {
        let answer = "HTTP/1.1 200 Word\r\nContent-Length: 2\r\n\r\n{}"
        let chunks = "HTTP/1.1 200 Word\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
        let cases: [(pieces: [String], asksAgain: Bool, isGivenUp: Bool)] = [
            ([answer], true, false), ([chunks], true, false), ([String(answer.dropLast()), "}"], false, false),
            ([answer + answer], true, true), ([chunks + answer], true, true), ([answer + "H"], true, true),
            ([answer + "HTTP/1.1 2"], false, true), ([answer, "H"], false, true),
        ]
        for (pieces, asksAgain, isGivenUp) in cases {
            let asker = Asker(asksAgain: asksAgain)
            let channel = EmbeddedChannel(handlers: [ByteToMessageHandler(HTTPResponseDecoder()), asker])
            try AnswerGuard.add(to: channel.pipeline.syncOperations)
            try channel.writeOutbound(Asker.head)
            try channel.writeOutbound(HTTPClientRequestPart.end(nil))
            for piece in pieces { _ = try? channel.writeInbound(ByteBuffer(string: piece)) }
            var asked = 0
            while let part = try channel.readOutbound(as: HTTPClientRequestPart.self) {
                if case .head = part { asked += 1 }
            }
            #expect(asker.answers == 1 && asker.isGivenUp == isGivenUp, "\(pieces)")
            #expect(asked == (asksAgain && !isGivenUp ? 2 : 1), "\(pieces)")
            _ = try? channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test
    func `URLSession asks where the environment names a proxy`() {
        #expect(KeptConnections.standard(environment: ["https_proxy": "http://proxy:8080"]) is URLSessionTransport)
        #if canImport(FoundationNetworking)
            #expect(KeptConnections.standard(environment: ["https_proxy": "", "PATH": "/bin"]) is KeptConnections)
        #endif
    }

    @Test
    func `An issuer's answer is read by what is expected, and one that binds the token to no key is none`() throws {
        let answer = try IntrospectionAnswer(
            Data(
                #"{"active":true,"more":{"active":false},"aud":["a","b"],"exp":1.5,"sub":null,"cnf":{"jkt":"k"},"mfp-user":{"id":"ada"}}"#
                    .utf8))
        #expect(answer.isActive && answer.audiences == ["a", "b"] && answer.expiresAt == 1.5 && answer.subject == nil)
        #expect(answer.keyThumbprint == "k" && answer.user.id == "ada" && answer.scope == nil)
        for wrong in [
            "", "[]", "{}", #"{"active":"true"}"#, #"{"active":true,"cnf":{"x5t#S256":"k"}}"#,
            #"{"active":true,"cnf":"k"}"#, #"{"active":true,"aud":[1]}"#, #"{"active":true,"aud":1}"#,
            #"{"active":true,"sub":1}"#, #"{"active":true} x"#,
        ] { #expect(throws: (any Error).self, "\(wrong)") { try IntrospectionAnswer(Data(wrong.utf8)) } }
    }

    @Test
    func `A form keeps letters, digits and four signs, and writes every other byte in upper case`() {
        #expect("aZ09-._~".formEncoded == "aZ09-._~")
        #expect("a b+c&d=é/".formEncoded == "a%20b%2Bc%26d%3D%C3%A9%2F")
    }
}

/// Counts answers, and asks again at the end of each where it has something to ask.
private final class Asker: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    static var head: HTTPClientRequestPart { .head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")) }

    private let asksAgain: Bool
    private(set) var answers = 0
    private(set) var isGivenUp = false

    init(asksAgain: Bool) { self.asksAgain = asksAgain }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        answers += 1
        guard asksAgain else { return }
        context.write(wrapOutboundOut(Self.head), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is AnswerGuard.Unasked { isGivenUp = true }
    }
}
