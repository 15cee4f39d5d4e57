import CountersignCore
import Foundation
import NIOSSL
import Synchronization
import TestSupport
import Testing

@testable import Delivery

@Suite("Calls to extensions")
struct HTTPExtensionCallerTests {
    private static let loopback = AddressRules(allowed: AddressRules.loopback)

    private func call(
        _ url: String, timeout: Duration = .seconds(120), limit: Int = 1000
    ) -> ExtensionCall {
        ExtensionCall(
            url: url, bearer: Secret("the-token"), body: Data(#"{"a":1}"#.utf8), timeout: timeout, bodyLimit: limit)
    }

    /// Runs with a caller, and lets go of it.
    private func with<T: Sendable>(
        _ rules: AddressRules = loopback, lookUp: (@Sendable (String) async throws -> [NetworkAddress])? = nil,
        _ body: (HTTPExtensionCaller) async throws -> T
    ) async throws -> T {
        let options = HTTPExtensionCaller.Options(rules: rules)
        let caller =
            if let lookUp { HTTPExtensionCaller(options, lookUp: lookUp) } else { HTTPExtensionCaller(options) }
        let result: Result<T, any Error>
        do { result = .success(try await body(caller)) } catch { result = .failure(error) }
        await caller.shutDown()
        return try result.get()
    }

    @Test
    func `A call says what it should, and its answer comes back`() async throws {
        let service = try ScriptedService(ScriptedService.json(#"{"data":{}}"#))
        defer { service.stop() }
        try await with { caller in
            for _ in 0..<2 {
                let reply = await caller.post(call("http://127.0.0.1:\(service.port)/a/b"))
                guard case .answered(200, ["application/json"], let body) = reply else {
                    Issue.record("\(reply)")
                    return
                }
                #expect(String(decoding: body, as: UTF8.self) == #"{"data":{}}"#)
            }
        }
        let request = try #require(service.requests.first)
        #expect(service.requests.count == 2)
        #expect(request.line == "POST /a/b HTTP/1.1")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["authorization"] == "Bearer the-token")
        #expect(request.headers["host"] == "127.0.0.1:\(service.port)")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"a":1}"#)
    }

    private static let trickled = ScriptedService.Step.trickle(UInt8(ascii: " "), every: 0.02)

    @Test(
        arguments: [
            [ScriptedService.Step.hold],
            [.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Slow: "), trickled],
            [.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"), trickled],
        ])
    func `A service that takes too long is given up, whatever it does with the time`(steps: [ScriptedService.Step])
        async throws
    {
        let service = try ScriptedService { _ in steps }
        defer { service.stop() }
        try await with { caller in
            let reply = await caller.post(call("http://127.0.0.1:\(service.port)/", timeout: .milliseconds(200)))
            expect(reply, .timedOut)
        }
    }

    @Test
    func `An answer that is too large is not read to its end`() async throws {
        let service = try ScriptedService(ScriptedService.json(String(repeating: " ", count: 1001)))
        defer { service.stop() }
        try await with { caller in
            let url = "http://127.0.0.1:\(service.port)/"
            expect(await caller.post(call(url)), .responseSizeExceeded)
            // One without end, of unknown length.
            service.answers { _ in
                [
                    .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"),
                    .send(String(repeating: " ", count: 1001)), .hold,
                ]
            }
            expect(await caller.post(call(url)), .responseSizeExceeded)
            service.answers(ScriptedService.json(String(repeating: " ", count: 1000)))
            guard case .answered(200, _, let body) = await caller.post(call(url)) else {
                Issue.record("1000 bytes are allowed")
                return
            }
            #expect(body.count == 1000)
        }
    }

    @Test
    func `A redirect is an answer like others, and is not followed`() async throws {
        let other = try ScriptedService(ScriptedService.json("{}"))
        defer { other.stop() }
        let service = try ScriptedService { _ in
            [.send(ScriptedService.answer(307, "", headers: ["Location: http://127.0.0.1:\(other.port)/"]))]
        }
        defer { service.stop() }
        try await with { caller in
            let reply = await caller.post(call("http://127.0.0.1:\(service.port)/"))
            guard case .answered(307, _, _) = reply else {
                Issue.record("\(reply)")
                return
            }
        }
        #expect(other.requests.isEmpty)
    }

    @Test
    func `A service that is not there, and a name without address`() async throws {
        let port = try QuietPort.next()
        try await with { caller in
            expect(await caller.post(call("http://127.0.0.1:\(port)/")), .connectionError)
            expect(await caller.post(call("https://service.invalid/")), .connectionError)
        }
    }

    @Test
    func `A service that closes the connection, or speaks no HTTP`() async throws {
        let service = try ScriptedService { _ in [] }
        defer { service.stop() }
        try await with { caller in
            let url = "http://127.0.0.1:\(service.port)/"
            for text in ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive", "SSH-2.0-OpenSSH\r\n\r\n"] {
                service.answers { _ in [.send(text)] }
                expect(await caller.post(call(url)), .connectionError)
            }
        }
    }

    @Test(
        arguments: [
            "http://127.0.0.1:PORT/", "http://localhost:PORT/", "https://127.0.0.1:PORT/", "https://localhost:PORT/",
            "https://2130706433:PORT/", "https://0x7f000001:PORT/", "https://127.1:PORT/", "https://0.0.0.0:PORT/",
            "https://[::1]:PORT/", "https://[::ffff:127.0.0.1]:PORT/",
        ])
    func `Without leave nothing of this machine is called, however it is spelt`(url: String) async throws {
        let service = try ScriptedService(ScriptedService.json("{}"))
        defer { service.stop() }
        try await with(AddressRules()) { caller in
            expect(await caller.post(call(url.replacing("PORT", with: "\(service.port)"))), .blocked)
        }
        #expect(service.requests.isEmpty)
    }

    @Test
    func `Plain http goes to this machine alone, also where other networks are allowed`() async throws {
        let anywhere = try #require(AddressRange("0.0.0.0/0"))
        try await with(AddressRules(allowed: [anywhere]), lookUp: { _ in [try #require(NetworkAddress("10.0.0.1"))] }) {
            expect(await $0.post(call("http://service.example/")), .blocked)
            expect(await $0.post(call("http://10.0.0.1/")), .blocked)
        }
    }

    @Test
    func `A name that leads to a private address is refused, and its public address is used`() async throws {
        let service = try ScriptedService(ScriptedService.json("{}"))
        defer { service.stop() }
        let asked = Mutex<[String]>([])
        // The documentation's networks stand for public ones, to which nothing is sent.
        try await with(
            AddressRules(),
            lookUp: { host in
                asked.withLock { $0.append(host) }
                return ["127.0.0.1", "10.0.0.1", "::1"].compactMap { NetworkAddress($0) }
            }
        ) { caller in
            expect(await caller.post(call("https://rebound.example:\(service.port)/")), .blocked)
        }
        #expect(asked.withLock { $0 } == ["rebound.example"])
        #expect(service.requests.isEmpty)
        // Of several addresses those are left out that are not admitted: here the first, and no more.
        try await with(lookUp: { _ in ["10.0.0.1", "127.0.0.1"].compactMap { NetworkAddress($0) } }) { caller in
            let reply = await caller.post(call("http://name.example:\(service.port)/"))
            guard case .answered(200, _, _) = reply else {
                Issue.record("\(reply)")
                return
            }
        }
        #expect(service.requests.map { $0.headers["host"] } == ["name.example:\(service.port)"])
    }

    @Test
    func `A name whose address changes is judged each time, and connected to where it was judged`() async throws {
        let service = try ScriptedService(ScriptedService.json("{}"))
        defer { service.stop() }
        let count = Mutex(0)
        try await with(lookUp: { _ in
            let first = count.withLock { count in
                count += 1
                return count == 1
            }
            return [try #require(NetworkAddress(first ? "127.0.0.1" : "10.0.0.1"))]
        }) { caller in
            let url = "http://rebound.example:\(service.port)/"
            // The system knows no such name: what is connected to can only be what was judged.
            guard case .answered(200, _, _) = await caller.post(call(url)) else {
                Issue.record("the first address is admitted")
                return
            }
            expect(await caller.post(call(url)), .blocked)
        }
        #expect(service.requests.count == 1 && count.withLock { $0 } == 2)
    }

    @Test
    func `After an address where no server listens the next is tried`() async throws {
        let service = try ScriptedService(ScriptedService.json("{}"))
        defer { service.stop() }
        try await with(lookUp: { _ in ["127.0.0.2", "127.0.0.1"].compactMap { NetworkAddress($0) } }) { caller in
            guard case .answered(200, _, _) = await caller.post(call("http://name.example:\(service.port)/")) else {
                Issue.record("the second address answers")
                return
            }
        }
    }

    @Test
    func `A lookup that takes too long is given up`() async throws {
        try await with(lookUp: { _ in
            try await Task.sleep(for: .seconds(60))
            return []
        }) {
            expect(await $0.post(call("https://name.example/", timeout: .milliseconds(200))), .timedOut)
        }
    }

    @Test(
        arguments: [
            "", "ftp://127.0.0.1/", "https:///path", "https://a b/", "https://user:word@127.0.0.1/", "//127.0.0.1/",
            "https://ex%61mple.com/", "https://[::1/", "file:///etc/passwd",
        ])
    func `What is no URL of a service is not called`(url: String) async throws {
        try await with { expect(await $0.post(call(url)), .incorrectTargetUrlFormat) }
    }

    @Test
    func `Clients for many addresses are let go of`() async throws {
        let clients = PinnedClients(trustRoots: nil)
        for number in 0..<(PinnedClients.limit * 2) {
            let address = try #require(NetworkAddress("127.0.1.\(number)"))
            try await clients.withClient(for: "name.example", at: address) { _ in }
        }
        #expect(clients.count == PinnedClients.limit)
        await clients.shutDown()
        #expect(clients.count == 0)
    }

    private func expect(
        _ reply: ExtensionReply, _ code: ExtensionFailure.Code, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .failed(let failure) = reply else {
            Issue.record("\(reply)", sourceLocation: sourceLocation)
            return
        }
        #expect(failure.code == code, "\(failure)", sourceLocation: sourceLocation)
    }
}
