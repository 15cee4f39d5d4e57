import ClientHTTP
import Foundation
import Testing

@testable import Guardian

/// The async twins and what is ours, against the real server.
@Suite struct RealServerTests {
    enum Key: CaseIterable {
        case rsa, p256

        func made() throws -> any SigningKey {
            switch self {
            case .rsa: try Samples.rsa.get()
            case .p256: try DataP256PrivateKey.new()
            }
        }
    }

    @Test(arguments: Key.allCases, [true, false])
    func `A device of either kind enrols by QR code and by ticket, and answers`(kind: Key, byURI: Bool) async throws {
        try await RealServer.run { server in
            let user = try await server.addUser()
            let key = try kind.made()
            let request =
                byURI
                ? Guardian.enroll(
                    url: server.url, usingUri: try await server.enrollmentURI(for: user), notificationToken: "",
                    signingKey: key, verificationKey: try key.verificationKey())
                : Guardian.enroll(
                    url: server.url, usingTicket: try await server.ticket(for: user), notificationToken: "",
                    signingKey: key, verificationKey: try key.verificationKey())
            let device = try await request.start()
            #expect(device.userId == user && !device.deviceToken.isEmpty)
            // The same codes on both sides: a login without the push.
            let totp = try Guardian.totp(parameters: #require(device.totp))
            let waiting = try await server.signIn()
            let code = try await server.oauth([
                "grant_type": .string("http://auth0.com/oauth/grant-type/mfa-otp"),
                "mfa_token": .string(waiting.mfaToken), "otp": .string(totp.stringCode()),
            ])
            #expect(code["id_token"]?.stringValue != nil, "\(code)")

            let signIn = try await server.signIn()
            let notification = try await server.notification(for: device)
            #expect(abs(notification.startedAt.timeIntervalSinceNow) < 600)
            let authentication = Guardian.authentication(url: server.url, device: device)
            _ = try await authentication.allow(notification: notification).start()
            #expect(try await signIn.outcome()["id_token"]?.stringValue != nil)
            // It is answered once.
            let again = await failure { try await authentication.allow(notification: notification).start() }
            #expect((again as? GuardianError)?.code == "login_transaction_not_found", "\(String(describing: again))")
        }
    }

    @Test func `A typed number is signed, and needed where it is asked for`() async throws {
        try await RealServer.run { server in
            let device = try await server.enrolled(server.addUser())
            let authentication = Guardian.authentication(url: server.url, device: device)
            let signIn = try await server.signIn(askingForNumber: true)
            let number = try #require(signIn.number)
            let notification = try await server.notification(for: device)
            #expect(notification.numberLength == number.count)
            for (request, code) in [
                (authentication.allow(notification: notification), "a0.guardian.internal.missing.number"),
                (authentication.allow(notification: notification, number: "1"), "a0.guardian.internal.invalid.number"),
                (
                    authentication.allow(
                        notification: notification,
                        number: String(number.map { $0 == "0" ? "1" : "0" })), "invalid_challenge"
                ),
            ] {
                let error = await failure { try await request.start() }
                #expect((error as? GuardianError)?.code == code, "\(String(describing: error))")
            }
            _ = try await authentication.allow(notification: notification, number: " \(number) ").start()
            #expect(try await signIn.outcome()["id_token"]?.stringValue != nil)
        }
    }

    @Test func `It was not me ends the other sign-ins that wait`() async throws {
        try await RealServer.run { server in
            let device = try await server.enrolled(server.addUser())
            let signIn = try await server.signIn()
            let notification = try await server.notification(for: device)
            _ = try await Guardian.authentication(url: server.url, device: device)
                .reject(notification: notification, withReason: RejectReason.notMe).start()
            #expect(try await signIn.outcome()["error"]?.stringValue == "invalid_grant")
            let log = try await server.management("GET", "logs?q=type:gd_auth_rejected")
            #expect(
                log.arrayValue?.contains { $0["description"]?.stringValue?.contains("not theirs") == true } == true)
        }
    }

