import Foundation
import OneTimePassword
import TestSupport
import Testing

@testable import CountersignCore

@Suite("Requests to devices")
struct ApprovalTests {
    /// A user with one device, and a sign-in that waits for it.
    struct Waiting {
        let test: TestRealm
        let device: TestDevice
        let enrolment: DeviceEnrolment
        let handle: FlowHandle
    }

    private func waiting(_ device: TestDevice = TestDevice(), on store: TestStore = .sqlite) async throws -> Waiting {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        let enrolment = try await test.enrol(device, of: user.id)
        return Waiting(test: test, device: device, enrolment: enrolment, handle: try await test.pending().handle)
    }

    @Test(
        arguments: [false, true])
    func `What a device allows with its key goes on as a session with a second factor, once`(withRSA: Bool) async throws
    {
        let waiting = try await waiting(withRSA ? .rsa() : TestDevice())
        let test = waiting.test
        #expect(try await test.approval(of: waiting.handle) == nil)
        let asked = try await test.ask(for: waiting.handle)
        #expect(asked.devices.map(\.id) == [waiting.enrolment.factor.id])
        #expect(try await test.claim(waiting.handle).reason == .approvalPending)

        let request = try await test.request(to: waiting.enrolment.factor.id)
        let statement = try waiting.device.answer(to: request, at: test.now)
        #expect(try await test.decide(statement, request.handle).decision?.isAllowed == true)
        guard case .decided(asked.id, let decision) = try await test.approval(of: waiting.handle) else {
            Issue.record("undecided")
            return
        }
        #expect(decision.by == waiting.enrolment.factor.id)
        test.clock.advance(5)
        let signedIn = try #require(await test.claim(waiting.handle).signedIn)
        let proof = try #require(signedIn.evidence.secondFactor)
        #expect(proof.kind == .push && proof.factorID == waiting.enrolment.factor.id && proof.at == decision.at)

        #expect(try await test.claim(waiting.handle).reason == .flowFinished)
        #expect(try await test.decide(statement, request.handle).reason == .flowFinished)
        #expect(try await test.realm.devices.requests(to: waiting.enrolment.factor.id).isEmpty)
        #expect(try await test.events(.approvalAllowed).count == 1)
    }

    @Test
    func `Asking whether a device has answered is no answer: it is not counted, and the log does not fill with it`()
        async throws
    {
        let waiting = try await waiting()
        let test = waiting.test
        _ = try await test.ask(for: waiting.handle)
        let client = test.client(from: "192.0.2.1")
        for _ in 0..<120 {
            let verdict = try await test.realm.authenticator.answer(
                .approval, to: .flow(waiting.handle, .any(.signIn)), by: client)
            #expect(verdict.reason == .approvalPending)
        }
        #expect(try await test.answers(from: "192.0.2.1") == nil)
        #expect(try await test.events(.answerRefused).isEmpty)
        // What is an answer counts as before.
        let unknown = FlowHandle(random: test.random)
        _ = try await test.realm.authenticator.answer(
            .approval, to: .flow(unknown, .any(.signIn)), by: client)
        #expect(try await test.answers(from: "192.0.2.1") == 1)
    }

    @Test
    func `What a device rejects is over, whatever other factor is right, and the reason is in the log`() async throws {
        let waiting = try await waiting()
        let test = waiting.test
        _ = try await test.ask(for: waiting.handle)
        let request = try await test.request(to: waiting.enrolment.factor.id)
        let statement = try waiting.device.answer(to: request, allows: false, reason: "hacked", at: test.now)
        let decision = try #require(await test.decide(statement, request.handle).decision)
        #expect(!decision.isAllowed && decision.reason == "hacked")
        #expect(try await test.events(.approvalRejected).first?.details["reason"] == .string("hacked"))
        #expect(try await test.claim(waiting.handle).reason == .approvalRejected)

        let totp = try TOTP(secret: #require(waiting.enrolment.totpSecret).reveal())
        let code = totp.code(at: test.now).stringCode
        #expect(
            try await test.answer(code, of: waiting.enrolment.factor.id, for: waiting.handle).reason
                == .approvalRejected)
        guard
            case .refused(let refusal) = try await test.realm.approvals.ask(
                for: waiting.handle, expecting: .any(.signIn), by: test.client)
        else {
            Issue.record("asked again")
            return
        }
        #expect(refusal.reason == .approvalRejected)
    }

