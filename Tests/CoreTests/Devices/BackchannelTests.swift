import Crypto
import Foundation
import OneTimePassword
import TestSupport
import Testing

@testable import CountersignCore

@Suite("Sign-ins that an application begins by itself")
struct BackchannelTests {
    struct Begun {
        let test: TestRealm
        let device: TestDevice
        let enrolment: DeviceEnrolment
        let handle: FlowHandle
        let asked: Approvals.Asked

        var request: DeviceRequest {
            get async throws { try await test.request(to: enrolment.factor.id) }
        }

        func claim() async throws -> Verdict {
            try await test.realm.authenticator.answer(
                .approval, to: .flow(handle, .any(.backchannel)), by: test.client)
        }
    }

    private static let asked = Approvals.Backchannel(
        terms: GrantTerms(scopes: ["openid"]), audience: "https://api", bindingMessage: "21-49-38",
        authorizationDetails: [["type": "payment_initiation", "instructedAmount": ["amount": .number(123.5)]]])

    private func begun(
        _ device: TestDevice = TestDevice(), lifetime: TimeInterval = 300
    ) async throws -> Begun {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let enrolment = try await test.enrol(device, of: user.id)
        var request = Self.asked
        request.lifetime = lifetime
        let (handle, outcome) = try await test.realm.approvals.begin(for: user.id, request, by: test.client)
        guard case .asked(let asked) = outcome else {
            Issue.record("not asked: \(outcome)")
            throw TestFailure()
        }
        return Begun(test: test, device: device, enrolment: enrolment, handle: handle, asked: asked)
    }

    @Test
    func `What a device allows is a session that the key alone has proven, once`() async throws {
        let begun = try await begun()
        let test = begun.test
        #expect(try await begun.claim().reason == .approvalPending)
        let request = try await begun.request
        #expect(request.details.linkingID?.hasPrefix("cns_") == true)
        _ = try await test.decide(begun.device.answer(to: request, at: test.now), request.handle)
        let signedIn = try #require(await begun.claim().signedIn)
        #expect(signedIn.evidence.proofs.map(\.kind) == [.push] && signedIn.evidence.scopes == ["openid"])
        #expect(try await begun.claim().reason == .flowFinished)
    }

    @Test
    func `No code, and no other way of signing in, gets past the device`() async throws {
        let begun = try await begun()
        let test = begun.test
        let totp = try TOTP(secret: #require(begun.enrolment.totpSecret).reveal())
        let code = totp.code(at: test.now).stringCode
        let id = begun.enrolment.factor.id
        for purpose in [FlowPurpose.signIn, .backchannel] {
            for answer in [
                Answer.code(Secret(code), factor: id), .enrolmentCode(Secret(code), name: ""), .link(), .approval,
                .mailedCode(Secret(code)),
            ] {
                let verdict = try await test.realm.authenticator.answer(
                    answer, to: .flow(begun.handle, .any(purpose)), by: test.client)
                #expect(verdict.reason != nil, "\(purpose)")
            }
        }
        guard
            case .unknown(.unknownFlow) = try await test.realm.enrolments.beginDevice(
                during: begun.handle, expecting: .any(.signIn), by: test.client)
        else {
            Issue.record("a device was offered")
            return
        }
        #expect(try await begun.claim().reason == .approvalPending)
    }

    @Test
    func `A no is final, its time is the application's, and "it wasn't me" ends it too`() async throws {
        let rejected = try await begun()
        let request = try await rejected.request
        _ = try await rejected.test.decide(
            rejected.device.answer(to: request, allows: false, at: rejected.test.now), request.handle)
        #expect(try await rejected.claim().reason == .approvalRejected)

        let short = try await begun(lifetime: 30)
        #expect(short.asked.expiresAt == short.test.now + 30)
        short.test.clock.advance(30)
        #expect(try await short.claim().reason == .flowExpired)

        let disowned = try await begun()
        var elsewhere = disowned.test.client
        elsewhere.clientID = ClientID(rawValue: "another-app")
        let other = try await disowned.test.pending(by: elsewhere).handle
        // What is asked at the same instant has no order.
        disowned.test.clock.advance(1)
        _ = try await disowned.test.ask(for: other, by: elsewhere)
        let second = try await disowned.request
        _ = try await disowned.test.decide(
            disowned.device.answer(to: second, allows: false, reason: "not_me", at: disowned.test.now), second.handle)
        #expect(try await disowned.claim().reason == .flowFinished)
    }

    @Test(
        arguments: TestStore.available)
    func `Fifty at once reach a user's devices five times a minute, however they are begun`(store: TestStore)
        async throws
    {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        let enrolment = try await test.enrol(TestDevice(), of: user.id)
        let pending = try await test.pending().handle
        let outcomes = try await race(50, meetingBefore: 1) { index in
            if index.isMultiple(of: 2) {
                var client = test.client
                client.clientID = ClientID(rawValue: "app-\(index)")
                return try await test.realm.approvals.begin(for: user.id, Self.asked, by: client).outcome
            }
            return try await test.realm.approvals.ask(for: pending, expecting: .any(.signIn), by: test.client)
        }
        let asked = outcomes.compactMap { outcome -> Approvals.Asked? in
            if case .asked(let asked) = outcome { asked } else { nil }
        }
        #expect(asked.count == 5)
        #expect(Set(asked.map(\.standing.remaining)) == [0, 1, 2, 3, 4])
        #expect(
            outcomes.count { if case .limited(let standing) = $0 { !standing.isAdmitted } else { false } } == 45)
        let messages = try await test.store.read {
            try $0.outboxMessages(
                to: enrolment.factor.id.rawValue, by: .push, createdSince: test.now - 60, limit: 100)
        }
        #expect(messages.count == 5)
        // What was refused leaves nothing behind.
        let open = try await test.store.read {
            try $0.openFlows(of: user.id, purpose: FlowPurpose.backchannel.rawValue, at: test.now, limit: 100)
        }
        #expect(open.count <= 5)
    }

