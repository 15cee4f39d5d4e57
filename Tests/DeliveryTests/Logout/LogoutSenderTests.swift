import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CountersignCore
@testable import Delivery

@Suite("Logout tokens on their way")
struct LogoutSenderTests {
    private static let message = OpenedMessage(
        OutboxMessage(
            id: "0006600aabbccdd0", channel: .logout, recipient: "shop", createdAt: Date(timeIntervalSince1970: 0),
            nextAttemptAt: Date(timeIntervalSince1970: 0), sealedContent: Data()),
        OutboxContent(template: "backchannel-logout", values: ["user": "ada", "session": "s-1"]))

    /// Sends one message to an address.
    private func send(
        to url: String?, _ rules: AddressRules = AddressRules(allowed: AddressRules.loopback),
        admitsPlainLoopback: Bool = true, isStrangers: Bool = false,
        deadline: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
        lookUp: @escaping @Sendable (String) async throws -> [NetworkAddress] = { _ in [] }
    ) async -> DeliveryResult {
        let http = OutboundHTTP(
            rules, admitsPlainLoopback: admitsPlainLoopback, deadline: deadline, lookUp: lookUp)
        let sender = LogoutSender(http: http) { _ in
            url.map { LogoutSender.Call(url: $0, logoutToken: Secret("a.b.c"), isStrangers: isStrangers) }
        }
        let result = await sender.send(Self.message)
        await http.shutDown()
        return result
    }

    @Test(
        arguments: [
            (200, DeliveryResult.delivered), (204, .delivered), (400, .refused(reason: "status-400")),
            (302, .postponed(reason: "status-302")), (404, .postponed(reason: "status-404")),
            (429, .postponed(reason: "status-429")), (500, .postponed(reason: "status-500")),
        ])
    func `A status decides whether the token is sent again`(status: Int, result: DeliveryResult) async throws {
        let service = try ScriptedService { _ in [.send(ScriptedService.answer(status, "", type: nil))] }
        defer { service.stop() }
        #expect(await send(to: "http://127.0.0.1:\(service.port)/") == result)
        #expect(service.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["logout_token=a.b.c"])
    }

    @Test
    func `An application that says nothing is given up after five seconds, and told again`() async throws {
        let service = try ScriptedService { _ in [.hold] }
        defer { service.stop() }
        let asked = Mutex<[Duration]>([])
        let result = await send(
            to: "http://127.0.0.1:\(service.port)/",
            deadline: { time in
                asked.withLock { $0.append(time) }
                while service.requests.isEmpty, !Task.isCancelled { await Task.yield() }
            })
        #expect(result == .postponed(reason: "timed-out"))
        #expect(asked.withLock { $0 } == [.seconds(5)])
    }

    @Test
    func `Plain http to this machine is for development alone`() async throws {
        let service = try ScriptedService(ScriptedService.json("{}"))
        defer { service.stop() }
        let url = "http://127.0.0.1:\(service.port)/"
        #expect(await send(to: url, admitsPlainLoopback: false) == .refused(reason: "address-refused"))
        #expect(await send(to: url, AddressRules()) == .refused(reason: "address-refused"))
        #expect(service.requests.isEmpty)
    }

    @Test
    func `A name that leads to an address of the local network is not connected to`() async throws {
        let result = await send(
            to: "https://shop.example/", AddressRules(),
            lookUp: { _ in ["10.0.0.1", "169.254.169.254", "::1"].compactMap { NetworkAddress($0) } })
        #expect(result == .refused(reason: "address-refused"))
        #expect(await send(to: "ftp://shop.example/") == .refused(reason: "malformed-url"))
    }

    @Test
    func `Networks that the operator opened are closed to applications that no administrator checked`() async throws {
        let service = try ScriptedService { _ in [.send(ScriptedService.answer(200, "", type: nil))] }
        let url = "https://inside.example:\(service.port)/"
        // Under --dev this machine is open to all.
        #expect(await send(to: "http://127.0.0.1:\(service.port)/", isStrangers: true) == .delivered)
        service.stop()
        for isStrangers in [true, false] {
            let result = await send(
                to: url, admitsPlainLoopback: false, isStrangers: isStrangers,
                lookUp: { _ in ["127.0.0.1"].compactMap { NetworkAddress($0) } })
            #expect((result == .refused(reason: "address-refused")) == isStrangers, "\(result)")
        }
    }

    @Test
    func `An application that does not want to be told any more is left alone`() async throws {
        #expect(await send(to: nil) == .leftToRecipient)
    }
}
