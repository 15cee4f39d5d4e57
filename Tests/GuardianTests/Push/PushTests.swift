import CountersignCore
import DialectTestSupport
import Foundation
import GuardianServer
import GuardianWire
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import CountersignServer

@Suite("Pushes by APNs")
struct PushTests {
    @Test
    func `A request is pushed with what Apple wants to know, and says what the long poll says`() async throws {
        try await PushStage.with { stage in
            try await stage.ask()
            #expect(try await stage.deliver() == 1)
            let push = try #require(stage.service.taken.first)
            #expect(push.token == "a0b1c2")
            #expect(push.payload == (try await stage.device.push(on: stage.server)))
            let expiration = try #require(push.headers["apns-expiration"].flatMap(Double.init))
            #expect(abs(expiration - stage.server.now.timeIntervalSince1970 - 300) <= 1)
            #expect(push.headers["apns-topic"] == "com.example.app" && push.headers["apns-priority"] == "10")
            let again = try await stage.deliver()
            #expect(again == 0 && stage.statistics.counts(of: .push).delivered == 1)
            #expect(try await stage.failures().isEmpty)
            let metrics = try await stage.server.send(.get, "/metrics", headers: stage.server.administrator).text
            #expect(metrics.contains("\ncountersign_push_waiting 0\n"))
            #expect(metrics.contains("\ncountersign_push_delivered_total 0\n"), "This server's own, which did not run.")
            // The push is enough to answer with.
            #expect(try await stage.device.phone.allow(push.payload, on: stage.server).status == 204)
        }
    }

    @Test
    func `A provider token is used for forty minutes, by all pushes, and then replaced; a new key has its own`()
        async throws
    {
        try await PushStage.with { stage in
            for minutes in [0.0, 20, 19, 2, 39] {
                stage.server.clock.advance(minutes * 60)
                try await stage.ask()
                try await stage.deliver()
            }
            let tokens = stage.service.taken.map(\.providerToken)
            #expect(tokens.count == 5)
            #expect(Set(tokens[0...2]).count == 1 && tokens[3] == tokens[4] && tokens[2] != tokens[3])
        }
    }

    @Test
    func `A token that Apple calls expired is replaced at once, and the push sent again, once`() async throws {
        try await PushStage.with { stage in
            stage.service.answers(.init(status: 403, reason: "ExpiredProviderToken"))
            try await stage.ask()
            stage.server.clock.advance(1)
            try await stage.deliver()
            // The stand-in does not want another so soon; that is the second answer.
            #expect(stage.service.pushes.map(\.status) == [403, 429])
            #expect(Set(stage.service.pushes.map(\.providerToken)).count == 2)
            stage.server.clock.advance(5)
            try await stage.deliver()
            #expect(stage.service.pushes.map(\.status) == [403, 429, 200])
            #expect(stage.service.pushes[1].providerToken == stage.service.pushes[2].providerToken)
        }
    }

    @Test
    func `An attempt that is repeated is the same notification to the device`() async throws {
        try await PushStage.with { stage in
            stage.service.answers(
                .init(status: 500, reason: "InternalServerError"),
                .init(status: 503, reason: "ServiceUnavailable", retryAfter: "7"))
            try await stage.ask()
            try await stage.deliver()
            #expect(try await stage.deliver() == 0, "There is a pause first.")
            stage.server.clock.advance(1)
            try await stage.deliver()
            stage.server.clock.advance(6.9)
            #expect(try await stage.deliver() == 0, "Apple said how long.")
            stage.server.clock.advance(0.2)
            try await stage.deliver()
            let pushes = stage.service.pushes
            #expect(pushes.map(\.status) == [500, 503, 200])
            #expect(Set(pushes.map { $0.headers["apns-id"] }).count == 1)
            #expect(Set(pushes.map { $0.headers["apns-collapse-id"] }).count == 1)
            #expect(Set(pushes.map(\.body)).count == 1)
            try await stage.ask()
            try await stage.deliver()
            #expect(stage.service.taken.last?.headers["apns-id"] != pushes[0].headers["apns-id"])
        }
    }