    @Test
    func `An unknown user, an unknown device, and a user without one are not asked`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        func reason(_ id: UserID) async throws -> Refusal.Reason? {
            guard
                case .refused(let refusal) = try await test.realm.approvals.begin(
                    for: id, Self.asked, by: test.client
                ).outcome
            else { return nil }
            return refusal.reason
        }
        #expect(try await reason(UserID(rawValue: "nobody")) == .userNotFound)
        #expect(try await reason(user.id) == .unknownFactor)
        try await test.enrol(TestDevice(), of: user.id)
        try await test.changeSettings { $0.secondFactors.offersPush = false }
        #expect(try await reason(user.id) == .factorNotOffered)
    }

    // MARK: Requested authorizations

    private static let url = "http://127.0.0.1:8080/rich-consents/"

    private func proof(
        _ begun: Begun, _ request: DeviceRequest, by signer: TestDevice? = nil, header: [String: JSONValue?] = [:],
        claims: [String: JSONValue?] = [:]
    ) throws -> String {
        let signer = signer ?? begun.device
        let id = try #require(request.details.linkingID)
        var head: [String: JSONValue] = [
            "alg": .string(signer.key.algorithm), "typ": "dpop+jwt", "jwk": try signer.jwk,
        ]
        var body: [String: JSONValue] = [
            "htm": "GET", "htu": .string(Self.url + id),
            "ath": .string(DeviceProof.hash(of: request.handle.token.reveal())),
            "jti": .string(UUID().uuidString), "iat": .number(begun.test.now.timeIntervalSince1970 + 0.5),
        ]
        for (name, value) in header { head[name] = value }
        for (name, value) in claims { body[name] = value }
        return try signer.token(.object(body), header: .object(head))
    }

    private func fetch(
        _ begun: Begun, _ id: String?, _ handle: FlowHandle, _ proof: String
    ) async throws -> Approvals.RequestedAuthorizationOutcome {
        let id = try #require(id)
        return try await begun.test.realm.approvals.requestedAuthorization(
            id, for: handle, proof: Secret(proof), method: "GET", urls: [Self.url + id])
    }

    @Test(arguments: [false, true])
    func `The device reads what it is asked to agree to, and each proof is good once`(withRSA: Bool) async throws {
        let begun = try await begun(withRSA ? .rsa() : TestDevice())
        let request = try await begun.request
        let proof = try proof(begun, request)
        guard
            case .granted(let authorization) = try await fetch(begun, request.details.linkingID, request.handle, proof)
        else {
            Issue.record("not granted")
            return
        }
        #expect(authorization.audience == "https://api" && authorization.scopes == ["openid"])
        #expect(
            authorization.bindingMessage == "21-49-38"
                && authorization.authorizationDetails == Self.asked.authorizationDetails)
        #expect(authorization.createdAt == begun.test.now && authorization.expiresAt == begun.test.now + 300)
        guard case .refusedProof = try await fetch(begun, request.details.linkingID, request.handle, proof) else {
            Issue.record("a proof was good twice")
            return
        }
        guard
            case .unknownAuthorization = try await fetch(
                begun, "cns_other", request.handle,
                self.proof(begun, request, claims: ["htu": .string(Self.url + "cns_other")]))
        else {
            Issue.record("another authorization")
            return
        }
        _ = try await begun.test.decide(begun.device.answer(to: request, at: begun.test.now), request.handle)
        guard
            case .unknownRequest = try await fetch(
                begun, request.details.linkingID, request.handle, self.proof(begun, request))
        else {
            Issue.record("a request that is over")
            return
        }
    }

    @Test
    func `The hash of a token is that of the vendor's own test`() {
        #expect(DeviceProof.hash(of: "aValidTransactionToken") == "CzMD9-OOC7tzMpYDBdgrSUtmhx8Jw9cZMSf4KXVRC5A")
    }

    @Test
    func `Thirty proofs about one request are remembered; more are refused and remembered nowhere`() async throws {
        let begun = try await begun()
        let request = try await begun.request
        func fetch(_ id: String) async throws -> Approvals.RequestedAuthorizationOutcome {
            try await self.fetch(
                begun, request.details.linkingID, request.handle, proof(begun, request, claims: ["jti": .string(id)]))
        }
        for number in 0..<30 {
            guard case .granted = try await fetch("\(number)") else { throw TestFailure() }
        }
        guard case .refusedProof = try await fetch("30") else { throw TestFailure() }
        let key = "limit/dpop/\(Data(SHA256.hash(data: Data("30".utf8))).hex)/\(request.handle.publicName)"
        #expect(try await begun.test.counter(key) == nil)
    }

    struct BadProof: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var header: [String: JSONValue?] = [:]
        var claims: [String: JSONValue?] = [:]
    }

    static let badProofs: [BadProof] = [
        BadProof(testDescription: "alg none", header: ["alg": "none"]),
        BadProof(testDescription: "HS256", header: ["alg": "HS256"]),
        BadProof(testDescription: "an ordinary type", header: ["typ": "JWT"]),
        BadProof(testDescription: "no type", header: ["typ": nil]),
        BadProof(testDescription: "no key", header: ["jwk": nil]),
        BadProof(testDescription: "a key that is none", header: ["jwk": "key"]),
        BadProof(testDescription: "another method", claims: ["htm": "POST"]),
        BadProof(testDescription: "another address", claims: ["htu": "http://elsewhere.example/rich-consents/x"]),
        BadProof(testDescription: "another token", claims: ["ath": "CzMD9-OOC7tzMpYDBdgrSUtmhx8Jw9cZMSf4KXVRC5A"]),
        BadProof(testDescription: "no token", claims: ["ath": nil]),
        BadProof(testDescription: "no id", claims: ["jti": nil]),
        BadProof(testDescription: "an empty id", claims: ["jti": ""]),
        BadProof(testDescription: "no time", claims: ["iat": nil]),
        BadProof(testDescription: "of long ago", claims: ["iat": .integer(1)]),
        BadProof(testDescription: "of the far future", claims: ["iat": .number(9e10)]),
    ]

    @Test(arguments: badProofs)
    func `A proof that is not quite one shows nothing`(_ bad: BadProof) async throws {
        let begun = try await begun()
        let request = try await begun.request
        let text = try proof(begun, request, header: bad.header, claims: bad.claims)
        guard case .refusedProof = try await fetch(begun, request.details.linkingID, request.handle, text) else {
            Issue.record("taken")
            return
        }
        guard
            case .granted = try await fetch(
                begun, request.details.linkingID, request.handle, proof(begun, request))
        else {
            Issue.record("the right one was not taken")
            return
        }
    }

    @Test
    func `Another key, with itself or with the device's in the header, shows nothing`() async throws {
        let begun = try await begun()
        let request = try await begun.request
        let stranger = TestDevice()
        for header: [String: JSONValue?] in [[:], ["jwk": try begun.device.jwk]] {
            let text = try proof(begun, request, by: stranger, header: header)
            guard case .refusedProof = try await fetch(begun, request.details.linkingID, request.handle, text) else {
                Issue.record("taken")
                return
            }
        }
        // The device's own signature under a header that names another key.
        let named = try proof(begun, request, header: ["jwk": try stranger.jwk])
        guard case .refusedProof = try await fetch(begun, request.details.linkingID, request.handle, named) else {
            Issue.record("taken")
            return
        }
        for handle in [FlowHandle("unknown"), begun.handle] {
            guard
                case .unknownRequest = try await fetch(
                    begun, request.details.linkingID, handle, proof(begun, request))
            else {
                Issue.record("another's token")
                return
            }
        }
    }
}
