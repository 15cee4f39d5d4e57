import CoreTestSupport
import Foundation
import JSON
import OneTimePassword
import PasskeyTestSupport
import Testing

@testable import CountersignCore

@Suite("A passkey that is enrolled in the middle of a sign-in")
struct PasskeyInSignInTests {
    @Test(arguments: TestStore.available)
    func `It completes a sign-in that needs a second factor, and is two factors from then on`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.withSite(on: store)
        let ada = try await test.addUser()
        let handle = try await test.registering()
        #expect(try await test.kindsByResponse(handle) == [.passkey])
        let options = try await test.beginPasskey(during: handle)
        #expect(options["challenge"]?.stringValue != handle.token.reveal())
        #expect(options["authenticatorSelection"]?["userVerification"] == "required")
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        let verdict = try await test.register(authenticator.create(for: options), during: handle)
        let signedIn = try #require(verdict.signedIn, "\(verdict)")
        #expect(signedIn.session.proofs.map(\.kind) == [.password, .passkey])
        #expect(ContextClasses.assuranceLevels.name(of: signedIn.evidence, test.realm.proofs) == "aal2")
        #expect(signedIn.recoveryCode == nil, "What stands in for a passkey could be phished.")
        #expect(try await test.events(.factorEnrolled).count == 1)
        #expect(try await test.mails().count { $0.content.template == "passkey-added" } == 1)
        #expect(try await test.signIn(with: authenticator).signedIn?.user.id == ada.id)
        // Whoever has it is asked for it, and enrols nothing by a password.
        let again = try await test.beginRequired()
        #expect(try await test.give(.password(Secret(TestRealm.password)), to: again).step != .registration)
        #expect(try await test.kindsByResponse(again).isEmpty)
    }

    @Test
    func `It completes a sign-up where a second factor is required`() async throws {
        let test = try await TestRealm.withSite()
        let handle = try await test.begin(
            .signUp(TestRealm.email, Journeys.SignUpDetails(wantsPassword: false)), by: test.demanding)
        #expect(try await test.give(code: test.askForCode(handle), to: handle).step == .complete)
        #expect(try await test.give(.claim(nil), to: handle).step == .registration)
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        let verdict = try await test.register(
            authenticator.create(for: test.beginPasskey(during: handle)), during: handle)
        let signedIn = try #require(verdict.signedIn, "\(verdict)")
        #expect(signedIn.session.proofs.last?.kind == .passkey && signedIn.session.proofs.count == 2)
        #expect(try await test.signIn(with: authenticator).signedIn?.user.id == signedIn.user.id)
    }

    @Test(arguments: TestStore.available)
    func `One response sent twenty times at once to two servers is one passkey and one session`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.withSite(on: store)
        let neighbour = test.neighbour()
        let ada = try await test.addUser()
        let handle = try await test.registering()
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        let response = try await authenticator.create(for: test.beginPasskey(during: handle))
        let verdicts = try await race(20, meetingBefore: 1) { index in
            try await (index % 2 == 0 ? test : neighbour).register(response, during: handle)
        }
        #expect(verdicts.count { $0.isAccomplished } == 1)
        #expect(Set(verdicts.compactMap(\.reason)).isSubset(of: [.flowExhausted, .flowFinished]))
        #expect(try await test.realm.passkeys.list(of: ada.id).count == 1)
        #expect(try await test.store.read { try $0.sessions(of: ada.id, limit: 9) }.count == 1)
    }

    @Test(arguments: TestStore.available)
    func `Of two users who enrol one credential at once one gets it, and the other's sign-in goes on`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.withSite(on: store)
        let neighbour = test.neighbour()
        let bob = EmailAddress(kept: "bob@example.org")
        _ = try await test.addUser()
        _ = try await test.addUser(bob)
        let handles = [try await test.registering(), try await test.registering(bob)]
        let authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        var responses: [JSONValue] = []
        for handle in handles {
            var authenticator = authenticator
            responses.append(try await authenticator.create(for: test.beginPasskey(during: handle)))
        }
        let ready = responses
        let verdicts = try await race(2) { index in
            (handles[index], try await (index == 0 ? test : neighbour).register(ready[index], during: handles[index]))
        }
        #expect(verdicts.count { $0.1.isAccomplished } == 1)
        #expect(verdicts.compactMap(\.1.reason) == [.replayed])
        let loser = try #require(verdicts.first { !$0.1.isAccomplished }?.0)
        var own = SoftwareAuthenticator(origin: TestRealm.site)
        #expect(
            try await test.register(own.create(for: test.beginPasskey(during: loser)), during: loser).isAccomplished)
    }

    // MARK: Wrong ones

    @Test
    func `A wrong response uses up what was asked, and the sign-in goes on with another`() async throws {
        let test = try await TestRealm.withSite()
        let ada = try await test.addUser()
        let handle = try await test.registering()
        var elsewhere = SoftwareAuthenticator(origin: "https://evil.example")
        var own = SoftwareAuthenticator(origin: TestRealm.site)
        for _ in 0..<12 {
            let options = try await test.beginPasskey(during: handle)
            #expect(try await test.register(elsewhere.create(for: options), during: handle).reason == .wrongAnswer)
            #expect(try await test.register(own.create(for: options), during: handle).reason == .flowExhausted)
        }
        let stale = try await test.beginPasskey(during: handle)
        let fresh = try await test.beginPasskey(during: handle)
        #expect(try await test.register(own.create(for: stale), during: handle).reason == .wrongAnswer)
        #expect(try await test.register(own.create(for: fresh), during: handle).reason == .flowExhausted)
        #expect(try await test.realm.passkeys.list(of: ada.id).isEmpty)
        let last = try await test.beginPasskey(during: handle)
        #expect(try await test.register(own.create(for: last), during: handle).isAccomplished)
    }

    @Test
    func `One sign-in begins thirty of them in an hour`() async throws {
        let test = try await TestRealm.withSite()
        _ = try await test.addUser()
        let handle = try await test.registering()
        for _ in 0..<30 { _ = try await test.beginPasskey(during: handle) }
        let outcome = try await test.realm.enrolments.begin(
            .passkey, during: handle, expecting: TestRealm.registration, by: test.client)
        guard case .unknown(.sourceLimited) = outcome else { throw TestFailure() }
    }

    private static let broken: [(String, @Sendable (inout SoftwareAuthenticator) -> Void, Refusal.Reason)] = [
        ("type", { $0.clientData["type"] = "webauthn.get" }, .wrongAnswer),
        ("challenge", { $0.clientData["challenge"] = "AAAAAAAAAAAAAAAAAAAAAA" }, .wrongAnswer),
        ("crossOrigin", { $0.clientData["crossOrigin"] = true }, .wrongAnswer),
        ("relying party", { $0.rpID = "example.org" }, .wrongAnswer),
        ("user present", { $0.isUserPresent = false }, .wrongAnswer),
        ("user verified", { $0.isUserVerified = false }, .unsuitableAuthenticator),
        ("attested id", { $0.attestedID = Array(repeating: 3, count: 16) }, .wrongAnswer),
        ("key", { $0.publicKey = [0xA0] }, .wrongAnswer),
        ("not discoverable", { $0.isDiscoverable = false }, .unsuitableAuthenticator),
    ]

    @Test(arguments: broken.indices)
    func `A registration with one thing wrong completes nothing`(index: Int) async throws {
        let (name, damage, reason) = Self.broken[index]
        let test = try await TestRealm.withSite()
        let ada = try await test.addUser()
        let handle = try await test.registering()
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        damage(&authenticator)
        let verdict = try await test.register(
            authenticator.create(for: test.beginPasskey(during: handle)), during: handle)
        #expect(verdict.reason == reason, "\(name): \(verdict)")
        #expect(try await test.realm.passkeys.list(of: ada.id).isEmpty, "\(name)")
        #expect(try await test.store.read { try $0.sessions(of: ada.id, limit: 9) }.isEmpty, "\(name)")
    }

    @Test
    func `What belongs to one enrolment is nothing to another, nor to another step`() async throws {
        let test = try await TestRealm.withSite()
        _ = try await test.addUser()
        let handle = try await test.registering()
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        // Nothing was asked for yet.
        let offer = try await test.beginEnrolling(test.passwordSession())
        let ofSession = try authenticator.create(for: offer.challenge)
        #expect(try await test.register(ofSession, during: handle).reason == .unexpectedAnswer)
        let options = try await test.beginPasskey(during: handle)
        let ofSignIn = try authenticator.create(for: options)
        // The response of the sign-in to the session's enrolment, and the other way round.
        #expect(try await test.register(ofSignIn, for: offer.handle).reason == .wrongAnswer)
        #expect(try await test.register(ofSession, during: handle).reason == .wrongAnswer)
        // The challenge names no attempt here, and the handle none of the other kind.
        #expect(
            try await test.register(ofSignIn, during: #require(FlowHandle(answeredBy: ofSignIn))).reason == .unknownFlow
        )
        #expect(try await test.register(ofSignIn, for: handle).reason == .unknownFlow)
        let proof = try await test.give(.proof(of: .passkey, response: ofSignIn), to: handle)
        #expect(proof.reason == .unexpectedAnswer)
        // A sign-in that waits for its first proof takes none.
        let early = try await test.beginRequired()
        #expect(try await test.register(ofSignIn, during: early).reason == .unknownFlow)
        let outcome = try await test.realm.enrolments.begin(
            .passkey, during: early, expecting: .any(.signIn), by: test.client)
        guard case .unknown(.unknownFlow) = outcome else { throw TestFailure() }
    }

    // MARK: Beside other factors

    @Test(arguments: [true, false])
    func `An authenticator app may be offered beside it, and either of the two completes the sign-in`(
        byPasskey: Bool
    ) async throws {
        let test = try await TestRealm.withSite()
        let ada = try await test.addUser()
        let handle = try await test.registering()
        let secret = try await test.offerApp(during: handle)
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        let response = try await authenticator.create(for: test.beginPasskey(during: handle))
        let code = try TOTP(secret: secret).code(at: test.now).stringCode
        func app() async throws -> Verdict {
            try await test.give(.enrolmentCode(Secret(code), name: ""), to: handle)
        }
        let first = byPasskey ? try await test.register(response, during: handle) : try await app()
        #expect(first.isAccomplished, "\(first)")
        let second = byPasskey ? try await app() : try await test.register(response, during: handle)
        #expect(second.reason == .unknownFlow || second.reason == .flowFinished, "\(second)")
        let kinds = try await test.store.read { try $0.factors(of: ada.id) }.map(\.kind)
        #expect(kinds.contains(.passkey) == byPasskey && kinds.contains(.totp) != byPasskey)
    }

    @Test(arguments: [FactorKind.totp, .passkey])
    func `A password alone enrols none beside what its user has enrolled meanwhile`(kind: FactorKind) async throws {
        let test = try await TestRealm.withSite()
        let ada = try await test.addUser()
        let handle = try await test.registering()
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        let response = try await authenticator.create(for: test.beginPasskey(during: handle))
        if kind == .totp {
            let totp = try #require(
                PortableTOTP(id: nil, name: "Phone", enrolledAt: nil, secret: Secret([UInt8](repeating: 9, count: 20))))
            _ = try await test.realm.enrolments.add([totp], to: ada.id, by: test.client)
        } else {
            var other = SoftwareAuthenticator(origin: TestRealm.site)
            let offer = try await test.beginEnrolling(test.passwordSession())
            #expect(try await test.register(other.create(for: offer.challenge), for: offer.handle).isAccomplished)
        }
        #expect(try await test.register(response, during: handle).reason == .factorLimitReached)
        let outcome = try await test.realm.enrolments.begin(
            .passkey, during: handle, expecting: TestRealm.registration, by: test.client)
        guard case .refused(.limitReached) = outcome else { throw TestFailure() }
        #expect(try await test.kindsByResponse(handle).isEmpty)
        #expect(try await test.realm.passkeys.list(of: ada.id).count == (kind == .totp ? 0 : 1))
    }

    @Test
    func `A revocation ends it, and an address that was not proven enrols nothing`() async throws {
        let test = try await TestRealm.withSite()
        let ada = try await test.addUser()
        let handle = try await test.registering()
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        let response = try await authenticator.create(for: test.beginPasskey(during: handle))
        let now = test.now
        try await test.store.write { transaction in
            var user = try #require(try transaction.user(ada.id))
            user.revokeTokens(at: now)
            _ = try transaction.update(user)
        }
        #expect(try await test.register(response, during: handle).reason == .flowExpired)
        let revoked = try await test.realm.enrolments.begin(
            .passkey, during: handle, expecting: TestRealm.registration, by: test.client)
        guard case .refused(.revoked) = revoked else { throw TestFailure() }

        let eve = EmailAddress(kept: "eve@example.org")
        _ = try await test.addUser(eve, verified: false)
        let unproven = try await test.registering(eve)
        #expect(try await test.kindsByResponse(unproven).isEmpty)
        let outcome = try await test.realm.enrolments.begin(
            .passkey, during: unproven, expecting: TestRealm.registration, by: test.client)
        guard case .refused(.unverifiedEmail) = outcome else { throw TestFailure() }
    }

    @Test
    func `A passkey is no second factor to a sign-in that began with one, and none where they are off`() async throws {
        let test = try await TestRealm.withSite()
        try await test.changeSettings { $0.passkeys.userVerification = .preferred }
        var (_, authenticator, _) = try await test.passkeyOwner()
        authenticator.isUserVerified = false
        let begun = try await test.realm.authenticator.begin(
            .passkey, leadingTo: TestRealm.abilities, by: test.demanding)
        guard case .begun(let sign) = begun else { throw TestFailure() }
        let verdict = try await test.give(
            .proof(of: .passkey, response: authenticator.get(for: sign.challenge)), to: sign.handle)
        #expect(verdict.step == .registration, "\(verdict)")
        #expect(try await test.kindsByResponse(sign.handle).isEmpty)

        let bob = EmailAddress(kept: "bob@example.org")
        _ = try await test.addUser(bob)
        let handle = try await test.registering(bob)
        try await test.changeSettings { $0.secondFactors.offersPasskeys = false }
        #expect(try await test.kindsByResponse(handle).isEmpty)
        let outcome = try await test.realm.enrolments.begin(
            .passkey, during: handle, expecting: TestRealm.registration, by: test.client)
        guard case .refused(.notOffered) = outcome else { throw TestFailure() }
    }

    // MARK: Where nothing else will do

    /// How the session ends: by itself, or by a sign-out from its browser, after which an application goes on with it.
    enum End: CaseIterable {
        case ended, signedOut
    }

    @Test(arguments: TestStore.available, End.allCases)
    func `What is enrolled on the way to raise a session is over when that session is`(
        store: TestStore, end: End
    ) async throws {
        let test = try await TestRealm.withSite(on: store)
        let ada = try await test.addUser()
        let signedIn = try #require(try await test.signIn().signedIn)
        let thief = signedIn.session
        if end == .signedOut {
            _ = try #require(await test.realm.sessions.begin(inBrowser: signedIn))
            let opened = try await test.openGrant(
                on: thief.id, of: ada.id, terms: GrantTerms(scopes: ["openid", "offline_access"]),
                for: ClientID(rawValue: "app"))
            _ = try #require(opened.granted)
        }
        func begin() async throws -> FlowHandle {
            guard case .begun(let handle) = try await test.realm.journeys.begin(raising: thief, by: test.client) else {
                throw TestFailure()
            }
            return handle
        }
        let (byPasskey, byApp, byDevice) = (try await test.raising(thief), try await begin(), try await begin())
        let options = try await test.beginPasskey(during: byPasskey)
        let secret = try await test.offerApp(during: byApp)
        let offered = try await test.realm.enrolments.beginDevice(
            during: byDevice, expecting: TestRealm.registration, kinds: [.push], by: test.client)
        guard case .offered(let ticket) = offered else { throw TestFailure() }
        switch end {
        case .ended: #expect(try await test.realm.sessions.end(thief.id, of: ada.id, by: test.client))
        case .signedOut:
            #expect(try await test.realm.sessions.signOut(thief.id, of: ada.id, by: test.client))
            #expect(try await test.realm.sessions.session(thief.id, of: ada.id) != nil)
        }

        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        let passkey = try await test.register(authenticator.create(for: options), during: byPasskey)
        #expect(passkey.reason == .flowExpired)
        let code = try TOTP(secret: secret).code(at: test.now).stringCode
        let app = try await test.realm.authenticator.answer(
            .enrolmentCode(Secret(code), name: ""), to: .flow(byApp, TestRealm.registration), by: test.client)
        #expect(app.reason == .flowExpired)
        #expect(try await test.register(TestDevice(), with: ticket.handle).reason == .flowExpired)
        let again = try await test.realm.enrolments.begin(
            .passkey, during: byPasskey, expecting: TestRealm.registration, by: test.client)
        guard case .refused(.revoked) = again else { throw TestFailure() }
        #expect(try await test.events(.factorEnrolled).isEmpty)
    }

    @Test
    func `A session enrols the passkey that a request demands by what it was proven with, and lately`() async throws {
        let test = try await TestRealm.withSite()
        let ada = try await test.addUser()
        let weak = try #require(try await test.signIn().signedIn)
        let handle = try await test.raising(weak.session)
        #expect(try await test.kindsByResponse(handle) == [.passkey])
        let app = try await test.realm.enrolments.beginDevice(
            during: handle, expecting: TestRealm.registration, by: test.client)
        guard case .refused(.notOffered) = app else { throw TestFailure() }
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        let verdict = try await test.register(
            authenticator.create(for: test.beginPasskey(during: handle)), during: handle)
        let raised = try #require(verdict.signedIn, "\(verdict)")
        #expect(raised.session.proofs.map(\.kind) == [.password, .passkey] && raised.user.id == ada.id)

        // A password alone enrols none beside it, and what was proven long ago enrols none at all.
        #expect(try await test.refusalToRaise(#require(try await test.signIn().signedIn).session) == .signInTooOld)
        let bob = EmailAddress(kept: "bob@example.org")
        _ = try await test.addUser(bob)
        let old = try #require(try await test.signIn(bob).signedIn)
        test.clock.advance(301)
        #expect(try await test.refusalToRaise(old.session) == .signInTooOld)
    }
}