    @Test(
        arguments: [
            PushService.Answer(status: 400, reason: "BadDeviceToken"),
            .init(status: 400, reason: "DeviceTokenNotForTopic"),
            .init(status: 410, reason: "Unregistered"), .init(status: 410, reason: "ExpiredToken"),
        ])
    func `A dead device token is forgotten, and its device asks for itself`(answer: PushService.Answer) async throws {
        try await PushStage.with { stage in
            stage.service.answers(answer)
            try await stage.ask()
            try await stage.deliver()
            #expect(try await stage.pushToken() == nil)
            let failure = try #require(await stage.failures().first)
            #expect(failure["details"]["failure_details"]["errorCode"].text == answer.reason)
            #expect(failure["details"]["device_id"].text == stage.device.id)
            #expect(failure["user_id"].text == stage.user)
            #expect(try await stage.device.pushes(on: stage.server).count == 1, "The long poll has it.")
            try await stage.ask()
            try await stage.deliver()
            #expect(stage.service.pushes.count == 1, "No server pushes there again.")
            #expect(try await stage.failures().count == 1)
        }
    }

    @Test
    func `A token that was registered anew after Apple lost it stays`() async throws {
        try await PushStage.with { stage in
            let lost = Int64(stage.server.now.timeIntervalSince1970 * 1000)
            stage.server.clock.advance(60)
            let reply = try await stage.server.send(
                .patch, "/appliance-mfa/api/device-accounts/\(stage.device.id)",
                headers: [.authorization: "Bearer \(stage.device.token)", .contentType: "application/json"],
                body: JSON.object(["push_credentials": ["service": "APNS", "token": "A0B1C2"]]).bytes)
            #expect(reply.status == 200)
            stage.service.answers(.init(status: 410, reason: "Unregistered", timestamp: lost))
            try await stage.ask()
            try await stage.deliver()
            #expect(try await stage.pushToken() == "a0b1c2")
            stage.service.answers(
                .init(status: 410, reason: "Unregistered", timestamp: lost + 61_000))
            try await stage.ask()
            try await stage.deliver()
            #expect(try await stage.pushToken() == nil)
        }
    }

