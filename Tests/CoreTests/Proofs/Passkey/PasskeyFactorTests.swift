import CoreTestSupport
import Foundation
import JSON
import OneTimePassword
import PasskeyTestSupport
import Passkeys
import Testing

@testable import CountersignCore

@Suite("Passkeys")
struct PasskeyFactorTests {
    // MARK: Enrolling

    @Test(arguments: TestStore.available, [true, false])
    func `A new password by mail leaves the passkeys of a proven address, and no stranger's`(
        store: TestStore, isProven: Bool
    ) async throws {
        let test = try await TestRealm.withSite(on: store)
        let (user, authenticator, _) = try await test.passkeyOwner()
        var change = AccountChange()
        change.emailVerified = isProven
        _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        #expect(try await test.user(user.id).profile.emailVerified == isProven)
        #expect(try await test.signIn(with: authenticator).signedIn != nil)
        let link = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
        #expect(try await test.follow(link, newPassword: "difference engine").isAccomplished)
        let opens = try await test.signIn(with: authenticator).signedIn != nil
        #expect(opens == isProven)
        #expect(try await test.signIn(password: "difference engine").signedIn != nil)
        let factors = try #require(await test.realm.accounts.userAndFactors(user.id)).factors
        #expect(Set(factors.map(\.kind)) == (isProven ? [.password, .passkey] : [.password]))
        #expect(try await test.user(user.id).profile.emailVerified)
    }

