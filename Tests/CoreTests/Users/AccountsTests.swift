import Foundation
import Testing

@testable import CountersignCore

@Suite("Accounts")
struct AccountsTests {
    private func signUp(
        _ test: TestRealm, _ email: EmailAddress? = TestRealm.email, _ password: String? = TestRealm.password,
        by client: ClientContext? = nil
    ) async throws -> Accounts.SignUpOutcome {
        try await test.realm.accounts.signUp(
            email: email, password: password.map { Secret($0) }, displayName: "Ada", by: client ?? test.client)
    }

    // MARK: Signing up

    @Test
    func `Signing up makes an account with an unproven address, and signs it in`() async throws {
        let test = try await TestRealm.make()
        let signedIn = try #require(await signUp(test).signedIn)
        #expect(signedIn.isNewUser)
        #expect(signedIn.user.email == TestRealm.email)
        #expect(!signedIn.user.profile.emailVerified)
        #expect(signedIn.user.profile.displayName == "Ada")
        #expect(signedIn.user.profile.providers == ["password"])
        #expect(signedIn.user.passwordChangedAt == test.now)
        #expect(signedIn.user.id.rawValue.count == 28)
        #expect(signedIn.evidence.proofs.map(\.kind) == [.password])
        #expect(try await test.signIn().isAccomplished)
        #expect(try await test.events(.signedUp).map(\.userID) == [signedIn.user.id])
        #expect(
            try await test.realm.sessions.refresh(signedIn.refreshToken, of: .testClient, by: test.client).refreshed
                != nil)
    }

    @Test
    func `A taken address is refused before a password is hashed`() async throws {
        let test = try await TestRealm.make()
        try await test.addUser()
        let hashed = test.hasher.hashed
        #expect(try await signUp(test).refusal == .addressTaken)
        #expect(try await signUp(test, by: test.client(from: "192.0.2.1")).refusal == .addressTaken)
        #expect(test.hasher.hashed == hashed)
    }

    @Test
    func `A weak password is refused and costs nothing`() async throws {
        let test = try await TestRealm.make()
        let client = test.client(from: "192.0.2.1")
        #expect(
            try await signUp(test, TestRealm.email, "short", by: client).refusal == .weakPassword(.tooShort(minimum: 8))
        )
        #expect(try await signUp(test, TestRealm.email, "password", by: client).refusal == .weakPassword(.common))
        #expect(try await test.counter("sign-ups/192.0.2.1") == nil)
        #expect(test.hasher.hashed == 0)
    }

    @Test
    func `Users cannot sign up where sign-up is closed; an administrator still creates accounts`() async throws {
        let test = try await TestRealm.make()
        try await test.changeSettings { $0.signUp.isOpen = false }
        #expect(try await signUp(test).refusal == .signUpClosed)
        try await test.addUser()
    }

    @Test
    func `Anonymous users are made only where they are allowed`() async throws {
        let test = try await TestRealm.make()
        #expect(try await signUp(test, nil, nil).refusal == .anonymousNotAllowed)
        try await test.changeSettings { $0.signUp.allowsAnonymous = true }
        let signedIn = try #require(await signUp(test, nil, nil).signedIn)
        #expect(signedIn.user.profile.providers == ["anonymous"])
        #expect(signedIn.evidence.proofs.map(\.kind) == [.anonymous])
        let development = try await TestRealm.make(mode: .development)
        #expect(try await signUp(development, nil, nil).signedIn != nil)
    }

    @Test
    func `A source makes a hundred accounts an hour`() async throws {
        let test = try await TestRealm.make()
        let (client, now) = (test.client(from: "192.0.2.1"), test.now)
        try await test.store.write { try $0.put(AttemptCounter(key: "sign-ups/192.0.2.1", count: 99, since: now)) }
        #expect(try await signUp(test, by: client).signedIn != nil)
        #expect(try await signUp(test, TestRealm.otherEmail, by: client).refusal == .limited(until: now + 3600))
        #expect(try await signUp(test, TestRealm.otherEmail).signedIn != nil)
    }

    @Test
    func `Two accounts have neither an id nor an address in common`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let id = try await test.realm.accounts.create(id: user.id, email: nil, password: nil, by: test.client)
        #expect(id == .failure(.idTaken))
        let email = try await test.realm.accounts.create(email: TestRealm.email, password: nil, by: test.client)
        #expect(email == .failure(.addressTaken))
        let weak = try await test.realm.accounts.create(email: nil, password: Secret("x"), by: test.client)
        #expect(weak == .failure(.weakPassword(.tooShort(minimum: 8))))
    }

    @Test
    func `No application has a user's id, and no user an application's`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let applications = test.realm.applications
        let named = try await applications.add(
            id: ClientID(rawValue: user.id.rawValue), ApplicationRegistration(), by: test.client)
        #expect(named == nil)
        #expect(try await applications.add(id: ClientID(rawValue: "shop"), .init(), by: test.client) != nil)
        // Disabled, it is still there.
        _ = try await applications.change(ClientID(rawValue: "shop"), by: test.client) { $0.isDisabled = true }
        let id = UserID(rawValue: "shop")
        let accounts = test.realm.accounts
        #expect(try await accounts.create(id: id, email: nil, password: nil, by: test.client) == .failure(.idTaken))
        let account = PortableAccount(id: id)
        #expect(try await accounts.import([account], by: test.client) == [0: .idTaken])
        #expect(try await accounts.import([account], overwrites: true, by: test.client) == [0: .idTaken])
        for rehearses in [true, false] {
            let outcomes = try await accounts.importAccounts([account], rehearses: rehearses, by: test.client)
            #expect(outcomes == [.refused(.idTaken)])
        }
        #expect(try await accounts.user(id) == nil)
    }

    @Test
    func `No user is called as the log calls the first token, by no way in`() async throws {
        let test = try await TestRealm.make()
        let id = UserID(rawValue: AdministratorToken.actor)
        let accounts = test.realm.accounts
        #expect(try await accounts.create(id: id, email: nil, password: nil, by: test.client) == .failure(.idTaken))
        let account = PortableAccount(id: id)
        for overwrites in [false, true] {
            #expect(try await accounts.import([account], overwrites: overwrites, by: test.client) == [0: .idTaken])
            for rehearses in [true, false] {
                let outcomes = try await accounts.importAccounts(
                    [account], overwrites: overwrites, rehearses: rehearses, by: test.client)
                #expect(outcomes == [.refused(.idTaken)])
            }
        }
        #expect(try await accounts.user(id) == nil)
        let other = PortableAccount(id: UserID(rawValue: "admin-token-2"))
        #expect(try await accounts.importAccounts([other], by: test.client) == [.imported])
    }

    @Test
    func `Users are listed in the order of their ids, page by page`() async throws {
        let test = try await TestRealm.make()
        for index in 0..<5 { try await test.addUser(EmailAddress(kept: "u\(index)@example.org"), password: nil) }
        let all = try await test.realm.accounts.users().map(\.id.rawValue)
        #expect(all == all.sorted() && all.count == 5)
        let first = try await test.realm.accounts.users(limit: 2)
        let rest = try await test.realm.accounts.users(after: first.last?.id, limit: 1000)
        #expect(first.map(\.id.rawValue) + rest.map(\.id.rawValue) == all)
        #expect(try await test.realm.accounts.users(limit: -1).count == 1)
    }

    // MARK: Changing

    private func change(
        _ test: TestRealm, _ user: User, continuing evidence: SessionEvidence? = nil,
        _ edit: (inout AccountChange) -> Void
    ) async throws -> Accounts.ChangeOutcome {
        var change = AccountChange()
        edit(&change)
        return try await test.realm.accounts.change(user.id, change, continuing: evidence, by: test.client)
    }

    @Test
    func `Members that a change does not name stay as they are, and no token ends for what proves nothing`()
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        _ = try await change(test, user) {
            $0.displayName = .some("Ada")
            $0.photoURL = .some("https://example.org/a.png")
            $0.phoneNumber = .some("+441234")
            $0.customClaims = ["role": "admin"]
            $0.emailVerified = false
        }
        var expected = user.profile
        expected.displayName = "Ada"
        expected.photoURL = "https://example.org/a.png"
        expected.phoneNumber = "+441234"
        expected.customClaims = ["role": "admin"]
        expected.emailVerified = false
        let after = try await test.user(user.id)
        #expect(after.profile == expected)
        #expect(after.tokenEpoch == user.tokenEpoch)
        #expect(after.email == user.email)
        _ = try await change(test, user) { _ in }
        #expect(try await test.user(user.id).profile == expected)
        _ = try await change(test, user) {
            $0.displayName = .some(nil)
            $0.photoURL = .some(nil)
            $0.phoneNumber = .some(nil)
            $0.customClaims = [:]
            $0.emailVerified = true
        }
        // That there were claims once is kept.
        var bare = user.profile
        bare.customClaims = [:]
        #expect(try await test.user(user.id).profile == bare)
        #expect(try await test.signIn().isAccomplished)
    }

    @Test
    func `A new address is unproven, revokes tokens, and is the one that signs in`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let session = try #require(await test.signIn().signedIn)
        let outcome = try await change(test, user) { $0.email = .some(TestRealm.otherEmail) }
        let after = try #require(outcome.user)
        #expect(after.email == TestRealm.otherEmail)
        #expect(!after.profile.emailVerified)
        #expect(after.tokenEpoch == user.tokenEpoch + 1)
        #expect(after.tokensValidAfter.seconds == test.now.seconds)
        #expect(
            try await test.realm.sessions.refresh(session.refreshToken, of: .testClient, by: test.client).refusal
                == .ended)
        #expect(try await test.signIn().reason == .wrongAnswer)
        #expect(try await test.signIn(TestRealm.otherEmail).isAccomplished)
        #expect(try await test.events(.emailChanged).count == 1)
    }

    @Test
    func `An administrator may name a new address proven`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let outcome = try await change(test, user) {
            $0.email = .some(TestRealm.otherEmail)
            $0.emailVerified = true
        }
        #expect(outcome.user?.profile.emailVerified == true)
    }

    @Test
    func `A taken address is refused, and nothing else of the change happens`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        try await test.addUser(TestRealm.otherEmail)
        let outcome = try await change(test, user) {
            $0.email = .some(TestRealm.otherEmail)
            $0.password = Secret("difference engine")
            $0.displayName = .some("Eve")
        }
        #expect(outcome.refusal == .addressTaken)
        #expect(try await test.user(user.id) == user)
        #expect(try await test.signIn().isAccomplished)
    }

    @Test
    func `A new password revokes tokens; the session that asked for it goes on with fresh ones`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let session = try #require(await test.signIn().signedIn)
        test.clock.advance(100)
        let outcome = try await change(test, user, continuing: session.evidence) {
            $0.password = Secret("difference engine")
        }
        guard case .changed(let after, let fresh?) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(after.tokenEpoch == user.tokenEpoch + 1)
        #expect(after.passwordChangedAt == test.now)
        #expect(fresh.evidence == session.evidence)
        #expect(fresh.session.tokenEpoch == after.tokenEpoch)
        #expect(
            try await test.realm.sessions.refresh(session.refreshToken, of: .testClient, by: test.client).refusal
                == .ended)
        #expect(
            try await test.realm.sessions.refresh(fresh.refreshToken, of: .testClient, by: test.client).refreshed != nil
        )
        #expect(try await test.signIn().reason == .wrongAnswer)
        #expect(try await test.signIn(password: "difference engine").isAccomplished)
        #expect(try await test.events(.passwordChanged).count == 1)
    }

    @Test
    func `A new password that is the account's address is refused, also the address that comes with it`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let old = try await change(test, user) { $0.password = Secret("ada@example.org") }
        #expect(old.refusal == .weakPassword(.containsAddress))
        let new = try await change(test, user) {
            $0.email = .some(TestRealm.otherEmail)
            $0.password = Secret("augusta@example.org")
        }
        #expect(new.refusal == .weakPassword(.containsAddress))
    }

    @Test
    func `A removed password signs in no more, and looks like none`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let outcome = try await change(test, user) { $0.removesPassword = true }
        #expect(outcome.user?.tokenEpoch == user.tokenEpoch + 1)
        #expect(outcome.user?.profile.providers == [])
        #expect(try await test.signIn().reason == .wrongAnswer)
        #expect(test.hasher.verified.last == test.hasher.decoy)
        _ = try await change(test, user) { $0.password = Secret("difference engine") }
        #expect(try await test.signIn(password: "difference engine").isAccomplished)
    }

    @Test
    func `Being disabled and enabled is logged once each`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        for isDisabled in [true, true, false, false] { _ = try await change(test, user) { $0.isDisabled = isDisabled } }
        #expect(try await test.events(.userDisabled).count == 1)
        #expect(try await test.events(.userEnabled).count == 1)
        #expect(try await test.signIn().isAccomplished)
    }

    @Test
    func `Tokens are revoked as of the instant that is named, never of an earlier one than before`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let later = test.now + 1.5
        let first = try await change(test, user) { $0.revokesTokensAt = later }
        #expect(first.user?.tokensValidAfter.seconds == test.now.seconds + 1)
        let second = try await change(test, user) { $0.revokesTokensAt = Date(microseconds: 0) }
        #expect(second.user?.tokensValidAfter.seconds == test.now.seconds + 1)
        // What is long past refuses older tokens, and ends no session of today.
        #expect(second.user?.tokenEpoch == user.tokenEpoch + 1)
        #expect(try await test.events(.tokensRevoked).count == 2)
    }

    @Test
    func `An anonymous user who gets an address and a password is none any more`() async throws {
        let test = try await TestRealm.make(mode: .development)
        let user = try #require(await signUp(test, nil, nil).signedIn).user
        let outcome = try await change(test, user) {
            $0.email = .some(TestRealm.email)
            $0.password = Secret(TestRealm.password)
        }
        #expect(outcome.user?.profile.providers == ["password"])
        #expect(try await test.signIn().signedIn?.user.id == user.id)
    }

    @Test
    func `A user who does not exist cannot be changed`() async throws {
        let test = try await TestRealm.make()
        let outcome = try await change(test, User(id: UserID(rawValue: "x"), email: nil, createdAt: test.now)) { _ in }
        #expect(outcome.refusal == .userNotFound)
    }

    @Test
    func `A deleted user takes factors, flows and sessions along, and frees the address; the log stays`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let pending = try await test.pending().handle
        #expect(try await test.realm.accounts.delete(enrolled.user.id, by: test.client))
        #expect(try await !test.realm.accounts.delete(enrolled.user.id, by: test.client))
        let left = try await test.store.read { transaction in
            (
                try transaction.factors(of: enrolled.user.id).count, try transaction.flow(digest: pending.digest),
                try transaction.sessions(of: enrolled.user.id, limit: 10).count
            )
        }
        #expect(left.0 == 0 && left.1 == nil && left.2 == 0)
        let kinds = try await test.realm.auditLog.events(of: enrolled.user.id).map(\.kind)
        #expect(kinds.contains(.userDeleted) && kinds.contains(.factorEnrolled))
        try await test.addUser()
        #expect(try await test.signIn().isAccomplished)
    }
}

extension Accounts.SignUpOutcome {
    var signedIn: SignedIn? { if case .signedUp(let signedIn) = self { signedIn } else { nil } }
    var refusal: AccountRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

extension Accounts.ChangeOutcome {
    var user: User? { if case .changed(let user, _) = self { user } else { nil } }
    var refusal: AccountRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}