    @Test
    func `A code of the device is the way in when no request reaches it, and counts once`() async throws {
        let waiting = try await waiting()
        let test = waiting.test
        let totp = try TOTP(secret: #require(waiting.enrolment.totpSecret).reveal())
        let code = totp.code(at: test.now).stringCode
        let id = waiting.enrolment.factor.id
        #expect(try await test.answer(test.wrongCode(totp), of: id, for: waiting.handle).reason == .wrongAnswer)
        #expect(try await test.answer(code, of: id, for: waiting.handle).signedIn != nil)
        #expect(try await test.answer(code, of: id, for: test.pending().handle).reason == .replayed)
    }

    /// Everything that a stranger might send instead of the device's own answer.
    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: Refusal.Reason
        let make: @Sendable (Waiting, DeviceRequest) throws -> String

        init(
            _ name: String, _ reason: Refusal.Reason,
            _ make: @escaping @Sendable (Waiting, DeviceRequest) throws -> String
        ) {
            testDescription = name
            self.reason = reason
            self.make = make
        }

        /// With one claim other than it should be; nil leaves it out.
        static func claim(_ name: String, _ value: JSONValue?, _ reason: Refusal.Reason) -> Forgery {
            Forgery("\(name) \(value.map { "\($0)" } ?? "left out")", reason) { waiting, request in
                var claims = waiting.device.claims(for: request.challenge, at: waiting.test.now)
                claims[name] = value
                return try waiting.device.token(.object(claims))
            }
        }

        static func header(_ name: String, _ header: JSONValue, _ reason: Refusal.Reason) -> Forgery {
            Forgery(name, reason) { waiting, request in
                try waiting.device.token(
                    .object(waiting.device.claims(for: request.challenge, at: waiting.test.now)), header: header)
            }
        }
    }

    static let forgeries: [Forgery] = [
        Forgery("another key", .wrongSignature) { waiting, request in
            try TestDevice().answer(to: request, at: waiting.test.now)
        },
        .header("another key in the header", ["alg": "ES256", "jwk": ["kty": "EC"]], .wrongChallenge),
        .header("alg none", ["alg": "none"], .wrongAlgorithm),
        .header("an algorithm of another kind of key", ["alg": "RS256"], .wrongAlgorithm),
        .header("an HMAC, with the public key as its secret", ["alg": "HS256"], .wrongAlgorithm),
        .header("a critical header", ["alg": "ES256", "crit": .array(["exp"])], .malformedCredential),
        .header("no algorithm", [:], .malformedCredential),
        .claim("sub", "another challenge", .wrongChallenge),
        .claim("sub", nil, .wrongChallenge),
        .claim("sub", .integer(1), .wrongChallenge),
        .claim("aud", "https://elsewhere.example/api/resolve-transaction", .wrongAudience),
        .claim("aud", nil, .wrongAudience),
        .claim("exp", .integer(1), .answerExpired),
        .claim("exp", .integer(.max), .malformedCredential),
        .claim("exp", .number(1e300), .malformedCredential),
        .claim("exp", nil, .malformedCredential),
        .claim("iat", nil, .malformedCredential),
        .claim("iat", "now", .malformedCredential),
        .claim("decision_accepted", "true", .malformedCredential),
        .claim("decision_accepted", nil, .malformedCredential),
        .claim("decision_method", "otp", .malformedCredential),
        Forgery("from the future", .answerExpired) { waiting, request in
            try waiting.device.answer(to: request, at: waiting.test.now + 120)
        },
        Forgery("expired", .answerExpired) { waiting, request in
            try waiting.device.answer(to: request, at: waiting.test.now - 61)
        },
        Forgery("good for a day", .malformedCredential) { waiting, request in
            var claims = waiting.device.claims(for: request.challenge, at: waiting.test.now)
            claims["exp"] = .number(waiting.test.now.timeIntervalSince1970 + 86_400)
            return try waiting.device.token(.object(claims))
        },
        Forgery("without signature", .wrongSignature) { waiting, request in
            let statement = try waiting.device.answer(to: request, at: waiting.test.now)
            return statement.split(separator: ".").prefix(2).joined(separator: ".") + "."
        },
        Forgery("cut short", .malformedCredential) { waiting, request in
            try waiting.device.answer(to: request, at: waiting.test.now).split(separator: ".").prefix(2)
                .joined(separator: ".")
        },
        Forgery("a changed claim under the old signature", .wrongSignature) { waiting, request in
            let no = try waiting.device.answer(to: request, allows: false, at: waiting.test.now)
            let yes = try waiting.device.answer(to: request, at: waiting.test.now)
            let parts = no.split(separator: ".")
            return "\(parts[0]).\(yes.split(separator: ".")[1]).\(parts[2])"
        },
        Forgery("nothing", .malformedCredential) { _, _ in "" },
        Forgery("a megabyte", .malformedCredential) { _, _ in String(repeating: "a", count: 1 << 20) },
        // Claims are read only once the signature is good.
        Forgery("claims nested a thousand deep, without a signature", .wrongSignature) { waiting, _ in
            let header = Array(#"{"alg":"ES256"}"#.utf8).base64URL
            let claims = Array((String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)).utf8)
            return "\(header).\(claims.base64URL).AAAA"
        },
        Forgery("claims nested a thousand deep", .malformedCredential) { waiting, _ in
            let header = Array(#"{"alg":"\#(waiting.device.key.algorithm)"}"#.utf8).base64URL
            let claims = Array((String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)).utf8)
            let input = "\(header).\(claims.base64URL)"
            return "\(input).\(try waiting.device.key.signature(of: input).base64URL)"
        },
        Forgery("claims that are no object", .malformedCredential) { waiting, _ in
            try waiting.device.token(.array([]))
        },
    ]

