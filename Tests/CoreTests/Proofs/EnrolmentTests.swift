import Foundation
import OneTimePassword
import PasskeyTestSupport
import Testing

@testable import CountersignCore

@Suite("Enrolling and withdrawing")
struct EnrolmentTests {
    private func refusal(
        _ test: TestRealm, _ id: UserID, _ evidence: SessionEvidence? = nil
    ) async throws -> Enrolments.EnrolmentRefusal? {
        let outcome = try await test.realm.enrolments.beginTOTP(
            for: id, evidence: evidence ?? test.evidence, by: test.client)
        return if case .refused(let refusal) = outcome { refusal } else { nil }
    }

    // MARK: Enrolling

    @Test
    func `An offer has a secret of twenty bytes and lives a quarter of an hour`() async throws {
        let test = try await TestRealm.make()
        let offer = try await test.offer(to: test.addUser().id)
        #expect(offer.secret.reveal().count == 20)
        #expect(offer.algorithm == .sha1 && offer.digits == 6 && offer.period == 30)
        #expect(offer.expiresAt == test.now + 900)
        let record = try #require(await test.store.read { try $0.flow(digest: offer.handle.digest) })
        #expect(record.body.range(of: Data(offer.secret.reveal())) == nil)
        #expect(!"\(offer)".contains("\(offer.secret.reveal()[0]), "))
    }

