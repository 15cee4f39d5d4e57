import CountersignCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Delivery

@Suite("Fetching documents of clients")
struct HTTPClientDocumentFetcherTests {
    private func fetch(
        _ url: String, _ rules: AddressRules = AddressRules(allowed: AddressRules.loopback),
        admitsPlainLoopback: Bool = true,
        deadline: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
        lookUp: @escaping @Sendable (String) async throws -> [NetworkAddress] = { _ in [] }
    ) async -> FetchedClientDocument {
        let http = OutboundHTTP(rules, admitsPlainLoopback: admitsPlainLoopback, deadline: deadline, lookUp: lookUp)
        let fetched = await HTTPClientDocumentFetcher(http).fetch(url)
        await http.shutDown()
        return fetched
    }

    @Test
    func `An answer of 200 is told with its type and for how long it may be kept`() async throws {
        let service = try ScriptedService { _ in
            [.send(ScriptedService.answer(200, "{}", headers: ["Cache-Control: public, max-age=600"]))]
        }
        defer { service.stop() }
        let fetched = await fetch("http://127.0.0.1:\(service.port)/c.json?v=1")
        #expect(fetched == .document(body: Data("{}".utf8), type: "application/json", lifetime: 600))
        let request = try #require(service.requests.first)
        #expect(request.line == "GET /c.json?v=1 HTTP/1.1" && request.headers["accept"] == "application/json")
        #expect(request.headers["cookie"] == nil && request.headers["authorization"] == nil)
    }

    @Test
    func `Nothing is unpacked: five kibibytes are what comes over the wire`() async throws {
        let service = try ScriptedService { _ in
            [.send(ScriptedService.answer(200, "{}", headers: ["Content-Encoding: gzip"]))]
        }
        defer { service.stop() }
        let fetched = await fetch("http://127.0.0.1:\(service.port)/c.json")
        #expect(fetched == .document(body: Data("{}".utf8), type: "application/json", lifetime: nil))
        #expect(service.requests.first?.headers["accept-encoding"] == nil, "No server is asked to pack.")
    }

    @Test
    func `No redirect is followed, and what is gone is told from what is away`() async throws {
        let other = try ScriptedService(ScriptedService.json("{}"))
        defer { other.stop() }
        let service = try ScriptedService { _ in [] }
        defer { service.stop() }
        let url = "http://127.0.0.1:\(service.port)/"
        for status in [201, 204, 301, 302, 303, 307, 308, 400, 401, 403, 404, 410] {
            service.answers { _ in
                [.send(ScriptedService.answer(status, "", headers: ["Location: http://127.0.0.1:\(other.port)/"]))]
            }
            #expect(await fetch(url) == .refused("status-\(status)"))
        }
        for status in [408, 429, 500, 502, 503] {
            service.answers { _ in [.send(ScriptedService.answer(status, ""))] }
            #expect(await fetch(url) == .unreachable("status-\(status)"))
        }
        #expect(other.requests.isEmpty)
        service.answers { _ in [.send("SSH-2.0-OpenSSH\r\n\r\n")] }
        #expect(await fetch(url) == .unreachable("connection"))
    }

    @Test
    func `A document has five kibibytes, said or not, and three seconds`() async throws {
        let service = try ScriptedService { _ in [] }
        defer { service.stop() }
        let url = "http://127.0.0.1:\(service.port)/"
        let text = String(repeating: "x", count: ClientDocuments.longest)
        service.answers(ScriptedService.json(text))
        #expect(await fetch(url) == .document(body: Data(text.utf8), type: "application/json", lifetime: nil))
        service.answers(ScriptedService.json(text + "x"))
        #expect(await fetch(url) == .refused("too-large"))
        service.answers { _ in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"),
                .send(text + "x"),
            ]
        }
        #expect(await fetch(url) == .refused("too-large"))
        service.answers { _ in [.hold] }
        let before = service.requests.count
        let asked = Mutex<[Duration]>([])
        let fetched = await fetch(
            url,
            deadline: { time in
                asked.withLock { $0.append(time) }
                while service.requests.count == before, !Task.isCancelled { await Task.yield() }
            })
        #expect(fetched == .unreachable("timed-out") && asked.withLock { $0 } == [.seconds(3)])
    }

    @Test
    func `No address of this machine, the local network or a cloud's metadata is connected to, whatever the name`()
        async throws
    {
        let service = try ScriptedService(ScriptedService.json("{}"))
        defer { service.stop() }
        let refused = [
            "127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "0.0.0.0", "::1", "fd00::1", "::ffff:127.0.0.1",
            "fe80::1", "100.64.0.1",
        ]
        for text in refused {
            let address = try #require(NetworkAddress(text))
            let host = text.contains(":") ? "[\(text)]" : text
            // Whatever networks the operator opened to services of their own: this machine is among them here.
            for rules in [AddressRules(), AddressRules(allowed: AddressRules.loopback)] {
                func fetched(
                    _ url: String, lookUp: @escaping @Sendable (String) async throws -> [NetworkAddress] = { _ in [] }
                ) async -> FetchedClientDocument {
                    await fetch(url, rules, admitsPlainLoopback: false, lookUp: lookUp)
                }
                #expect(
                    await fetched("https://\(host):\(service.port)/c") == .refused("address-refused"), "\(text)")
                // A name that leads there, as its owner's name server says.
                let named = await fetched("https://app.example:\(service.port)/c", lookUp: { _ in [address] })
                #expect(named == .refused("address-refused"), "\(text)")
            }
        }
        #expect(
            await fetch("http://127.0.0.1:\(service.port)/c", admitsPlainLoopback: false) == .refused("address-refused")
        )
        #expect(
            await fetch("https://nowhere.example/c", AddressRules(), lookUp: { _ in throw CancellationError() })
                == .unreachable("unknown-name"))
        #expect(service.requests.isEmpty)
    }

    @Test func `Names of strangers are looked up apart, so that they take no room from the operator's`() async throws {
        let inside = try #require(NetworkAddress("10.0.0.1"))
        let http = OutboundHTTP(
            AddressRules(), lookUpOfStrangers: { _ in throw CancellationError() }, lookUp: { _ in [inside] })
        #expect(await HTTPClientDocumentFetcher(http).fetch("https://app.example/c") == .unreachable("unknown-name"))
        var exchange = OutboundHTTP.Exchange(.get, "https://app.example/c", timeout: .seconds(60), bodyLimit: 1)
        for (isStrangers, failure) in [(true, OutboundHTTP.Failure.unknownName), (false, .blocked)] {
            exchange.isStrangers = isStrangers
            guard case .failure(failure) = await http.send(exchange) else {
                Issue.record("\(isStrangers)")
                continue
            }
        }
        await http.shutDown()
    }
}