extension TestRealm {
    /// The step at which a second factor is enrolled.
    fileprivate static let registration = FlowExpectation(
        [.signIn, .signUp], at: [.journey(.registration)], of: [.testClient])

    /// An application that requires a second factor.
    fileprivate var demanding: ClientContext {
        var client = client
        client.requiresSecondFactor = true
        return client
    }

    fileprivate func beginRequired(_ email: EmailAddress = email) async throws -> FlowHandle {
        try await begin(.signIn(email), by: demanding)
    }

    /// A sign-in whose password was right, up to the step at which a second factor is enrolled.
    fileprivate func registering(_ email: EmailAddress = email) async throws -> FlowHandle {
        let handle = try await beginRequired(email)
        let verdict = try await give(.password(Secret(Self.password)), to: handle)
        #expect(verdict.step == .registration, "\(verdict)")
        return handle
    }

    fileprivate func kindsByResponse(_ handle: FlowHandle) async throws -> [FactorKind] {
        try await realm.enrolments.kindsByResponse(during: handle, expecting: Self.registration)
    }

    fileprivate func beginPasskey(during handle: FlowHandle) async throws -> JSONValue {
        let outcome = try await realm.enrolments.begin(
            .passkey, during: handle, expecting: Self.registration, by: client)
        guard case .offered(let offer) = outcome else {
            Issue.record("refused: \(outcome)")
            throw TestFailure()
        }
        return offer.challenge
    }