    @Test
    func `Finishing an enrolment makes the factor and proves it for the session`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let session = try #require(await test.signIn().signedIn)
        test.clock.advance(100)
        let evidence = session.evidence
        let outcome = try await test.realm.enrolments.beginTOTP(for: user.id, evidence: evidence, by: test.client)
        guard case .offered(let offer) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        test.clock.advance(899)
        let code = try TOTP(secret: offer.secret.reveal()).code(at: test.now).stringCode
        guard
            case .accomplished(.enrolled(let factor, let signedIn)) = try await test.finish(
                offer.handle, code: code, name: "Mein Telefon 📱")
        else {
            Issue.record("not enrolled")
            return
        }
        #expect(factor.name == "Mein Telefon 📱")
        #expect(factor.createdAt == test.now)
        #expect(signedIn.evidence.proofs.map(\.kind) == [.password, .totp])
        #expect(signedIn.evidence.secondFactor?.factorID == factor.id)
        #expect(signedIn.evidence.authenticatedAt == test.now)
        #expect(try await test.events(.factorEnrolled).count == 1)
        // Older sessions stay.
        #expect(
            try await test.realm.sessions.refresh(session.refreshToken, of: .testClient, by: test.client).refreshed
                != nil)
        #expect(try await test.finish(offer.handle, code: code).reason == .flowFinished)
    }

    @Test
    func `Who may not enrol is told why, in the order of the specification`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser(verified: false)
        let other = try await test.addEnrolledUser(TestRealm.otherEmail).user
        let anonymous = SessionEvidence(dialect: .identityToolkit, proofs: [Proof(kind: .anonymous, at: test.now)])
        let custom = SessionEvidence(dialect: .identityToolkit, proofs: [Proof(kind: .customToken, at: test.now)])
        let none = SessionEvidence(dialect: .identityToolkit, proofs: [])
        #expect(try await refusal(test, UserID(rawValue: "x")) == .userNotFound)
        #expect(try await refusal(test, user.id, anonymous) == .unverifiedEmail)
        var change = AccountChange()
        change.emailVerified = true
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        for evidence in [anonymous, custom, none] {
            #expect(try await refusal(test, user.id, evidence) == .unsupportedFirstFactor)
        }
        #expect(try await refusal(test, other.id) == .limitReached)
        let evidence = test.evidence
        test.clock.advance(299)
        #expect(try await refusal(test, user.id, evidence) == nil)
        test.clock.advance(1)
        #expect(try await refusal(test, user.id, evidence) == .signInTooOld)
        try await test.changeSettings { $0.secondFactors.totp?.state = .disabled }
        #expect(try await refusal(test, user.id, evidence) == .notOffered)
    }

    @Test
    func `An enrolment takes three wrong codes, and another can be begun`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let offer = try await test.offer(to: user.id)
        let totp = try TOTP(secret: offer.secret.reveal())
        let code = totp.code(at: test.now).stringCode
        for _ in 0..<3 {
            #expect(try await test.finish(offer.handle, code: test.wrongCode(totp)).reason == .wrongAnswer)
        }
        #expect(try await test.finish(offer.handle, code: code).reason == .flowExhausted)
        _ = try await test.enrol(user)
    }

    @Test
    func `The third code may be right`() async throws {
        let test = try await TestRealm.make()
        let offer = try await test.offer(to: test.addUser().id)
        let totp = try TOTP(secret: offer.secret.reveal())
        for _ in 0..<2 { _ = try await test.finish(offer.handle, code: test.wrongCode(totp)) }
        let code = totp.code(at: test.now).stringCode
        #expect(try await test.finish(offer.handle, code: code).isAccomplished)
    }

    @Test
    func `An enrolment ends with its time, with a revocation, and when TOTP is switched off`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        func finish(_ offer: Enrolments.TOTPOffer) async throws -> Refusal.Reason? {
            let totp = try TOTP(secret: offer.secret.reveal())
            return try await test.finish(offer.handle, code: totp.code(at: test.now).stringCode).reason
        }
        let first = try await test.offer(to: user.id)
        test.clock.advance(900)
        #expect(try await finish(first) == .flowExpired)
        let second = try await test.offer(to: user.id)
        var change = AccountChange()
        change.revokesTokensAt = test.now
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        #expect(try await finish(second) == .flowExpired)
        let third = try await test.offer(to: user.id)
        try await test.changeSettings { $0.secondFactors.totp?.state = .disabled }
        #expect(try await finish(third) == .factorNotOffered)
    }

    @Test(arguments: TestStore.available)
    func `What a session began to enrol is completed by no session once it was ended`(store: TestStore) async throws {
        let test = try await TestRealm.withSite(on: store)
        let user = try await test.addUser()
        let (thief, own) = (try await test.session(of: user), try await test.session(of: user))
        let account = test.realm.ownAccount
        typealias Offers = (app: Enrolments.TOTPOffer, passkey: Enrolments.ResponseOffer)
        func begin(_ session: OwnSession) async throws -> Offers {
            guard case .codes(let app) = try await account.beginEnrolling(.totp, of: session, by: test.client).get(),
                case .response(let passkey) = try await account.beginEnrolling(
                    .passkey, of: session, by: test.client
                ).get()
            else { throw TestFailure() }
            return (app, passkey)
        }
        func finish(_ offer: Enrolments.TOTPOffer) async throws -> Verdict {
            let totp = try TOTP(secret: offer.secret.reveal())
            return try await test.finish(offer.handle, code: totp.code(at: test.now).stringCode)
        }
        func register(_ offer: Enrolments.ResponseOffer) async throws -> Verdict {
            var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
            return try await test.register(authenticator.create(for: offer.challenge), for: offer.handle)
        }
        let (stolen, kept) = (try await begin(thief), try await begin(own))
        #expect(try await account.endOtherSessions(of: own, by: test.client).get() == 1)
        // The answers name the user alone: whoever has another session of the user's could give them.
        #expect(try await finish(stolen.app).reason == .flowExpired)
        #expect(try await register(stolen.passkey).reason == .flowExpired)
        #expect(try await test.events(.factorEnrolled).isEmpty)
        // Nor is anything begun by a session that was ended since it was judged.
        let enrolments = test.realm.enrolments
        let app = try await enrolments.beginTOTP(
            for: user.id, evidence: thief.evidence, asOf: thief.epoch, in: thief.session, by: test.client)
        guard case .refused(.revoked) = app else { throw TestFailure() }
        let device = try await enrolments.beginDevice(
            for: user.id, evidence: thief.evidence, asOf: thief.epoch, in: thief.session, by: test.client)
        guard case .refused(.revoked) = device else { throw TestFailure() }
        #expect(try await register(kept.passkey).isAccomplished)
        #expect(try await finish(kept.app).isAccomplished)
    }

    @Test func `A code completes no attempt that is of another kind than is said`() async throws {
        let test = try await TestRealm.withSite()
        let session = try await test.session(of: test.addUser())
        let account = test.realm.ownAccount
        guard case .codes(let offer) = try await account.beginEnrolling(.totp, of: session, by: test.client).get()
        else { throw TestFailure() }
        let code = Secret(try TOTP(secret: offer.secret.reveal()).code(at: test.now).stringCode)
        for kind in [FactorKind.push, .passkey, FactorKind(rawValue: "made-up")] {
            let outcome = try await account.completeEnrolling(
                kind, .code(code), handle: offer.handle, name: "", of: session, by: test.client)
            guard case .failure(.wrong(let refusal)) = outcome else { throw TestFailure() }
            #expect(refusal.reason == .unknownFlow)
        }
        let done = try await account.completeEnrolling(
            .totp, .code(code), handle: offer.handle, name: "", of: session, by: test.client)
        #expect(try done.get().factor.kind == .totp)
    }

    // MARK: Withdrawing

    /// A second factor of a kind that cannot be enrolled twice through the door.
    private func addSecond(_ test: TestRealm, to user: User) async throws -> FactorID {
        let id = FactorID(rawValue: "second")
        let payload = try JSONEncoder().encode(TOTPFactor.Payload(secret: Data(repeating: 1, count: 20)))
        let (sealer, now) = (test.realm.sealer, test.now)
        let isKept = try await test.store.write { transaction in
            try transaction.insert(
                FactorRecord(
                    id: id, userID: user.id, kind: .totp, name: "Second", createdAt: now,
                    payload: sealer.seal(payload, for: .factor(id), in: transaction)))
        }
        #expect(isKept)
        return id
    }

    @Test
    func `Withdrawing the only factor revokes earlier tokens; the session goes on without second factor`() async throws
    {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let outcome = try await test.realm.enrolments.withdraw(
            enrolled.factor.id, of: enrolled.user.id, evidence: enrolled.signedIn.evidence, by: test.client)
        guard case .withdrawn(let signedIn) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(signedIn.evidence.proofs.map(\.kind) == [.password])
        #expect(signedIn.session.tokenEpoch == enrolled.user.tokenEpoch + 1)
        let old = try await test.realm.sessions.refresh(
            enrolled.signedIn.refreshToken, of: .testClient, by: test.client)
        #expect(old.refusal == .ended)
        #expect(
            try await test.realm.sessions.refresh(signedIn.refreshToken, of: .testClient, by: test.client).refreshed
                != nil)
        #expect(try await test.signIn().isAccomplished)
        #expect(try await test.events(.factorWithdrawn).count == 1)
    }

    @Test
    func `A session that was begun with the password alone may withdraw the only factor`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let outcome = try await test.realm.enrolments.withdraw(
            enrolled.factor.id, of: enrolled.user.id, evidence: test.evidence, by: test.client)
        guard case .withdrawn(let signedIn) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(signedIn.session.tokenEpoch == enrolled.user.tokenEpoch + 1)
    }

    @Test
    func `Withdrawing the session's own factor where others remain ends all sessions`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        _ = try await addSecond(test, to: enrolled.user)
        let outcome = try await test.realm.enrolments.withdraw(
            enrolled.factor.id, of: enrolled.user.id, evidence: enrolled.signedIn.evidence, by: test.client)
        guard case .withdrawnAndSignedOut = outcome else {
            Issue.record("\(outcome)")
            return
        }
        let old = try await test.realm.sessions.refresh(
            enrolled.signedIn.refreshToken, of: .testClient, by: test.client)
        #expect(old.refusal == .ended)
        #expect(try await test.pending().factors.map(\.id.rawValue) == ["second"])
    }

    @Test
    func `Withdrawing another factor leaves the session and its second factor alone`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let second = try await addSecond(test, to: enrolled.user)
        let outcome = try await test.realm.enrolments.withdraw(
            second, of: enrolled.user.id, evidence: enrolled.signedIn.evidence, by: test.client)
        guard case .withdrawn(let signedIn) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(signedIn.evidence == enrolled.signedIn.evidence)
        #expect(signedIn.session.tokenEpoch == enrolled.user.tokenEpoch)
        let old = try await test.realm.sessions.refresh(
            enrolled.signedIn.refreshToken, of: .testClient, by: test.client)
        #expect(old.refreshed != nil)
    }

    @Test
    func `Another user's factor, a password and a made-up one cannot be withdrawn`() async throws {
        let test = try await TestRealm.make()
        let ada = try await test.addEnrolledUser()
        let other = try await test.addEnrolledUser(TestRealm.otherEmail)
        let password = try #require(
            await test.store.read { try $0.factors(of: ada.user.id) }.first { $0.kind == .password })
        for id in [other.factor.id, password.id, FactorID(rawValue: "x"), FactorID(rawValue: "")] {
            let outcome = try await test.realm.enrolments.withdraw(
                id, of: ada.user.id, evidence: test.evidence, by: test.client)
            guard case .unknownFactor = outcome else {
                Issue.record("\(id): \(outcome)")
                continue
            }
        }
        #expect(try await test.realm.enrolments.secondFactors(of: other.user.id).count == 1)
        #expect(try await test.user(ada.user.id).tokenEpoch == ada.user.tokenEpoch)
    }

    @Test
    func `A withdrawn factor may be enrolled anew`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        _ = try await test.realm.enrolments.withdraw(
            enrolled.factor.id, of: enrolled.user.id, evidence: test.evidence, by: test.client)
        let again = try await test.enrol(enrolled.user)
        #expect(again.factor.id != enrolled.factor.id)
    }

    @Test
    func `A reset removes all second factors and ends sessions; without any it ends none`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        #expect(try await test.realm.enrolments.reset(of: enrolled.user.id, by: test.client) == 1)
        let old = try await test.realm.sessions.refresh(
            enrolled.signedIn.refreshToken, of: .testClient, by: test.client)
        #expect(old.refusal == .ended)
        let session = try #require(await test.signIn().signedIn)
        #expect(try await test.realm.enrolments.reset(of: enrolled.user.id, by: test.client) == 0)
        #expect(
            try await test.realm.sessions.refresh(session.refreshToken, of: .testClient, by: test.client).refreshed
                != nil)
        #expect(try await test.realm.enrolments.reset(of: UserID(rawValue: "x"), by: test.client) == nil)
    }
}
