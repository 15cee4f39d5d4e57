import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CountersignCore
@testable import Delivery

@Suite("Calls to hooks")
struct HTTPHookCallerTests {
    /// Calls an address once.
    private func call(
        _ url: String, _ rules: AddressRules = AddressRules(allowed: AddressRules.loopback),
        admitsPlainLoopback: Bool = true,
        deadline: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
        lookUp: @escaping @Sendable (String) async throws -> [NetworkAddress] = { _ in [] }
    ) async -> HookReply {
        let http = OutboundHTTP(rules, admitsPlainLoopback: admitsPlainLoopback, deadline: deadline, lookUp: lookUp)
        let reply = await HTTPHookCaller(http).post(
            HookCall(
                url: url, body: Data(#"{"type":"user.created"}"#.utf8),
                headers: [(name: "webhook-id", value: "evt_1"), (name: "webhook-signature", value: "v1,x")]))
        await http.shutDown()
        return reply
    }

    @Test func `A call is a POST of JSON with the headers, to the address with its query`() async throws {
        let service = try ScriptedService { _ in [.send(ScriptedService.answer(204, "", type: nil))] }
        defer { service.stop() }
        #expect(await call("http://127.0.0.1:\(service.port)/a?b=c") == .answered(status: 204))
        let request = try #require(service.requests.first)
        #expect(request.line == "POST /a?b=c HTTP/1.1")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["webhook-id"] == "evt_1" && request.headers["webhook-signature"] == "v1,x")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"type":"user.created"}"#)
    }

    @Test func `A service that answers wrongly, redirects, sends without end, closes or is away delivers nothing`()
        async throws
    {
        let other = try ScriptedService(ScriptedService.json("{}"))
        defer { other.stop() }
        let service = try ScriptedService { _ in [] }
        let url = "http://127.0.0.1:\(service.port)/"
        for status in [301, 302, 307, 308] {
            service.answers { _ in
                [.send(ScriptedService.answer(status, "", headers: ["Location: http://127.0.0.1:\(other.port)/"]))]
            }
            #expect(await call(url) == .answered(status: status))
        }
        #expect(other.requests.isEmpty, "No redirect is followed.")
        service.answers { _ in [.send(ScriptedService.answer(503, "", headers: ["Retry-After: 120"]))] }
        #expect(await call(url) == .answered(status: 503, retryAfter: 120))
        // Of an answer nothing but the status is read, so that none is too large.
        service.answers { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"),
                .send(String(repeating: "x", count: 1_000_000)),
            ]
        }
        #expect(await call(url) == .answered(status: 200))
        for text in ["", "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 2000 NO\r\n\r\n"] {
            service.answers { _ in [.send(text)] }
            #expect(await call(url) == .failed("connection"), "\(text)")
        }
        service.stop()
        let quiet = try QuietPort.next()
        #expect(await call("http://127.0.0.1:\(quiet)/") == .failed("connection"))
        #expect(await call("https://hooks.example/") == .failed("address-refused"))
    }

    @Test func `A service that says nothing has ten seconds`() async throws {
        let service = try ScriptedService { _ in [.hold] }
        defer { service.stop() }
        let asked = Mutex<[Duration]>([])
        let reply = await call(
            "http://127.0.0.1:\(service.port)/",
            deadline: { time in
                asked.withLock { $0.append(time) }
                while service.requests.isEmpty, !Task.isCancelled { await Task.yield() }
            })
        #expect(reply == .failed("timed-out"))
        #expect(asked.withLock { $0 } == [.seconds(10)])
    }

    /// Spellings of addresses that are not for hooks: in the URL itself, or behind a name.
    private static let refused: [String] =
        [
            "127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "169.254.169.254",
            "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.0.1", "198.18.0.1", "198.51.100.1",
            "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "[::]", "[::1]", "[::ffff:127.0.0.1]",
            "[::ffff:10.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::10.0.0.1]",
            "[64:ff9b:1::1]", "[100::1]", "[2001::1]", "[2001:db8::1]", "[2002:7f00:1::]", "[2002:a00:1::]",
            "[3fff::1]",
            "[5f00::1]", "[fc00::1]", "[fd00:ec2::254]", "[fe80::1]", "[fec0::1]", "[ff02::1]", "[4000::1]",
        ]

    @Test func `No address of this machine or of its networks is called, however it is spelt`() async throws {
        for host in Self.refused {
            #expect(await call("https://\(host)/", AddressRules()) == .failed("address-refused"), "\(host)")
            let bare = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
            let address = try #require(NetworkAddress(bare))
            let behind = await call("https://hooks.example/", AddressRules(), lookUp: { _ in [address] })
            #expect(behind == .failed("address-refused"), "\(host) behind a name")
        }
        // What some systems take for 127.0.0.1 is a name here, and names are looked up and judged.
        let loopback = try #require(NetworkAddress("127.0.0.1"))
        for host in [
            "2130706433", "0x7f000001", "0x7f.1", "127.1", "127.0.1", "0177.0.0.1", "017700000001", "localhost",
            "LOCALHOST",
            "localhost.", "127.0.0.1.nip.example", "00127.0.0.1",
        ] {
            let reply = await call("https://\(host)/", AddressRules(), lookUp: { _ in [loopback] })
            #expect(reply == .failed("address-refused") || reply == .failed("malformed-url"), "\(host): \(reply)")
        }
        for url in [
            "https://127.0.0.1%2f@hooks.example/", "https://user@127.0.0.1/", "https://hooks.example\\@127.0.0.1/",
            "https://[::1%25eth0]/", "https://①②⑦.0.0.1/", "https://127。0。0。1/", "//127.0.0.1/", "gopher://127.0.0.1/",
            "file:///etc/passwd", "https:///", "https://hooks.example:99999999/", "https://hooks%00.example/",
        ] {
            let reply = await call(url, AddressRules(), lookUp: { _ in [loopback] })
            #expect([.failed("address-refused"), .failed("malformed-url")].contains(reply), "\(url): \(reply)")
        }
    }

    @Test(arguments: ["65536", "70000", "0", "99999999999999999999"])
    func `A port that is none is not called, where one of before has it`(port: String) async throws {
        let loopback = try #require(NetworkAddress("127.0.0.1"))
        for host in ["hooks.example", "127.0.0.1", "[::1]"] {
            let reply = await call("https://\(host):\(port)/", lookUp: { _ in [loopback] })
            #expect(reply == .failed("malformed-url"), "\(host)")
        }
    }

    @Test
    func `Plain http goes to this machine in development alone, and a name that also leads inside is called outside`()
        async throws
    {
        let service = try ScriptedService(ScriptedService.json("{}"))
        defer { service.stop() }
        let url = "http://127.0.0.1:\(service.port)/"
        #expect(await call(url, admitsPlainLoopback: false) == .failed("address-refused"))
        #expect(await call(url, AddressRules()) == .failed("address-refused"))
        let outside = try #require(NetworkAddress("8.8.8.8"))
        #expect(await call("http://hooks.example/", lookUp: { _ in [outside] }) == .failed("address-refused"))
        #expect(service.requests.isEmpty)
        #expect(await call(url) == .answered(status: 200))
        #expect(HTTPHookCaller.seconds(["120"]) == 120)
        for wrong in ["", "-1", "1e9", "12345678", "Wed, 21 Oct 2015 07:28:00 GMT"] {
            #expect(HTTPHookCaller.seconds([wrong]) == nil)
        }
    }
}
