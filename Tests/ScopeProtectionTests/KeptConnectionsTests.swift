import ClientHTTP
import Foundation
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
}