    @Test(arguments: TestStore.available)
    func `A passkey is enrolled after a sign-in, and signs in without a name as two factors`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.withSite(on: store)
        let (ada, authenticator, factor) = try await test.passkeyOwner()
        #expect(factor.id == FactorID(credential: authenticator.credentialID))
        #expect(authenticator.userHandle == Array(ada.id.rawValue.utf8))
        _ = try await test.enrolTOTP(of: ada, with: authenticator)
        let signedIn = try #require(try await test.signIn(with: authenticator).signedIn)
        #expect(signedIn.user.id == ada.id)
        #expect(signedIn.session.proofs.map(\.kind) == [.passkey])
        let proofs = test.realm.proofs
        #expect(AuthenticationMethods.each.names(of: signedIn.evidence, proofs) == ["swk", "user", "mfa"])
        #expect(ContextClasses.assuranceLevels.name(of: signedIn.evidence, proofs) == "aal2")
        let kept = try #require(try await test.realm.passkeys.list(of: ada.id).first)
        #expect(kept.credential.rpID == "login.example.org" && kept.factor.lastUsedAt == test.now)
        #expect(try await test.events(.factorEnrolled).contains { $0.details["factor"] == .string(factor.id.rawValue) })
        #expect(try await test.mails().contains { $0.content.template == "passkey-added" })
    }

    @Test
    func `The challenge is the handle, in enrolling and in a sign-in`() async throws {
        let test = try await TestRealm.withSite()
        _ = try await test.addUser()
        let offer = try await test.beginEnrolling(test.passwordSession())
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        let registration = try authenticator.create(for: offer.challenge)
        #expect(offer.challenge["challenge"]?.stringValue == offer.handle.token.reveal())
        let found = try #require(FlowHandle(answeredBy: registration))
        #expect(found.token.reveal() == offer.handle.token.reveal())
        #expect(try await test.register(registration, for: found).isAccomplished)
        let begun = try await test.beginPasskey()
        let assertion = try authenticator.get(for: begun.challenge)
        let again = try #require(FlowHandle(answeredBy: assertion))
        #expect(try await test.assert(assertion, for: again).isAccomplished)
        #expect(FlowHandle(answeredBy: .object([:])) == nil)
    }

    @Test
    func `Options name the site and the user, exclude what is there, and list nothing before the user is known`()
        async throws
    {
        let test = try await TestRealm.withSite()
        let (ada, authenticator, _) = try await test.passkeyOwner()
        let owner = try #require(try await test.signIn(with: authenticator).signedIn)
        let session = OwnSession(userID: ada.id, evidence: owner.evidence, epoch: ada.tokenEpoch)
        let options = try await test.beginEnrolling(session).challenge
        #expect(options["rp"] == .object(["id": "login.example.org", "name": "Example"]))
        #expect(options["user"]?["name"] == "ada@example.org")
        #expect(
            options["excludeCredentials"]
                == .array([
                    .object([
                        "id": .string(authenticator.credentialID.base64URL), "type": "public-key",
                        "transports": .array(["internal"]),
                    ])
                ]))
        #expect(options["authenticatorSelection"]?["residentKey"] == "required")
        #expect(options["authenticatorSelection"]?["requireResidentKey"] == .bool(true))
        #expect(options["authenticatorSelection"]?["userVerification"] == "required")
        guard case .array(let algorithms)? = options["pubKeyCredParams"] else { throw TestFailure() }
        #expect(algorithms.compactMap { $0["alg"] } == [.integer(-8), .integer(-7), .integer(-257)])
        let begun = try await test.beginPasskey().challenge
        #expect(begun["allowCredentials"] == .array([]) && begun["userVerification"] == "required")
        #expect(begun["rpId"] == "login.example.org")
    }

    @Test
    func `A session by password alone enrols the first passkey, and neither another one nor a second factor`()
        async throws
    {
        let test = try await TestRealm.withSite()
        let (ada, authenticator, factor) = try await test.passkeyOwner()
        let weak = try await test.passwordSession()
        let begun = try await test.realm.enrolments.begin(.passkey, of: weak, by: test.client)
        guard case .refused(.signInTooOld) = begun else { throw TestFailure() }
        let totp = try await test.realm.enrolments.beginTOTP(for: ada.id, evidence: weak.evidence, by: test.client)
        guard case .refused(.signInTooOld) = totp else { throw TestFailure() }
        #expect(
            try await test.realm.passkeys.remove([factor.id], of: weak, by: test.client)
                == .refused(.secondFactorMissing))
        let signedIn = try #require(try await test.signIn(with: authenticator).signedIn)
        let strong = OwnSession(userID: ada.id, evidence: signedIn.evidence, epoch: ada.tokenEpoch)
        _ = try await test.beginEnrolling(strong)
        #expect(try await test.realm.passkeys.remove([factor.id], of: strong, by: test.client) == .removed)
        #expect(try await test.signIn(with: authenticator).reason == .unknownFactor)
        #expect(try await test.mails().contains { $0.content.template == "factor-removed" })
    }

    @Test(arguments: TestStore.available)
    func `Of two users who enrol one credential at once one gets it, and the other is told`(store: TestStore)
        async throws
    {
        let test = try await TestRealm.withSite(on: store)
        let neighbour = test.neighbour()
        let bob = EmailAddress(kept: "bob@example.org")
        _ = try await test.addUser()
        _ = try await test.addUser(bob)
        let offers = [
            try await test.beginEnrolling(test.passwordSession()),
            try await test.beginEnrolling(test.passwordSession(bob)),
        ]
        let authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        let responses = try offers.map { offer in
            var authenticator = authenticator
            return try authenticator.create(for: offer.challenge)
        }
        let verdicts = try await race(2) { index in
            try await (index == 0 ? test : neighbour).register(responses[index], for: offers[index].handle)
        }
        #expect(verdicts.count { $0.isAccomplished } == 1)
        #expect(verdicts.compactMap(\.reason) == [.replayed])
    }

    @Test
    func `An enrolment takes one response, right or wrong: CVE-2026-37982`() async throws {
        let test = try await TestRealm.withSite()
        _ = try await test.addUser()
        let offer = try await test.beginEnrolling(test.passwordSession())
        var elsewhere = SoftwareAuthenticator(origin: "https://evil.example")
        #expect(
            try await test.register(elsewhere.create(for: offer.challenge), for: offer.handle).reason == .wrongAnswer)
        var own = SoftwareAuthenticator(origin: TestRealm.site)
        #expect(try await test.register(own.create(for: offer.challenge), for: offer.handle).reason == .flowExhausted)
        #expect(try await test.events(.answerRefused).contains { $0.details["fault"] == "originNotAllowed" })
    }

    @Test
    func `A passkey without a name is called what keeps it, where that is known`() async throws {
        let test = try await TestRealm.withSite()
        _ = try await test.addUser()
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        authenticator.aaguid = try #require(AAGUID("fbfc3007-154e-4ecc-8c0b-6e020557d7bd")).bytes
        let offer = try await test.beginEnrolling(test.passwordSession())
        let verdict = try await test.register(authenticator.create(for: offer.challenge), for: offer.handle, name: "")
        guard case .accomplished(.enrolled(let factor, let signedIn)) = verdict else { throw TestFailure() }
        #expect(factor.name == "Apple Passwords")
        #expect(try await test.mails().contains { $0.content.values.values.contains("Apple Passwords") })
        let session = OwnSession(userID: factor.userID, evidence: signedIn.evidence, epoch: signedIn.user.tokenEpoch)
        let second = try await test.beginEnrolling(session)
        var unknown = SoftwareAuthenticator(origin: TestRealm.site)
        let other = try await test.register(unknown.create(for: second.challenge), for: second.handle, name: "")
        guard case .accomplished(.enrolled(let unnamed, _)) = other else { throw TestFailure() }
        #expect(unnamed.name.isEmpty)
    }

    @Test(arguments: TestStore.available)
    func `Another domain is counted in the passkeys that it costs, and nothing else is`(store: TestStore) async throws {
        let test = try await TestRealm.withSite(on: store)
        _ = try await test.passkeyOwner()
        _ = try await test.passkeyOwner(EmailAddress(kept: "bob@example.org"))
        func lost(_ change: (inout RealmSettings) -> Void) async throws -> Int {
            var settings = try await test.realm.settings()
            change(&settings)
            return try await test.realm.passkeys.count(lostBy: settings)
        }
        #expect(try await lost { $0.passkeys.rpID = "example.org" } == 2)
        #expect(try await lost { $0.passkeys.rpID = "login.example.org" } == 0)
        #expect(try await lost { $0.passkeys.rpName = "Else" } == 0)
        try await test.changeSettings { $0.passkeys.rpID = "example.org" }
        var own = SoftwareAuthenticator(origin: TestRealm.site)
        _ = try await test.addUser(EmailAddress(kept: "cleo@example.org"))
        let offer = try await test.beginEnrolling(test.passwordSession(EmailAddress(kept: "cleo@example.org")))
        #expect(try await test.register(own.create(for: offer.challenge), for: offer.handle).isAccomplished)
        // What was lost before is lost to no later change.
        #expect(try await lost { $0.passkeys.rpID = nil } == 1)
    }

    @Test
    func `A user has twenty passkeys at most`() async throws {
        let test = try await TestRealm.withSite()
        let (ada, authenticator, _) = try await test.passkeyOwner()
        for _ in 1..<20 {
            test.clock.advance(3600)
            let signedIn = try #require(try await test.signIn(with: authenticator).signedIn)
            let session = OwnSession(userID: ada.id, evidence: signedIn.evidence, epoch: ada.tokenEpoch)
            let offer = try await test.beginEnrolling(session)
            var another = SoftwareAuthenticator(origin: TestRealm.site)
            #expect(try await test.register(another.create(for: offer.challenge), for: offer.handle).isAccomplished)
        }
        let signedIn = try #require(try await test.signIn(with: authenticator).signedIn)
        let session = OwnSession(userID: ada.id, evidence: signedIn.evidence, epoch: ada.tokenEpoch)
        let outcome = try await test.realm.enrolments.begin(.passkey, of: session, by: test.client)
        guard case .refused(.limitReached) = outcome else { throw TestFailure() }
    }

    // MARK: Each check alone

    /// A part of a registration that is broken, and nothing else.
    private static let brokenRegistrations:
        [(String, @Sendable (inout SoftwareAuthenticator) -> Void, Refusal.Reason)] = [
            ("type", { $0.clientData["type"] = "webauthn.get" }, .wrongAnswer),
            ("challenge", { $0.clientData["challenge"] = "AAAAAAAAAAAAAAAAAAAAAA" }, .wrongAnswer),
            ("crossOrigin", { $0.clientData["crossOrigin"] = true }, .wrongAnswer),
            ("topOrigin", { $0.clientData["topOrigin"] = "https://evil.example" }, .wrongAnswer),
            ("relying party", { $0.rpID = "example.org" }, .wrongAnswer),
            ("user present", { $0.isUserPresent = false }, .wrongAnswer),
            ("user verified", { $0.isUserVerified = false }, .unsuitableAuthenticator),
            ("backed up without eligibility", { $0.isBackedUp = true }, .wrongAnswer),
            ("reserved flags", { $0.otherFlags = 0x80 }, .wrongAnswer),
            ("attested id", { $0.attestedID = Array(repeating: 3, count: 16) }, .wrongAnswer),
            ("trailing bytes", { $0.trailing = [0] }, .wrongAnswer),
            ("key", { $0.publicKey = [0xA0] }, .wrongAnswer),
            ("not discoverable", { $0.isDiscoverable = false }, .unsuitableAuthenticator),
        ]

    @Test(arguments: brokenRegistrations.indices)
    func `A registration with one thing wrong makes no passkey: CVE-2026-8830`(index: Int) async throws {
        let (name, damage, reason) = Self.brokenRegistrations[index]
        let test = try await TestRealm.withSite()
        let ada = try await test.addUser()
        let offer = try await test.beginEnrolling(test.passwordSession())
        var authenticator = SoftwareAuthenticator(origin: TestRealm.site)
        damage(&authenticator)
        let verdict = try await test.register(authenticator.create(for: offer.challenge), for: offer.handle)
        #expect(verdict.reason == reason, "\(name): \(verdict)")
        #expect(try await test.realm.passkeys.list(of: ada.id).isEmpty, "\(name)")
    }

    private static let brokenAssertions: [(String, @Sendable (inout SoftwareAuthenticator) -> Void)] = [
        ("type", { $0.clientData["type"] = "webauthn.create" }),
        ("challenge", { $0.clientData["challenge"] = "AAAAAAAAAAAAAAAAAAAAAA" }),
        ("crossOrigin", { $0.clientData["crossOrigin"] = true }),
        ("topOrigin", { $0.clientData["topOrigin"] = "https://evil.example" }),
        ("user handle", { $0.userHandle = Array("eve".utf8) }),
        ("no user handle", { $0.userHandle = [] }),
        ("relying party", { $0.rpID = "example.org" }),
        ("user present", { $0.isUserPresent = false }),
        ("user verified", { $0.isUserVerified = false }),
        ("backup eligibility", { $0.isBackupEligible = true }),
        ("backed up without eligibility", { $0.isBackedUp = true }),
        ("attested data", { $0.otherFlags = 0x40 }),
        ("trailing bytes", { $0.trailing = [0] }),
        ("key", { $0.key = SoftwareAuthenticator(origin: "").key }),
    ]

    @Test(arguments: brokenAssertions.indices)
    func
        `An assertion with one thing wrong opens no session, and its challenge is used up: CVE-2022-42731, CVE-2026-126952`(
            index: Int
        ) async throws
    {
        let (name, damage) = Self.brokenAssertions[index]
        let test = try await TestRealm.withSite()
        let (_, authenticator, _) = try await test.passkeyOwner()
        var broken = authenticator
        damage(&broken)
        let begun = try await test.beginPasskey()
        let verdict = try await test.assert(broken.get(for: begun.challenge), for: begun.handle)
        #expect(verdict.reason == .wrongAnswer, "\(name): \(verdict)")
        let late = try await test.assert(authenticator.get(for: begun.challenge), for: begun.handle)
        #expect(late.reason == .replayed, "\(name): \(late)")
        #expect(try await test.signIn(with: authenticator).isAccomplished, "\(name)")
    }

    @Test(arguments: [
        "http://login.example.org", "https://login.example.org:8443", "https://LOGIN.example.org",
        "https://login.example.org.", "https://evil.login.example.org", "https://ada@login.example.org",
        "https://login.example.org/", "https://xn--lgin-5qa.example.org", "https://example.org", "null", "",
        "https://login.example.org.evil.example", "login.example.org",
    ])
    func `An assertion of another origin opens no session`(origin: String) async throws {
        let test = try await TestRealm.withSite()
        var (_, authenticator, _) = try await test.passkeyOwner()
        authenticator.origin = origin
        #expect(try await test.signIn(with: authenticator).reason == .wrongAnswer)
        authenticator.origin = TestRealm.site
        #expect(try await test.signIn(with: authenticator).isAccomplished)
    }

    @Test
    func `An unknown credential is told from a wrong answer, and nothing else is`() async throws {
        let test = try await TestRealm.withSite()
        let (_, authenticator, _) = try await test.passkeyOwner()
        var stranger = SoftwareAuthenticator(origin: TestRealm.site)
        stranger.userHandle = authenticator.userHandle
        #expect(try await test.signIn(with: stranger).reason == .unknownFactor)
        let begun = try await test.beginPasskey()
        #expect(try await test.assert(.object(["id": "x"]), for: begun.handle).reason == .unexpectedAnswer)
    }

    // MARK: Counting

    @Test(arguments: TestStore.available)
    func `One assertion sent twenty times at once to two servers is one session`(store: TestStore) async throws {
        let test = try await TestRealm.withSite(on: store)
        let neighbour = test.neighbour()
        let (ada, authenticator, _) = try await test.passkeyOwner()
        let before = try await test.store.read { try $0.sessions(of: ada.id, limit: 100) }.count
        let begun = try await test.beginPasskey()
        let assertion = try authenticator.get(for: begun.challenge)
        let verdicts = try await race(20, meetingBefore: 1) { index in
            try await (index % 2 == 0 ? test : neighbour).assert(assertion, for: begun.handle)
        }
        #expect(verdicts.count { $0.isAccomplished } == 1)
        #expect(Set(verdicts.compactMap(\.reason)).isSubset(of: [.replayed, .flowFinished]))
        #expect(try await test.store.read { try $0.sessions(of: ada.id, limit: 100) }.count == before + 1)
    }

    @Test(arguments: TestStore.available)
    func `Ten wrong assertions from elsewhere lock nothing: the owner signs in`(store: TestStore) async throws {
        let test = try await TestRealm.withSite(on: store)
        let (_, authenticator, _) = try await test.passkeyOwner()
        var thief = SoftwareAuthenticator(
            origin: TestRealm.site, credentialID: authenticator.credentialID, userHandle: authenticator.userHandle)
        thief.isBackupEligible = authenticator.isBackupEligible
        let elsewhere = test.client(from: "192.0.2.7")
        for _ in 0..<10 {
            #expect(try await test.signIn(with: thief, by: elsewhere).reason == .wrongAnswer)
        }
        #expect(try await test.answers(from: "192.0.2.7") == 10)
        #expect(try await test.signIn(with: authenticator, by: test.client(from: "198.51.100.9")).isAccomplished)
    }

    @Test
    func `A passkey signs in while the password waits out a lockout`() async throws {
        let test = try await TestRealm.withSite()
        let (_, authenticator, _) = try await test.passkeyOwner()
        for _ in 0..<10 { _ = try await test.signIn(password: "wrong") }
        #expect(try await test.signIn().reason == .lockedOut)
        #expect(try await test.signIn(with: authenticator).isAccomplished)
    }

    // MARK: Counters and flags

    @Test
    func `A counter that does not grow refuses, is written down, and its owner hears of it once`() async throws {
        let test = try await TestRealm.withSite()
        var (ada, authenticator, factor) = try await test.passkeyOwner { $0.signCount = 5 }
        authenticator.signCount = 6
        #expect(try await test.signIn(with: authenticator).isAccomplished)
        #expect(try await test.signIn(with: authenticator).reason == .wrongAnswer)
        #expect(try await test.signIn(with: authenticator).reason == .wrongAnswer)
        let events = try await test.events(.passkeyCounter)
        #expect(events.count == 2 && events.allSatisfy { $0.details["factor"] == .string(factor.id.rawValue) })
        #expect(try await test.mails().count { $0.content.template == "passkey-copied" } == 1)
        #expect(try await test.realm.passkeys.list(of: ada.id).map(\.isSuspicious) == [true])
        // The passkey itself goes on: its next count is greater.
        authenticator.signCount = 7
        #expect(try await test.signIn(with: authenticator).isAccomplished)
        try await test.changeSettings { $0.passkeys.counter = .warn }
        #expect(try await test.signIn(with: authenticator).isAccomplished)
        #expect(try await test.events(.passkeyCounter).count == 3)
    }

    @Test
    func `A passkey that is backed up later says so, and one that never counted need not`() async throws {
        let test = try await TestRealm.withSite()
        var (ada, authenticator, _) = try await test.passkeyOwner { $0.isBackupEligible = true }
        authenticator.isBackedUp = true
        #expect(try await test.signIn(with: authenticator).isAccomplished)
        #expect(try await test.signIn(with: authenticator).isAccomplished)
        let kept = try #require(try await test.realm.passkeys.list(of: ada.id).first)
        #expect(kept.credential.backupState && kept.credential.backupEligible)
    }

    // MARK: Beside other factors

    @Test
    func `Without user verification a passkey is one factor, and the authenticator app is asked for`() async throws {
        let test = try await TestRealm.withSite()
        try await test.changeSettings { $0.passkeys.userVerification = .preferred }
        var (ada, authenticator, _) = try await test.passkeyOwner()
        let totp = try await test.enrolTOTP(of: ada, with: authenticator)
        authenticator.isUserVerified = false
        let more = try #require(try await test.signIn(with: authenticator).continuation)
        // The same passkey is no second factor to itself.
        #expect(more.factors.map(\.kind) == [.totp])
        let again = try await test.realm.authenticator.challenge(
            .passkey, in: more.handle, expecting: .any(.signIn), by: test.client)
        guard case .refused(let refusal) = again else { throw TestFailure() }
        #expect(refusal.reason == .unknownFactor)
        let code = totp.code(at: test.now).stringCode
        let signedIn = try #require(
            try await test.answer(code, of: more.factors[0].id, for: more.handle).signedIn)
        #expect(signedIn.session.proofs.map(\.kind) == [.passkey, .totp])
    }

    @Test
    func `A passkey that has never verified its user does not sign in alone without that: GHSA-h4fw-6r7f-w494`()
        async throws
    {
        let test = try await TestRealm.withSite()
        try await test.changeSettings { $0.passkeys.userVerification = .preferred }
        var (_, authenticator, _) = try await test.passkeyOwner(
            TestRealm.email, { $0.isUserVerified = false }, wish: .object(["isSecond": .bool(true)]))
        #expect(try await test.signIn(with: authenticator).reason == .wrongAnswer)
        authenticator.isUserVerified = true
        #expect(try await test.signIn(with: authenticator).isAccomplished)
        authenticator.isUserVerified = false
        #expect(try await test.signIn(with: authenticator).isAccomplished)
    }

    @Test(arguments: TestStore.available)
    func `Where a second factor is asked for, a passkey is one, with the list of what the user has`(
        store: TestStore
    ) async throws {
        let test = try await TestRealm.withSite(on: store)
        var (ada, authenticator, _) = try await test.passkeyOwner()
        _ = try await test.enrolTOTP(of: ada, with: authenticator)
        let more = try await test.pending()
        #expect(Set(more.factors.map(\.kind)) == [.passkey, .totp])
        let asked = try await test.realm.authenticator.challenge(
            .passkey, in: more.handle, expecting: .any(.signIn), by: test.client)
        guard case .begun(let begun) = asked else { throw TestFailure() }
        #expect(begun.challenge["allowCredentials"] != .array([]) && begun.challenge["userVerification"] == "preferred")
        // A wrong answer takes the challenge; the attempt goes on.
        authenticator.rpID = "evil.example"
        let wrong = try authenticator.get(for: begun.challenge)
        #expect(try await test.assert(wrong, for: more.handle, at: [.secondFactor]).reason == .wrongAnswer)
        authenticator.rpID = nil
        let late = try authenticator.get(for: begun.challenge)
        #expect(try await test.assert(late, for: more.handle, at: [.secondFactor]).reason == .replayed)
        let anew = try await test.realm.authenticator.challenge(
            .passkey, in: more.handle, expecting: .any(.signIn), by: test.client)
        guard case .begun(let second) = anew else { throw TestFailure() }
        authenticator.isUserVerified = false
        let right = try authenticator.get(for: second.challenge)
        let signedIn = try #require(try await test.assert(right, for: more.handle, at: [.secondFactor]).signedIn)
        #expect(signedIn.session.proofs.map(\.kind) == [.password, .passkey])
        #expect(ContextClasses.assuranceLevels.name(of: signedIn.evidence, test.realm.proofs) == "aal2")
    }

    @Test
    func `A passkey alone does not make a password sign-in ask for it, unless a second factor is required`()
        async throws
    {
        let test = try await TestRealm.withSite()
        _ = try await test.passkeyOwner()
        #expect(try await test.signIn().isAccomplished)
        let more = try await test.enrolling()
        #expect(more.factors.map(\.kind) == [.passkey])
    }

    @Test
    func `Another's passkey gives no second factor`() async throws {
        let test = try await TestRealm.withSite()
        let (ada, authenticator, _) = try await test.passkeyOwner()
        _ = try await test.enrolTOTP(of: ada, with: authenticator)
        let (_, bobs, _) = try await test.passkeyOwner(EmailAddress(kept: "bob@example.org"))
        let more = try await test.pending()
        let asked = try await test.realm.authenticator.challenge(
            .passkey, in: more.handle, expecting: .any(.signIn), by: test.client)
        guard case .begun(let begun) = asked else { throw TestFailure() }
        let foreign = try bobs.get(for: begun.challenge)
        #expect(try await test.assert(foreign, for: more.handle, at: [.secondFactor]).reason == .unknownFactor)
    }

    // MARK: Ends

    @Test
    func `The last way to sign in is not removed by its owner`() async throws {
        let test = try await TestRealm.withSite()
        let (ada, authenticator, factor) = try await test.passkeyOwner()
        try await test.store.write { transaction in
            var user = try #require(try transaction.user(ada.id))
            user.profile.emailVerified = false
            _ = try transaction.update(user)
            for factor in try transaction.factors(of: ada.id) where factor.kind == .password {
                _ = try transaction.deleteFactor(factor.id)
            }
        }
        let signedIn = try #require(try await test.signIn(with: authenticator).signedIn)
        let session = OwnSession(
            userID: ada.id, evidence: signedIn.evidence, epoch: signedIn.user.tokenEpoch)
        #expect(try await test.realm.passkeys.remove([factor.id], of: session, by: test.client) == .lastWayIn)
        #expect(try await test.realm.enrolments.remove(factor.id, of: ada.id, by: test.client))
    }

    @Test
    func `A mailbox that is proven for the first time removes a passkey that was made before`() async throws {
        let test = try await TestRealm.withSite()
        _ = try await test.addUser(verified: false)
        let offer = try await test.beginEnrolling(test.passwordSession())
        var squatter = SoftwareAuthenticator(origin: TestRealm.site)
        #expect(try await test.register(squatter.create(for: offer.challenge), for: offer.handle).isAccomplished)
        #expect(try await test.signIn(with: squatter).isAccomplished)
        let handle = try #require(try await test.mailLink(.signIn(TestRealm.email)))
        #expect(try await test.follow(handle).isAccomplished)
        #expect(try await test.signIn(with: squatter).reason == .unknownFactor)
    }

    @Test
    func `A disabled user's passkey signs in no more, nor one of a realm that has passkeys switched off`() async throws
    {
        let test = try await TestRealm.withSite()
        let (ada, authenticator, _) = try await test.passkeyOwner()
        try await test.changeSettings { $0.secondFactors.offersPasskeys = false }
        let outcome = try await test.realm.authenticator.begin(.passkey, by: test.client)
        guard case .refused(let refusal) = outcome else { throw TestFailure() }
        #expect(refusal.reason == .factorNotOffered)
        try await test.changeSettings { $0.secondFactors.offersPasskeys = true }
        try await test.store.write { transaction in
            var user = try #require(try transaction.user(ada.id))
            user.isDisabled = true
            _ = try transaction.update(user)
        }
        #expect(try await test.signIn(with: authenticator).reason == .userDisabled)
    }

    @Test
    func `A passkey moves with its account, and signs in where it is imported`() async throws {
        let test = try await TestRealm.withSite()
        let (ada, authenticator, factor) = try await test.passkeyOwner()
        let exported = try await test.exported(ada.id)
        let moved = try #require(exported.otherFactors.first { $0.kind == .passkey })
        let content = try #require(moved.content)
        let read = try #require(
            PortableFactor(
                id: moved.id, kind: moved.kind, name: moved.name, enrolledAt: moved.enrolledAt,
                lastUsedAt: moved.lastUsedAt, content: content))
        let other = try await TestRealm.withSite()
        var account = exported
        account.otherFactors = [read]
        _ = try await other.realm.accounts.importAccounts([account], by: other.client)
        #expect(try await other.signIn(with: authenticator).signedIn?.user.id == ada.id)
        #expect(read.id == factor.id)
    }
}