    @Test
    func `Without a push token or a provider nothing is sent, and nothing has failed`() async throws {
        try await PushStage.with { stage in
            let selected = "guardian/factors/push-notification/selected-provider"
            #expect(
                try await stage.server.management(.put, selected, ["provider": "guardian"]).status == 200)
            try await stage.ask()
            #expect(try await stage.deliver() == 0)
            #expect(try await stage.server.management(.put, selected, ["provider": "direct"]).status == 200)
            #expect(try await stage.deliver() == 1)
            _ = try await stage.server.realm.devices.forgetPushToken(
                "a0b1c2", of: FactorID(rawValue: stage.device.id))
            try await stage.ask()
            #expect(try await stage.deliver() == 1)
            #expect(stage.service.pushes.count == 1)
            #expect(try await stage.failures().isEmpty && stage.statistics.counts(of: .push).failed == 0)
            #expect(try await stage.device.pushes(on: stage.server).count == 1)
        }
    }

    @Test
    func `A request that was answered meanwhile is not pushed`() async throws {
        try await PushStage.with { stage in
            try await stage.ask()
            let push = try await stage.device.push(on: stage.server)
            #expect(try await stage.device.phone.allow(push, on: stage.server).status == 204)
            #expect(try await stage.deliver() == 1)
            #expect(stage.service.pushes.isEmpty)
        }
    }

    @Test
    func `An operator's fault is tried again until the request is over, and then said; people sign in meanwhile`()
        async throws
    {
        try await PushStage.with { stage in
            #expect(
                try await stage.server.management(.patch, TestServer.apns, ["team_id": "WRONG12345"]).status == 200)
            try await stage.ask()
            for _ in 0..<40 {
                try await stage.deliver()
                stage.server.clock.advance(8)
            }
            let statuses = stage.service.pushes.map(\.status)
            #expect(statuses.count > 3 && statuses.count <= 12 && Set(statuses) == [403])
            let failure = try #require(await stage.failures().first)
            #expect(failure["details"]["failure_details"]["errorCode"] == "InvalidProviderToken")
            #expect(try await stage.pushToken() == "a0b1c2", "It is not the device's fault.")
            try await stage.ask()
            #expect(
                try await stage.device.phone.allow(stage.device.push(on: stage.server), on: stage.server).status
                    == 204)
        }
    }

    // MARK: The network

    @Test
    func `A service that is away is tried again, and one that comes back gets the push`() async throws {
        try await TestServer.with { server in
            let service = try PushService(clock: server.realm.clock)
            let user = try await server.addUser()
            let device = try await server.enrolled(of: user)
            #expect(try await server.setUpAPNs().status == 200)
            let port = try QuietPort.next()
            try await server.sending(to: try service.endpoint(port)) { sender in
                let stage = PushStage(server: server, service: service, sender: sender, device: device, user: user)
                try await stage.ask()
                #expect(try await stage.deliver() == 1)
                #expect(stage.statistics.counts(of: .push).postponed == 1)
                server.clock.advance(10)
                try await service.serving(port: port) { _ in
                    let count = try await stage.deliver()
                    #expect(count == 1)
                    #expect(stage.service.taken.count == 1)
                }
                // The connection is gone under the sender, which has it still.
                try await stage.ask()
                try await stage.deliver()
                server.clock.advance(10)
                try await service.serving(port: port) { _ in
                    let count = try await stage.deliver()
                    #expect(count == 1)
                    #expect(stage.service.taken.count == 2)
                }
            }
        }
    }

    @Test
    func `A service that says nothing is given up after a while`() async throws {
        try await PushStage.with(timeout: .milliseconds(300)) { stage in
            stage.service.answers(.init(status: 200, isSilent: true))
            defer { stage.service.speak() }
            try await stage.ask()
            try await stage.deliver()
            #expect(stage.statistics.counts(of: .push).postponed == 1)
            // On a slow machine an answer may be too late again: what is tried again is delivered in the end.
            for _ in 0..<20 where stage.statistics.counts(of: .push).delivered == 0 {
                stage.server.clock.advance(10)
                try await stage.deliver()
            }
            #expect(stage.statistics.counts(of: .push).delivered == 1)
        }
    }

    @Test
    func `A server without a trusted certificate gets no push`() async throws {
        try await PushStage.with { stage in
            let stranger = try PushService(clock: stage.server.realm.clock)
            try await stranger.serving { port in
                try await stage.server.sending(to: try stage.service.endpoint(port)) { sender in
                    let other = PushStage(
                        server: stage.server, service: stranger, sender: sender, device: stage.device,
                        user: stage.user)
                    try await other.ask()
                    try await other.deliver()
                    #expect(other.statistics.counts(of: .push).postponed == 1 && stranger.pushes.isEmpty)
                }
            }
        }
    }

    @Test
    func `The sandbox has an address of its own`() async throws {
        try await PushStage.with { stage in
            #expect(try await stage.server.management(.patch, TestServer.apns, ["sandbox": true]).status == 200)
            try await stage.ask()
            try await stage.deliver()
            #expect(stage.service.taken.count == 1)
        }
    }

    @Test(.timeLimit(.minutes(20)))
    func `While a server runs, a request is pushed as soon as it is made`() async throws {
        try await PushStage.with { stage in
            let delivery = stage.delivery
            let running = Task { await delivery.run(lookingEvery: .seconds(600)) }
            try await stage.ask()
            while stage.service.taken.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            delivery.stop()
            await running.value
            #expect(stage.statistics.counts(of: .push).delivered == 1)
        }
    }
}
