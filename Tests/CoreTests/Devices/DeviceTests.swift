import Crypto
import CryptoExtras
import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

@Suite("Devices")
struct DeviceTests {
    @Test
    func `A ticket enrols one device, and tells it its token, its codes and the recovery code`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        guard case .offered(let ticket) = try await test.realm.enrolments.inviteDevice(for: user.id, by: test.client)
        else {
            Issue.record("no invitation")
            return
        }
        #expect(ticket.handle.token.reveal().hasPrefix("gten_"))
        let device = TestDevice()
        let enrolment = try #require(await test.register(device, with: ticket.handle).enrolment)
        #expect(enrolment.factor.id == ticket.factorID && enrolment.factor.kind == .push)
        #expect(enrolment.totpSecret?.reveal() == ticket.totpSecret?.reveal())
        #expect(enrolment.recoveryCode?.reveal().count == 24)
        #expect(try await test.register(device, with: ticket.handle).reason == .flowFinished)

        test.clock.advance(1)
        let second = try await test.enrol(TestDevice(), of: user.id)
        #expect(second.recoveryCode == nil)
        #expect(try await test.realm.devices.devices(of: user.id).map(\.id) == [enrolment.factor.id, second.factor.id])
    }

    @Test(arguments: TestStore.available)
    func `An invitation may be opened often and enrols once`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        guard
            case .offered(let invitation) = try await test.realm.enrolments.inviteDevice(for: user.id, by: test.client)
        else {
            Issue.record("no invitation")
            return
        }
        test.clock.advance(4 * 86_400)
        var tickets: [DeviceTicket] = []
        for _ in 0..<8 {
            guard
                case .offered(let ticket) = try await test.realm.enrolments.beginDevice(
                    invitation: invitation.handle, by: test.client)
            else {
                Issue.record("no ticket")
                return
            }
            tickets.append(ticket)
        }
        let handles = tickets.map(\.handle)
        let verdicts = try await race(8) { try await test.register(TestDevice(), with: handles[$0]) }
        #expect(verdicts.count { $0.enrolment != nil } == 1)
        guard
            case .unknown(.flowFinished) = try await test.realm.enrolments.beginDevice(
                invitation: invitation.handle, by: test.client)
        else {
            Issue.record("opened again")
            return
        }
    }

    @Test
    func `Tickets and invitations end`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        guard
            case .offered(let invitation) = try await test.realm.enrolments.inviteDevice(for: user.id, by: test.client),
            case .offered(let ticket) = try await test.realm.enrolments.beginDevice(
                invitation: invitation.handle, by: test.client)
        else {
            Issue.record("no ticket")
            return
        }
        test.clock.advance(FlowLifetime.deviceTicket)
        #expect(try await test.register(TestDevice(), with: ticket.handle).reason == .flowExpired)
        test.clock.advance(FlowLifetime.invitation)
        #expect(try await test.register(TestDevice(), with: invitation.handle).reason == .flowExpired)
    }

    @Test
    func `Who has to have a second factor and has none enrols a device in the middle of the sign-in`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let device = TestDevice()
        let waiting = try await test.enrolling()
        #expect(waiting.factors.isEmpty)
        guard
            case .offered(let ticket) = try await test.realm.enrolments.beginDevice(
                during: waiting.handle, expecting: .any(.signIn), by: test.client)
        else {
            Issue.record("no ticket")
            return
        }
        #expect(try await test.register(device, with: ticket.handle).enrolment != nil)
        // The enrolment itself is no proof: the device is asked like any other.
        #expect(try await test.claim(waiting.handle).reason == .approvalPending)
        _ = try await test.ask(for: waiting.handle)
        let request = try await test.request(to: ticket.factorID)
        _ = try await test.decide(device.answer(to: request, at: test.now), request.handle)
        #expect(try await test.claim(waiting.handle).signedIn != nil)
    }

    @Test
    func `A password alone adds no device to an account that has a second factor`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let early = try await test.enrolling()
        try await test.enrol(TestDevice(), of: user.id)
        let late = try await test.enrolling()
        for handle in [early.handle, late.handle] {
            switch try await test.realm.enrolments.beginDevice(
                during: handle, expecting: .any(.signIn), by: test.client)
            {
            case .refused(.limitReached), .unknown(.unknownFlow): break
            case let outcome: Issue.record("offered: \(outcome)")
            }
        }
    }

    // MARK: What a device may do

    private func access(
        _ test: TestRealm, _ id: FactorID, _ bearer: String, audience: String = "http://h/api/device-accounts"
    ) async throws -> Devices.Access {
        try await test.realm.devices.access(
            to: id, bearer: Secret(bearer), audiences: ["http://h/api/device-accounts"], subject: { "auth0|\($0)" })
    }

    @Test
    func `A device proves itself by its token or by one that it signs, and by no other device's`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let device = TestDevice()
        let enrolment = try await test.enrol(device, of: user.id)
        let other = try await test.enrol(TestDevice(), of: user.id)
        let id = enrolment.factor.id
        let now = test.now.timeIntervalSince1970
        let claims: [String: JSONValue] = [
            "sub": .string("auth0|\(user.id)"), "iss": .string(id.rawValue), "aud": "http://h/api/device-accounts",
            "iat": .number(now + 0.5), "exp": .number(now + 7200.5),
        ]
        func granted(_ bearer: String) async throws -> Bool {
            if case .granted(let device) = try await access(test, id, bearer) { return device.id == id }
            return false
        }
        #expect(try await granted(enrolment.token.reveal()))
        #expect(try await granted(device.token(.object(claims))))
        #expect(try await !granted(other.token.reveal()))
        #expect(try await !granted(""))
        #expect(try await !granted(TestDevice().token(.object(claims))))
        for (name, wrong): (String, JSONValue?) in [
            ("sub", "auth0|somebody"), ("iss", .string(other.factor.id.rawValue)), ("aud", "http://h/api/enroll"),
            ("exp", .number(now - 1)), ("exp", .number(now + 80_000)), ("iat", .number(now + 600)), ("exp", nil),
        ] {
            var changed = claims
            changed[name] = wrong
            #expect(try await !granted(device.token(.object(changed))), "\(name)")
        }
        guard case .unknownDevice = try await access(test, FactorID(rawValue: "dev_none"), enrolment.token.reveal())
        else {
            Issue.record("a device that is not there")
            return
        }
    }

    @Test
    func
        `A device changes what it says and leaves the rest; a dead push token is forgotten unless it changed meanwhile`()
        async throws
    {
        let test = try await TestRealm.make()
        let enrolment = try await test.enrol(TestDevice(), of: test.addUser().id)
        let id = enrolment.factor.id
        let changed = try #require(
            await test.realm.devices.change(id, .init(name: "New", pushToken: "ff00"), by: test.client))
        #expect(changed.name == "New" && changed.pushToken == "ff00" && changed.service == "APNS")
        #expect(changed.identifier == TestDevice().identifier)
        try await test.realm.devices.forgetPushToken("a0b1", of: id)
        #expect(try await test.realm.devices.device(id)?.pushToken == "ff00")
        try await test.realm.devices.forgetPushToken("ff00", of: id)
        #expect(try await test.realm.devices.device(id)?.pushToken == nil)
        #expect(try await test.realm.devices.change(FactorID(rawValue: "dev_x"), .init(), by: test.client) == nil)
    }

    @Test
    func `With the last device the recovery code and all sessions go`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let first = try await test.enrol(TestDevice(), of: user.id)
        let second = try await test.enrol(TestDevice(), of: user.id)
        let epoch = try await test.user(user.id).tokenEpoch
        #expect(try await test.realm.devices.remove(first.factor.id, by: test.client))
        #expect(try await test.user(user.id).tokenEpoch == epoch)
        #expect(try await test.realm.devices.remove(second.factor.id, by: test.client))
        #expect(try await test.user(user.id).tokenEpoch > epoch)
        #expect(try await test.store.read { try $0.factors(of: user.id) }.map(\.kind) == [.password])
        #expect(try await !test.realm.devices.remove(second.factor.id, by: test.client))
    }

    // MARK: Recovery

    @Test(arguments: TestStore.available)
    func `A recovery code is good once and brings the next`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let user = try await test.addUser()
        let code = try #require(await test.enrol(TestDevice(), of: user.id).recoveryCode).reveal()
        let factor = try #require(
            await test.store.read { try $0.factors(of: user.id) }.first { $0.kind == .recoveryCode })
        let handle = try await test.pending().handle
        #expect(try await test.answer("NOTTHECODE", of: factor.id, for: handle).reason == .wrongAnswer)
        let grouped = code.lowercased().enumerated().map { $0 > 0 && $0 % 4 == 0 ? " \($1)" : "\($1)" }.joined()
        var handles: [FlowHandle] = []
        for _ in 0..<4 { handles.append(try await test.pending().handle) }
        let racing = handles
        let verdicts = try await race(8) { try await test.answer(grouped, of: factor.id, for: racing[$0 % 4]) }
        let signedIn = try #require(verdicts.compactMap(\.signedIn).first)
        #expect(verdicts.count { $0.signedIn != nil } == 1)
        #expect(signedIn.evidence.secondFactor?.kind == .recoveryCode)
        let next = try #require(signedIn.recoveryCode).reveal()
        #expect(next != code)
        #expect(try await test.answer(code, of: factor.id, for: handle).reason == .wrongAnswer)
        #expect(try await test.answer(next, of: factor.id, for: handle).signedIn != nil)

        let made = try #require(await test.realm.enrolments.makeRecoveryCode(for: user.id, by: test.client))
        #expect(made.reveal().count == 24)
        let nobody = try await test.addUser(EmailAddress(kept: "bob@example.org"))
        #expect(try await test.realm.enrolments.makeRecoveryCode(for: nobody.id, by: test.client) == nil)
    }

    /// The ways in which a user loses the last second factor.
    enum Loss: CaseIterable, Sendable {
        case device, withdrawal, reset, administrator
    }

    @Test(arguments: Loss.allCases)
    func `A recovery code goes with the last second factor, however that goes`(with loss: Loss) async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let first = try await test.enrol(TestDevice(), of: user.id).factor.id
        let last = try await test.enrol(TestDevice(), of: user.id).factor.id
        #expect(try await test.realm.devices.remove(first, by: test.client))
        func kinds() async throws -> Set<FactorKind> {
            Set(try await test.store.read { try $0.factors(of: user.id) }.map(\.kind))
        }
        #expect(try await kinds() == [.password, .push, .recoveryCode])
        switch loss {
        case .device: _ = try await test.realm.devices.remove(last, by: test.client)
        case .withdrawal:
            _ = try await test.realm.enrolments.withdraw(
                last, of: user.id, evidence: test.evidence, by: test.client)
        case .reset: _ = try await test.realm.enrolments.reset(of: user.id, by: test.client)
        case .administrator:
            var change = AccountChange()
            change.secondFactors = [:]
            _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        }
        #expect(try await kinds() == [.password])
    }

    @Test
    func `A user with only a recovery code is not asked for it`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let enrolment = try await test.enrol(TestDevice(), of: user.id)
        #expect(try await test.pending().factors.map(\.kind) == [.push])
        _ = try await test.realm.devices.remove(enrolment.factor.id, by: test.client)
        #expect(try await test.signIn().signedIn != nil)
    }

    // MARK: Keys

    @Test
    func `Keys of 2048 to 4096 bits and of P-256, with and without leading zeros, and no others`() throws {
        let rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048).publicKey.getKeyPrimitives()
        let modulus = Array(rsa.modulus)
        func jwk(_ n: [UInt8], e: [UInt8] = [1, 0, 1], _ more: [String: JSONValue] = [:]) -> JSONValue {
            .object(
                ["kty": "RSA", "n": .string(n.base64URL), "e": .string(e.base64URL)].merging(more) { $1 })
        }
        #expect(try DeviceKey(jwk: jwk(modulus)) == DeviceKey(jwk: jwk([0] + modulus, e: [0, 1, 0, 1])))
        #expect(try DeviceKey(jwk: jwk(modulus)).algorithm == .rs256)
        let point = Array(P256.Signing.PrivateKey().publicKey.rawRepresentation)
        func elliptic(_ x: [UInt8], _ y: [UInt8], curve: String = "P-256") -> JSONValue {
            ["kty": "EC", "crv": .string(curve), "x": .string(x.base64URL), "y": .string(y.base64URL)]
        }
        let (x, y) = (Array(point[..<32]), Array(point[32...]))
        #expect(try DeviceKey(jwk: elliptic(x, [0] + y)) == DeviceKey(jwk: elliptic(x, y)))
        let faults: [(JSONValue, DeviceKey.Fault)] = [
            (.null, .malformed), ([:], .malformed), (["kty": "oct", "k": "AAAA"], .malformed),
            (jwk([]), .malformed), (jwk(Array(modulus.dropLast(64))), .wrongSize),
            (jwk(Array(repeating: 0xff, count: 513)), .wrongSize), (jwk(modulus, e: [3]), .wrongSize),
            (jwk(modulus, ["use": "enc"]), .wrongPurpose), (jwk(modulus, ["alg": "HS256"]), .wrongPurpose),
            (["kty": "RSA", "n": "+/==", "e": "AQAB"], .malformed),
            (elliptic(x, y, curve: "P-384"), .malformed), (elliptic(x, x), .notOnCurve),
            (elliptic([1] + x, y), .malformed),
        ]
        for (key, fault) in faults {
            #expect(throws: fault) { try DeviceKey(jwk: key) }
        }
    }
}