    fileprivate func register(_ response: JSONValue, during handle: FlowHandle) async throws -> Verdict {
        try await realm.authenticator.answer(
            .registration(of: .passkey, response: response, name: "Laptop"), to: .flow(handle, Self.registration),
            by: client)
    }

    /// The secret of an authenticator app that is offered in the sign-in.
    fileprivate func offerApp(during handle: FlowHandle) async throws -> [UInt8] {
        let outcome = try await realm.enrolments.beginDevice(
            during: handle, expecting: Self.registration, kinds: [.totp], by: client)
        guard case .offered = outcome else { throw TestFailure() }
        return try #require(
            await realm.enrolments.offered(during: handle, expecting: Self.registration)
        ).totpSecret.reveal()
    }

    fileprivate func raising(_ session: Session) async throws -> FlowHandle {
        let outcome = try await realm.journeys.begin(raising: session, byEnrolling: .passkey, by: client)
        guard case .begun(let handle) = outcome else {
            Issue.record("\(outcome)")
            throw TestFailure()
        }
        return handle
    }

    fileprivate func refusalToRaise(_ session: Session) async throws -> Refusal.Reason? {
        guard
            case .refused(let refusal) = try await realm.journeys.begin(
                raising: session, byEnrolling: .passkey, by: client)
        else { return nil }
        return refusal.reason
    }
}