    @Test func `A device changes and removes itself by a token that it signed`() async throws {
        try await RealServer.run { server in
            let device = try await server.enrolled(server.addUser())
            let api = Guardian.api(forDomain: server.domain)
            let own = api.device(
                forEnrollmentId: device.id, userId: device.userId, signingKey: device.signingKey)
            let changed = try await own.update(
                localIdentifier: nil, name: "Ada's bench", notificationToken: "A0B1"
            ).start()
            #expect(changed.name == "Ada's bench" && changed.notificationToken == "a0b1" && changed.id == device.id)
            #expect(changed.localIdentifier == device.localIdentifier)
            let unchanged = try await own.update(localIdentifier: nil, name: nil, notificationToken: nil).start()
            #expect(unchanged == changed)

            let stranger = api.device(
                forEnrollmentId: device.id, userId: device.userId, signingKey: try DataP256PrivateKey.new())
            let refused = await failure { try await stranger.delete().start() } as? GuardianError
            #expect(refused?.code == "invalid_token" && refused?.info["statusCode"] as? Int == 401)
            _ = try await own.delete().start()
            let gone = await failure { try await own.delete().start() } as? GuardianError
            #expect(gone?.code == "enrollment_not_found" && gone?.info["statusCode"] as? Int == 404)
        }
    }

    @Test func `Requests come to a device that polls, each once, until its task is cancelled`() async throws {
        try await RealServer.run { server in
            let device = try await server.enrolled(server.addUser())
            let api = Guardian.api(forDomain: server.domain)
            let authentication = Guardian.authentication(url: server.url, device: device)
            // By a token of its own, so that both ways are used.
            let own = api.device(forEnrollmentId: device.id, userId: device.userId, signingKey: device.signingKey)
            let listening = Task {
                var seen: [String] = []
                do {
                    for try await notification in own.notifications() {
                        seen.append(notification.transactionToken)
                        _ = try await authentication.allow(notification: notification).start()
                    }
                } catch is CancellationError {}
                return seen
            }
            for _ in 0..<3 {
                let signIn = try await server.signIn()
                var outcome = try await signIn.outcome()
                while outcome["error"]?.stringValue == "authorization_pending" {
                    try await Task.sleep(for: .milliseconds(20))
                    outcome = try await signIn.outcome()
                    if outcome["error"]?.stringValue == "slow_down" { break }
                }
                #expect(
                    outcome["id_token"]?.stringValue != nil || outcome["error"]?.stringValue == "slow_down",
                    "\(outcome)")
            }
            listening.cancel()
            let seen = try await listening.value
            #expect(seen.count == 3 && Set(seen).count == 3)
        }
    }

    @Test func `A server that stops sends those who poll away`() async throws {
        let polls = Locked<[Task<PendingNotifications, any Error>]>([])
        let clock = ContinuousClock()
        let stopping = Locked(clock.now)
        try await RealServer.run { server in
            let device = try await server.enrolled(server.addUser())
            let asked = Locked(false)
            let request = Guardian.api(url: server.url).device(of: device).notifications(waitingUpTo: 55)
                .on(request: { _ in asked.withLock { $0 = true } })
            let poll = Task { try await request.start() }
            polls.withLock { $0.append(poll) }
            while !asked.current { await Task.yield() }
            // The device waits at the server by the time that this is answered.
            for _ in 0..<5 { _ = try await server.management("GET", "guardian/factors") }
            stopping.withLock { $0 = clock.now }
        }
        #expect(clock.now - stopping.current < .seconds(50))
        let answer = try await #require(polls.current.first).value
        #expect(answer.notifications.isEmpty)
    }

    @Test func `What the server refuses has its code, its sentence and its status`() async throws {
        try await RealServer.run { server in
            let key = try DataP256PrivateKey.new()
            let error = await failure {
                try await Guardian.enroll(
                    url: server.url, usingTicket: "unknown", notificationToken: "", signingKey: key,
                    verificationKey: key.verificationKey()
                ).start()
            }
            let refusal = try #require(error as? GuardianError)
            #expect(refusal.code == "enrollment_transaction_not_found")
            #expect(refusal.info["statusCode"] as? Int == 404 && refusal.info["error"] as? String == "Not Found")
            #expect(!refusal.description.isEmpty && refusal.description == refusal.info["message"] as? String)
        }
    }
}