    @Test(arguments: forgeries)
    func `What the device did not sign for this request decides nothing`(_ forgery: Forgery) async throws {
        let waiting = try await waiting()
        let test = waiting.test
        _ = try await test.ask(for: waiting.handle)
        let request = try await test.request(to: waiting.enrolment.factor.id)
        if forgery.testDescription == "another key in the header" {
            // Signed by a stranger who brings his own key; the enrolled one is what counts.
            let stranger = TestDevice()
            let statement = try stranger.token(
                .object(stranger.claims(for: request.challenge, at: test.now)),
                header: ["alg": "ES256", "jwk": stranger.jwk])
            #expect(try await test.decide(statement, request.handle).reason == .wrongSignature)
        } else {
            let verdict = try await test.decide(forgery.make(waiting, request), request.handle)
            #expect(verdict.reason == forgery.reason)
        }
        #expect(try await test.claim(waiting.handle).reason == .approvalPending)
        let statement = try waiting.device.answer(to: request, at: test.now)
        #expect(try await test.decide(statement, request.handle).decision?.isAllowed == true)
    }

    @Test
    func `An answer to one request is none to another, and a replaced request is dead`() async throws {
        let waiting = try await waiting()
        let test = waiting.test
        let id = waiting.enrolment.factor.id
        _ = try await test.ask(for: waiting.handle)
        let first = try await test.request(to: id)
        _ = try await test.ask(for: waiting.handle)
        let second = try await test.request(to: id)
        #expect(try await test.realm.devices.requests(to: id).count == 1)
        #expect(
            try await test.decide(waiting.device.answer(to: first, at: test.now), first.handle).reason == .flowFinished)
        #expect(
            try await test.decide(waiting.device.answer(to: first, at: test.now), second.handle).reason
                == .wrongChallenge)

        // Another sign-in with the same application takes the place too; with another application it does not.
        let other = try await test.pending().handle
        _ = try await test.ask(for: other)
        #expect(
            try await test.decide(waiting.device.answer(to: second, at: test.now), second.handle).reason
                == .flowFinished)
        var elsewhere = test.client
        elsewhere.clientID = ClientID(rawValue: "another-app")
        let third = try await test.pending(by: elsewhere).handle
        _ = try await test.ask(for: third, by: elsewhere)
        #expect(try await test.realm.devices.requests(to: id).count == 2)
    }

    @Test
    func `Five requests a minute to one user`() async throws {
        let waiting = try await waiting()
        let test = waiting.test
        for left in (0..<5).reversed() {
            #expect(try await test.ask(for: waiting.handle).standing.remaining == left)
        }
        let outcome = try await test.realm.approvals.ask(
            for: test.pending().handle, expecting: .any(.signIn), by: test.client)
        guard case .limited(let standing) = outcome else {
            Issue.record("not limited: \(outcome)")
            return
        }
        #expect(standing == RateLimitStanding(limit: 5, remaining: 0, resetAt: test.now + 60, isAdmitted: false))
        test.clock.advance(60)
        #expect(try await test.ask(for: waiting.handle).standing.remaining == 4)
    }

    @Test(arguments: TestStore.available)
    func `What raises a session asks no device once that session was ended`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        let session = try #require(try await test.signIn().signedIn).session
        _ = try await test.enrol(TestDevice(), of: user.id)
        guard case .begun(let handle) = try await test.realm.journeys.begin(raising: session, by: test.client) else {
            throw TestFailure()
        }
        _ = try await test.ask(for: handle)
        #expect(try await test.realm.sessions.end(session.id, of: user.id, by: test.client))
        let outcome = try await test.realm.approvals.ask(for: handle, expecting: .any(.signIn), by: test.client)
        guard case .refused(let refusal) = outcome else {
            Issue.record("asked: \(outcome)")
            return
        }
        #expect(refusal.reason == .flowExpired)
    }

    @Test
    func `Where a number is asked for, a yes without the right one is no yes, and a no needs none`() async throws {
        let waiting = try await waiting()
        let test = waiting.test
        let id = waiting.enrolment.factor.id
        let number = try #require(await test.ask(for: waiting.handle, asksForNumber: true).number)
        #expect(number.count == 6 && number.allSatisfy(\.isNumber))
        let request = try await test.request(to: id)
        #expect(request.numberLength == 6)
        for wrong in [nil, "", number + "0", String(number.reversed()) + "x"] {
            let statement = try waiting.device.answer(to: request, number: wrong, at: test.now)
            #expect(try await test.decide(statement, request.handle).reason == .wrongNumber)
        }
        let right = try waiting.device.answer(to: request, number: number, at: test.now)
        #expect(try await test.decide(right, request.handle).decision?.isAllowed == true)

        _ = try await test.ask(for: test.pending().handle, asksForNumber: true)
        let next = try await test.request(to: id)
        let no = try waiting.device.answer(to: next, allows: false, at: test.now)
        #expect(try await test.decide(no, next.handle).decision?.isAllowed == false)
    }

    @Test
    func `Numbers cannot be tried out: a request takes five answers`() async throws {
        let waiting = try await waiting()
        let test = waiting.test
        let number = try #require(await test.ask(for: waiting.handle, asksForNumber: true).number)
        let request = try await test.request(to: waiting.enrolment.factor.id)
        for _ in 0..<5 {
            let wrong = try waiting.device.answer(to: request, number: "x", at: test.now)
            #expect(try await test.decide(wrong, request.handle).reason == .wrongNumber)
        }
        let right = try waiting.device.answer(to: request, number: number, at: test.now)
        #expect(try await test.decide(right, request.handle).reason == .flowExhausted)
    }

    @Test
    func `"It wasn't me" raises an alert and ends the user's other attempts, and no other user's`() async throws {
        let waiting = try await waiting()
        let test = waiting.test
        let other = try await test.pending().handle
        let stranger = EmailAddress(kept: "bob@example.org")
        try await test.enrol(TestDevice(), of: test.addUser(stranger).id)
        let strangers = try await test.pending(stranger).handle
        _ = try await test.ask(for: waiting.handle)
        let request = try await test.request(to: waiting.enrolment.factor.id)
        let statement = try waiting.device.answer(to: request, allows: false, reason: "not_me", at: test.now)
        #expect(try await test.decide(statement, request.handle).decision?.reason == "not_me")
        #expect(try await test.events(.signInDisowned).first?.details["endedAttempts"] == .integer(1))
        #expect(try await test.claim(other).reason == .flowFinished)
        #expect(try await test.claim(strangers).reason == .approvalPending)
    }

    @Test(arguments: TestStore.available)
    func `Fifty devices that answer one request at once make one decision`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        var devices: [FactorID: TestDevice] = [:]
        for _ in 0..<50 {
            let device = TestDevice()
            devices[try await test.enrol(device, of: user.id).factor.id] = device
        }
        let handle = try await test.pending().handle
        let asked = try await test.ask(for: handle)
        #expect(asked.devices.count == 50)
        var statements: [(handle: FlowHandle, statement: String)] = []
        for (index, device) in asked.devices.enumerated() {
            let request = try await test.request(to: device.id)
            statements.append(
                (
                    request.handle,
                    try #require(devices[device.id]).answer(to: request, allows: index % 2 == 0, at: test.now)
                ))
        }
        let answers = statements
        let verdicts = try await CoreTests.race(50, meetingBefore: 1) {
            try await test.decide(answers[$0].statement, answers[$0].handle)
        }
        let decisions = verdicts.compactMap(\.decision)
        #expect(decisions.count == 1)
        #expect(verdicts.count { $0.reason == .flowFinished || $0.reason == .busy } == 49)
        #expect(try await test.approval(of: handle) == .decided(id: asked.id, decisions[0]))
    }

    @Test(arguments: TestStore.available)
    func `One yes, fetched twenty times at once, is one session`(store: TestStore) async throws {
        let waiting = try await waiting(on: store)
        let test = waiting.test
        _ = try await test.ask(for: waiting.handle)
        let request = try await test.request(to: waiting.enrolment.factor.id)
        _ = try await test.decide(waiting.device.answer(to: request, at: test.now), request.handle)
        let verdicts = try await CoreTests.race(20) { _ in try await test.claim(waiting.handle) }
        #expect(verdicts.count { $0.signedIn != nil } == 1)
    }

    @Test
    func `A device that was removed, a changed password, a disabled user: what waits ends`() async throws {
        let waiting = try await waiting()
        let test = waiting.test
        let id = waiting.enrolment.factor.id
        _ = try await test.ask(for: waiting.handle)
        let request = try await test.request(to: id)
        let statement = try waiting.device.answer(to: request, at: test.now)
        #expect(try await test.realm.devices.remove(id, by: test.client))
        #expect([.unknownFactor, .flowExpired].contains(try await test.decide(statement, request.handle).reason))
        #expect(try await test.claim(waiting.handle).reason != nil)
        #expect(try await test.realm.devices.requests(to: id).count <= 1)
    }

    @Test
    func `A request ends with its sign-in`() async throws {
        let waiting = try await waiting()
        let test = waiting.test
        _ = try await test.ask(for: waiting.handle)
        let request = try await test.request(to: waiting.enrolment.factor.id)
        test.clock.advance(FlowLifetime.approval)
        let statement = try waiting.device.answer(to: request, at: test.now)
        #expect(try await test.decide(statement, request.handle).reason == .flowExpired)
        #expect(try await test.realm.devices.requests(to: waiting.enrolment.factor.id).isEmpty)
    }

    @Test(.timeLimit(.minutes(20)))
    func `Who waits for a request is woken by it, and others are not`() async throws {
        let waiting = try await waiting()
        let test = waiting.test
        let id = waiting.enrolment.factor.id
        async let woken = test.realm.devices.waiting(for: id, upTo: .seconds(3600))
        while test.realm.notifier.listenerCount == 0 { await Task.yield() }
        _ = try await test.ask(for: waiting.handle)
        #expect(try await woken?.requests.count == 1)
        #expect(test.realm.notifier.listenerCount == 0)
        let nobody = try await test.realm.devices.waiting(
            for: FactorID(rawValue: "dev_other"), upTo: .seconds(3600))
        #expect(nobody == nil, "There is no such device: no poll waits for it.")
        #expect(test.realm.notifier.listenerCount == 0)
    }

    @Test
    func `What a request says arrives as it was said, cut to what a push can carry`() async throws {
        let waiting = try await waiting()
        let test = waiting.test
        let details = ApprovalDetails(
            browser: .init(name: String(repeating: "S", count: 5000), version: "9.0.3"),
            system: .init(name: "Mac OS\0", version: nil),
            location: .init(name: "Palermo, BA, Argentina", latitude: "-34.57115", longitude: "-58.423297"),
            linkingID: "cns_1")
        _ = try await test.realm.approvals.ask(
            for: waiting.handle, expecting: .any(.signIn), details: details, by: test.client)
        let request = try await test.request(to: waiting.enrolment.factor.id)
        #expect(request.details.browser == .init(name: String(repeating: "S", count: 100), version: "9.0.3"))
        #expect(request.details.system == .init(name: "Mac OS"))
        #expect(request.details.location == details.location)
        #expect(request.details.linkingID == "cns_1")
        #expect(request.startedAt == test.now)
    }
}

extension ApprovalTests {
    @Test
    func `A code for another client to fetch opens no session by itself, and one when it is fetched`() async throws {
        let test = try await TestRealm.make()
        let enrolment = try await test.enrol(TestDevice(), of: test.addUser().id)
        let totp = try TOTP(secret: #require(enrolment.totpSecret).reveal())
        let handle = try await test.pending().handle
        let verdict = try await test.realm.authenticator.answer(
            .code(Secret(totp.code(at: test.now).stringCode), factor: enrolment.factor.id),
            to: .flow(handle, .any(.signIn, isFetchedLater: true)), by: test.client)
        guard case .accomplished(.proven(let decision, nil)) = verdict else {
            Issue.record("refused: \(verdict)")
            return
        }
        #expect(decision.isAllowed && decision.kind == .totp)
        #expect(try await test.events(.signedIn).isEmpty)
        #expect(try await test.claim(handle).signedIn?.evidence.secondFactor?.factorID == enrolment.factor.id)
        #expect(try await test.claim(handle).reason == .flowFinished)
    }
}
