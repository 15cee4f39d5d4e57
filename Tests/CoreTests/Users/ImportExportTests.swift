import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore

@Suite("Import and export of accounts")
struct ImportExportTests {
    private static let secret = Secret(Array("12345678901234567890".utf8))

    private static func factor(
        _ id: String? = "f", name: String = "Phone", secret: Secret<[UInt8]> = secret, lastStep: UInt64? = nil
    ) throws -> PortableTOTP {
        try #require(
            PortableTOTP(
                id: id.map(FactorID.init(rawValue:)), name: name, enrolledAt: Date(microseconds: 1_600_000_000_000_000),
                secret: secret, lastStep: lastStep))
    }

    private static func account(_ id: String = "ada", hash: String? = "$fast$1$1$x") throws -> PortableAccount {
        PortableAccount(
            id: UserID(rawValue: id), email: EmailAddress(kept: "\(id)@example.org"),
            profile: UserProfile(
                emailVerified: true, displayName: "Ada", photoURL: "https://example.org/a", phoneNumber: nil,
                customClaims: ["role": "x"], attributes: ["team": .integer(3)], providers: ["emailLink"]),
            createdAt: Date(microseconds: 1_600_000_000_123_000),
            lastSignInAt: Date(microseconds: 1_700_000_000_000_000),
            passwordChangedAt: Date(microseconds: 1_650_000_000_000_000),
            password: hash.map { .hash(StoredPasswordHash(Secret($0))) }, secondFactors: [try factor()])
    }

    @Test(arguments: TestStore.available)
    func `An export of one realm creates the same accounts in another`(store: TestStore) async throws {
        let old = try await TestRealm.make(on: store)
        let enrolled = try await old.addEnrolledUser()
        try await old.addUser(EmailAddress(kept: "bert@example.org"), password: nil, verified: false)
        var change = AccountChange()
        change.customClaims = ["role": "admin"]
        change.phoneNumber = .some("+15555550100")
        change.displayName = .some("Ada")
        _ = try await old.realm.accounts.change(enrolled.user.id, change, by: old.client)
        let device = TestDevice()
        let enrolment = try await old.enrol(device, of: enrolled.user.id)
        let (accounts, next, _) = try await old.realm.accounts.exportAccounts(after: nil, limit: 10, by: old.client)
        #expect(accounts.count == 2 && next == nil)

        let new = try await TestRealm.make(on: store, seed: 2)
        new.clock.advance(old.now.timeIntervalSince(new.now))
        let outcomes = try await new.realm.accounts.importAccounts(accounts, by: new.client)
        #expect(outcomes == [.imported, .imported])
        let (before, after) = (try await old.user(enrolled.user.id), try await new.user(enrolled.user.id))
        #expect(after.email == before.email && after.profile == before.profile)
        #expect(after.createdAt == before.createdAt && after.passwordChangedAt == before.passwordChangedAt)
        #expect(after.lastSignInAt == before.lastSignInAt)

        // The password signs in; the code that the authenticator shows now is taken, and one that was used is not.
        let handle = try await new.pending().handle
        let used = enrolled.totp.code(at: new.now - 30).stringCode
        #expect(try await new.answer(used, of: enrolled.factor.id, for: handle).reason == .replayed)
        let code = enrolled.totp.code(at: new.now).stringCode
        #expect(try await new.answer(code, of: enrolled.factor.id, for: handle).isAccomplished)
        #expect(
            try await new.realm.accounts.importAccounts(accounts, by: new.client) == [.alreadyThere, .alreadyThere])

        // The device answers here as it did there, and the recovery code is the same.
        let waiting = try await new.pending().handle
        _ = try await new.ask(for: waiting)
        let request = try await new.request(to: enrolment.factor.id)
        let verdict = try await new.decide(device.answer(to: request, at: new.now), request.handle)
        #expect(verdict.decision?.isAllowed == true)
        let kinds = try await new.store.read { try $0.factors(of: enrolled.user.id) }.map(\.kind)
        #expect(Set(kinds) == [.password, .totp, .push, .recoveryCode])
        #expect(accounts.flatMap(\.otherFactors).allSatisfy { $0.content != nil })
        for factor in accounts.flatMap(\.otherFactors) {
            let content = try #require(factor.content)
            let again = PortableFactor(
                id: factor.id, kind: factor.kind, name: "", enrolledAt: nil, lastUsedAt: nil, content: content)
            #expect(again?.content == content, "What is written is read.")
        }
    }

    @Test(arguments: TestStore.available)
    func `The same once more changes nothing and says nothing`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let accounts = try (0..<250).map { try Self.account("u\($0)").with(factor: "f\($0)") }
        let first = try await test.realm.accounts.importAccounts(Array(accounts.prefix(130)), by: test.client)
        #expect(first == Array(repeating: .imported, count: 130))
        let second = try await test.realm.accounts.importAccounts(accounts, by: test.client)
        #expect(second == Array(repeating: .alreadyThere, count: 130) + Array(repeating: .imported, count: 120))
        let events = try await test.events(.usersImported)
        // In transactions of a hundred; the first hundred of the second run were all there, and are in no event.
        let counts = Set(events.map { $0.details["imported"] })
        #expect(events.count == 4 && counts == [.integer(100), .integer(30), .integer(70), .integer(50)])
        #expect(events.allSatisfy { $0.userID == nil })
        #expect(try await test.events(.userImported).isEmpty)
        #expect(try await test.realm.accounts.count() == 250)
    }

    @Test
    func `What use has changed is no difference, and everything else is`() async throws {
        let test = try await TestRealm.make()
        let password = try await test.hasher.hash(Secret(TestRealm.password))
        let account = try Self.account(hash: password)
        #expect(try await test.realm.accounts.importAccounts([account], by: test.client) == [.imported])
        test.hasher.raiseGeneration()
        let signedIn = try await test.signIn(EmailAddress(kept: "ada@example.org"))
        let totp = try TOTP(secret: Self.secret.reveal())
        let handle = try #require(signedIn.continuation?.handle)
        _ = try await test.answer(
            totp.code(at: test.now).stringCode, of: FactorID(rawValue: "f"), for: handle)
        let user = try await test.user(account.id)
        #expect(user.lastSignInAt == test.now)
        // The password is hashed again by now, and the step is used up.
        #expect(try await test.realm.accounts.importAccounts([account], by: test.client) == [.alreadyThere])
        #expect(try await test.user(account.id) == user)

        let changes: [(AccountDifference, @Sendable (inout PortableAccount) throws -> Void)] = [
            (.email, { $0.email = EmailAddress(kept: "other@example.org") }),
            (.displayName, { $0.profile.displayName = nil }),
            (.photoURL, { $0.profile.photoURL = "https://example.org/b" }),
            (.phoneNumber, { $0.profile.phoneNumber = "+15555550100" }),
            (.isDisabled, { $0.isDisabled = true }),
            (.customClaims, { $0.profile.customClaims = [:] }),
            (.attributes, { $0.profile.attributes = ["team": .integer(4)] }),
            (.providers, { $0.profile.providers = ["custom"] }),
            (.createdAt, { $0.createdAt = Date(microseconds: 1_600_000_000_124_000) }),
            (.password, { $0.password = nil }),
            (.password, { $0.passwordChangedAt = nil }),
            (.password, { $0.password = .hash(StoredPasswordHash(Secret("$fast$2$other$x"))) }),
            (.secondFactors, { $0.secondFactors = [] }),
            (.secondFactors, { $0.secondFactors = [try Self.factor("g")] }),
            (.secondFactors, { $0.secondFactors = [try Self.factor(name: "Tablet")] }),
            (.secondFactors, { $0.secondFactors = [try Self.factor(secret: Secret([1]))] }),
        ]
        for (difference, change) in changes {
            var other = account
            try change(&other)
            let outcome = try await test.realm.accounts.importAccounts([other], by: test.client)
            #expect(outcome == [.refused(.different([difference]))])
        }
        let same: [@Sendable (inout PortableAccount) throws -> Void] = [
            { $0.createdAt = $0.createdAt.map { $0 + 0.000_4 } },
            { $0.lastSignInAt = nil },
            { $0.profile.emailVerified = false },
            { $0.profile.providers = [] },
            { $0.secondFactors = [try Self.factor(nil, lastStep: 7)] },
        ]
        for change in same {
            var other = account
            try change(&other)
            #expect(try await test.realm.accounts.importAccounts([other], by: test.client) == [.alreadyThere])
        }
        #expect(try await test.user(account.id) == user)
    }

    @Test
    func `A different user is replaced only on request; then tokens end, and the log names the user`() async throws {
        let test = try await TestRealm.make()
        let enrolled = try await test.addEnrolledUser()
        let old = try await test.user(enrolled.user.id)
        let password = try await test.hasher.hash(Secret("brought along"))
        var account = try Self.account(old.id.rawValue, hash: password)
        account.email = TestRealm.email
        account.secondFactors = []
        let refused = try await test.realm.accounts.importAccounts([account], by: test.client)
        guard case .refused(.different)? = refused.first else {
            Issue.record("\(refused)")
            return
        }
        #expect(try await test.user(old.id) == old)
        let replaced = try await test.realm.accounts.importAccounts([account], overwrites: true, by: test.client)
        #expect(replaced == [.replaced])
        let new = try await test.user(old.id)
        #expect(new.tokenEpoch == old.tokenEpoch + 1)
        #expect(try await test.signIn().reason == .wrongAnswer)
        #expect(try await test.signIn(password: "brought along").isAccomplished)
        #expect(
            try await test.realm.sessions.refresh(enrolled.signedIn.refreshToken, of: .testClient, by: test.client)
                .refusal != nil)
        #expect(try await test.events(.userImported).map(\.userID) == [old.id])
        // Once more revokes nothing.
        #expect(
            try await test.realm.accounts.importAccounts([account], overwrites: true, by: test.client) == [
                .alreadyThere
            ])
        #expect(try await test.user(old.id).tokenEpoch == new.tokenEpoch)
    }

    @Test(arguments: TestStore.available)
    func `A replaced user was made and used when the kept one was, unless the import says when`(store: TestStore)
        async throws
    {
        let test = try await TestRealm.make(on: store)
        var account = try Self.account()
        account.secondFactors = []
        #expect(try await test.realm.accounts.importAccounts([account], by: test.client) == [.imported])
        _ = try await test.realm.administrators.grant(.owner, to: account.id, by: test.client).get()
        var owner = test.client
        owner.administrator = "user:\(account.id)"
        let token = try await test.realm.machineTokens.add(
            name: "backup", scopes: [.all], lifetime: 86_400, by: owner
        ).get()
        let made = try await test.user(account.id)
        func replaced(_ change: (inout PortableAccount) -> Void) async throws -> User {
            test.clock.advance(60)
            change(&account)
            let outcomes = try await test.realm.accounts.importAccounts([account], overwrites: true, by: test.client)
            #expect(outcomes == [.replaced])
            return try await test.user(account.id)
        }
        let silent = try await replaced {
            $0.profile.displayName = "Ada L."
            ($0.createdAt, $0.lastSignInAt, $0.passwordChangedAt) = (nil, nil, nil)
        }
        #expect(silent.profile.displayName == "Ada L." && silent.tokenEpoch == made.tokenEpoch + 1)
        #expect(silent.createdAt == made.createdAt && silent.lastSignInAt == made.lastSignInAt)
        #expect(try await test.realm.machineTokens.judge(token.text)?.get().id == token.token.id)
        // The same once more is no difference.
        let again = try await test.realm.accounts.importAccounts([account], overwrites: true, by: test.client)
        #expect(again == [.alreadyThere])
        let date = Date(microseconds: 1_500_000_000_000_000)
        let named = try await replaced { ($0.createdAt, $0.lastSignInAt) = (date, date + 60) }
        #expect(named.createdAt == date && named.lastSignInAt == date + 60)
    }

    @Test(arguments: TestStore.available)
    func `An import leaves an owner who can sign in, however many of them it takes`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        var accounts = try ["a", "b", "c"].map { try Self.account($0).with(factor: "f\($0)") }
        for index in accounts.indices { accounts[index].role = .owner }
        #expect(
            try await test.realm.accounts.importAccounts(accounts, by: test.client)
                == Array(repeating: .imported, count: 3))
        accounts[0].role = .auditor
        accounts[1].isDisabled = true
        accounts[2].role = .support
        // A rehearsal says what will be.
        for rehearses in [true, false] {
            let outcomes = try await test.realm.accounts.importAccounts(
                accounts, overwrites: true, rehearses: rehearses, by: test.client)
            #expect(outcomes == [.replaced, .replaced, .refused(.lastOwner)])
        }
        let roles = try await test.store.read { [accounts] transaction in
            try accounts.map { try transaction.administrator($0.id)?.role }
        }
        #expect(roles == [.auditor, .owner, .owner])
    }

    @Test(arguments: TestStore.available)
    func `What stands in the way of one is no obstacle to the others`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        var there = try Self.account("there")
        there.profile.phoneNumber = "+15555550100"
        #expect(try await test.realm.accounts.importAccounts([there], by: test.client) == [.imported])
        var address = try Self.account("a").with(factor: "fa")
        address.email = there.email
        var number = try Self.account("b").with(factor: "fb")
        number.profile.phoneNumber = "+15555550100"
        let factor = try Self.account("c")
        var factors = try Self.account("d")
        factors.secondFactors = [try Self.factor(nil), try Self.factor(nil)]
        var twin = try Self.account("e").with(factor: "fe")
        twin.email = EmailAddress(kept: "good@example.org")
        let good = try Self.account("good").with(factor: "fg")
        var long = try Self.account("f").with(factor: "ff")
        long.password = .text(Secret(String(repeating: "x", count: PasswordPolicy.maximumLength + 1)))
        let all = [address, number, factor, factors, good, twin, long]
        let expected: [ImportOutcome] = [
            .refused(.addressTaken), .refused(.phoneNumberTaken), .refused(.factorIDTaken), .refused(.tooManyFactors),
            .imported, .refused(.addressTaken), .refused(.passwordTooLong),
        ]
        #expect(try await test.realm.accounts.importAccounts(all, by: test.client) == expected)
        #expect(try await test.realm.accounts.count() == 2)
    }

    @Test
    func `A rehearsal writes nothing, not even a line of the log, and hashes nothing`() async throws {
        let test = try await TestRealm.make()
        var clear = try Self.account("b").with(factor: "fb")
        clear.password = .text(Secret("a password in the clear"))
        let log = try await test.realm.auditLog.events()
        let hashed = test.hasher.hashed
        let outcomes = try await test.realm.accounts.importAccounts(
            [try Self.account(), clear], rehearses: true, by: test.client)
        #expect(outcomes == [.imported, .imported])
        #expect(try await test.realm.accounts.count() == 0)
        #expect(try await test.realm.auditLog.events() == log)
        #expect(test.hasher.hashed == hashed)
    }

    @Test
    func `A password in the clear is hashed once, however often its row comes`() async throws {
        let test = try await TestRealm.make()
        var account = PortableAccount(id: UserID(rawValue: "a"), email: TestRealm.email)
        account.password = .text(Secret("brought along"))
        #expect(try await test.realm.accounts.importAccounts([account], by: test.client) == [.imported])
        test.clock.advance(60)
        #expect(try await test.realm.accounts.importAccounts([account], by: test.client) == [.alreadyThere])
        #expect(test.hasher.hashed == 1)
        #expect(try await test.signIn(password: "brought along").isAccomplished)
        // A user who changed the password keeps it.
        var change = AccountChange()
        change.password = Secret("chosen afterwards")
        _ = try await test.realm.accounts.change(account.id, change, by: test.client)
        #expect(
            try await test.realm.accounts.importAccounts([account], by: test.client) == [
                .refused(.different([.password]))
            ])
    }

    @Test(arguments: TestStore.available)
    func `Many runs at once make each user once`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let accounts = try (0..<20).map { try Self.account("u\($0)").with(factor: "f\($0)") }
        let outcomes = try await withThrowingTaskGroup(of: [ImportOutcome].self) { group in
            for _ in 0..<5 {
                group.addTask { try await test.realm.accounts.importAccounts(accounts, by: test.client) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for index in accounts.indices {
            let own = outcomes.map { $0[index] }
            #expect(own.count { $0 == .imported } == 1)
            #expect(own.count { $0 == .alreadyThere } == 4)
        }
        #expect(try await test.realm.accounts.count() == 20)
    }

    @Test
    func `Pages of an export have every user once, and one that names no run is in the log for itself`() async throws {
        let test = try await TestRealm.make()
        let accounts = try (0..<7).map { try Self.account("u\($0)").with(factor: "f\($0)") }
        _ = try await test.realm.accounts.importAccounts(accounts, by: test.client)
        var (ids, after): ([String], UserID?) = ([], nil)
        repeat {
            let page = try await test.realm.accounts.exportAccounts(after: after, limit: 3, by: test.client)
            ids += page.accounts.map(\.id.rawValue)
            after = page.next
        } while after != nil
        #expect(ids == (0..<7).map { "u\($0)" })
        let events = try await test.events(.usersExported)
        // The first says how many there are, as the others may name it.
        #expect(
            events.count == 3
                && Set(events.map { $0.details["users"] }) == [.integer(1), .integer(3), .integer(7)])
    }

    @Test
    func `Pages that name their run are one event, for an hour and for no other run`() async throws {
        let test = try await TestRealm.make()
        let accounts = try (0..<7).map { try Self.account("u\($0)").with(factor: "f\($0)") }
        _ = try await test.realm.accounts.importAccounts(accounts, by: test.client)
        var (count, after, run): (Int, UserID?, String?) = (0, nil, nil)
        repeat {
            let page = try await test.realm.accounts.exportAccounts(after: after, limit: 3, run: run, by: test.client)
            count += page.accounts.count
            (after, run) = (page.next, page.run)
        } while after != nil
        #expect(count == 7)
        let events = try await test.events(.usersExported)
        #expect(events.map { $0.details["users"] } == [.integer(7)])

        let second = UserID(rawValue: "u1")
        _ = try await test.realm.accounts.exportAccounts(after: second, limit: 3, run: "invented", by: test.client)
        #expect(try await test.events(.usersExported).count == 2)
        test.clock.advance(ImportExportRuns.longest + 1)
        _ = try await test.realm.accounts.exportAccounts(after: second, limit: 3, run: run, by: test.client)
        #expect(try await test.events(.usersExported).count == 3)
    }

    @Test(arguments: TestStore.available)
    func `An import of several calls is one event, when it is over`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let accounts = try (0..<250).map { try Self.account("u\($0)").with(factor: "f\($0)") }
        var run = try #require(ImportRun(id: "run"))
        _ = try await test.realm.accounts.importAccounts(Array(accounts.prefix(130)), run: run, by: test.client)
        _ = try await test.realm.accounts.importAccounts(accounts, run: run, by: test.client)
        #expect(try await test.events(.usersImported).isEmpty)
        run.isLast = true
        for _ in 0..<2 { _ = try await test.realm.accounts.importAccounts([], run: run, by: test.client) }
        let events = try await test.events(.usersImported)
        #expect(events.map { $0.details["imported"] } == [.integer(250)])
        #expect(events.first?.clientID == test.client.clientID && events.first?.userID == nil)
    }

    @Test
    func `An import that broke off, or that goes on for hours, is in the log all the same`() async throws {
        let test = try await TestRealm.make()
        let accounts = try (0..<20).map { try Self.account("u\($0)").with(factor: "f\($0)") }
        let broken = try #require(ImportRun(id: "broken"))
        _ = try await test.realm.accounts.importAccounts(Array(accounts.prefix(5)), run: broken, by: test.client)
        test.clock.advance(ImportExportRuns.silence)
        try await test.realm.maintenance.run()
        #expect(try await test.events(.usersImported).isEmpty)
        test.clock.advance(1)
        try await test.realm.maintenance.run()
        #expect(try await test.events(.usersImported).map { $0.details["imported"] } == [.integer(5)])

        let long = try #require(ImportRun(id: "long"))
        for index in 5..<20 {
            _ = try await test.realm.accounts.importAccounts([accounts[index]], run: long, by: test.client)
            test.clock.advance(300)
            try await test.realm.maintenance.run()
        }
        let counts = try await test.events(.usersImported).compactMap { event -> Int64? in
            if case .integer(let count)? = event.details["imported"] { count } else { nil }
        }
        #expect(counts.count == 2 && counts.reduce(0, +) > 15, "\(counts)")
        #expect(ImportRun(id: "") == nil && ImportRun(id: String(repeating: "a", count: 65)) == nil)
    }
}

extension PortableAccount {
    /// The same with another factor's id, which is one user's.
    fileprivate func with(factor id: String) -> PortableAccount {
        var result = self
        for index in result.secondFactors.indices { result.secondFactors[index].id = FactorID(rawValue: id) }
        return result
    }
}
