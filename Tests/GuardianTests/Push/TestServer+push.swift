import CountersignCore
import Crypto
import Delivery
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import CountersignServer

/// A server with a device that APNs reaches, and a stand-in of APNs.
struct PushStage: Sendable {
    let server: TestServer
    let service: PushService
    let sender: any MessageSender
    let statistics = DeliveryStatistics()
    let device: Enrolled
    let user: String

    static func with<T: Sendable>(
        _ mode: TestServer.Mode = .production, timeout: Duration = .seconds(300),
        _ test: @escaping @Sendable (PushStage) async throws -> T
    ) async throws -> T {
        try await TestServer.with(mode) { server in
            let service = try PushService(clock: server.realm.clock)
            let user = try await server.addUser()
            let device = try await server.enrolled(of: user)
            let reply = try await server.setUpAPNs()
            #expect(reply.status == 200, "\(reply.text)")
            return try await service.serving { port in
                try await server.sending(to: try service.endpoint(port, timeout: timeout)) { sender in
                    try await test(
                        PushStage(server: server, service: service, sender: sender, device: device, user: user))
                }
            }
        }
    }

    var delivery: OutboxDelivery {
        OutboxDelivery(realm: server.realm, sender: sender, statistics: statistics)
    }

    /// Asks the device, as the browser does.
    func ask() async throws {
        let transaction = try #require(
            await server.browser("start-flow", bearer: server.mfaToken()).json["transaction_token"].text)
        let reply = try await server.browser("send-push-notification", bearer: transaction)
        #expect(reply.status == 204, "\(reply.text)")
    }

    @discardableResult
    func deliver() async throws -> Int { try await delivery.deliverDue() }

    func failures() async throws -> [JSON] {
        try await server.management(.get, "logs?q=type:gd_send_pn_failure").json.elements
    }

    func pushToken() async throws -> String? {
        try await server.realm.devices.device(FactorID(rawValue: device.id))?.pushToken
    }
}

extension TestServer {
    static let apns = "guardian/factors/push-notification/providers/apns"

    func setUpAPNs(_ changes: [String: JSON?] = [:]) async throws -> Reply {
        let body: JSON = [
            "key_id": .string(PushService.keyID), "team_id": .string(PushService.teamID),
            "bundle_id": .string(PushService.topic), "p8": .string(PushService.key.pemRepresentation), "sandbox": false,
        ]
        return try await management(.put, Self.apns, body.with(changes))
    }

    /// The sender of pushes, while the body runs.
    func sending<T: Sendable>(
        to endpoint: APNsEndpoint, _ body: @Sendable (any MessageSender) async throws -> T
    ) async throws -> T {
        var options = countersign.options
        options.apns = endpoint
        let server = CountersignServer(opened, options: options, logger: countersign.logger)
        let senders = try server.senders()
        let sender = try #require(senders.first { $0.channel == .push })
        let result: Result<T, any Error>
        do { result = .success(try await body(sender)) } catch { result = .failure(error) }
        for sender in senders { await sender.shutDown() }
        return try result.get()
    }
}
