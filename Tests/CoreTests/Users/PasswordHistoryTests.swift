import Foundation
import Testing

@testable import CountersignCore

/// A password that an account has, or had lately, is no new one.
@Suite("Passwords that come again")
struct PasswordHistoryTests {
    private static let passwords = ["difference engine", "jacquard's loom", "bernoulli numbers", "table of logarithms"]

    /// A realm that is asked by native authentication, which has a word for passwords that come again.
    private func native(on store: TestStore = .sqlite) async throws -> TestRealm {
        var test = try await TestRealm.make(on: store)
        test.client.dialect = .nativeAuth
        test.client.refusesFormerPasswords = true
        return test
    }

    /// As an administrator does it.
    private func give(_ password: String, to user: User, _ test: TestRealm) async throws -> Accounts.ChangeOutcome {
        var change = AccountChange()
        change.password = Secret(password)
        return try await test.realm.accounts.change(user.id, change, by: test.client)
    }

    /// As its owner does it, with a session of now.
    private func set(
        _ password: String, of user: User, _ test: TestRealm, _ edit: (inout AccountChange) -> Void = { _ in }
    ) async throws -> Accounts.ChangeOutcome {
        var change = AccountChange()
        change.password = Secret(password)
        edit(&change)
        let epoch = try await test.user(user.id).tokenEpoch
        return try await test.realm.accounts.change(
            user.id, change, continuing: test.evidence,
            of: OwnSession(userID: user.id, evidence: test.evidence, epoch: epoch), by: test.client)
    }

    private func payload(of user: User, _ test: TestRealm) async throws -> PasswordFactor.Payload {
        let factor = try #require(
            await test.store.read { try $0.factors(of: user.id).first { $0.kind == .password } })
        return try JSONDecoder().decode(
            PasswordFactor.Payload.self, from: test.realm.sealer.open(factor.payload, for: .factor(factor.id)))
    }

    @Test(
        arguments: TestStore.available)
    func `The present password and the two before it are refused, an older one is taken`(store: TestStore) async throws
    {
        let test = try await native(on: store)
        let user = try await test.addUser()
        #expect(try await set(TestRealm.password, of: user, test).refusal == .weakPassword(.recentlyUsed))
        for password in Self.passwords.prefix(2) {
            #expect(try await set(password, of: user, test).user != nil)
        }
        for password in [TestRealm.password] + Self.passwords.prefix(2) {
            #expect(try await set(password, of: user, test).refusal == .weakPassword(.recentlyUsed))
        }
        #expect(try await test.signIn(password: Self.passwords[1]).isAccomplished)
        #expect(try await set(Self.passwords[2], of: user, test).user != nil)
        #expect(try await set(TestRealm.password, of: user, test).user != nil)
        #expect(try await payload(of: user, test).last(99).count == 3)
    }

    @Test
    func `An administrator gives any of them, as often as they like, and what they gave is remembered`() async throws {
        let test = try await native()
        let user = try await test.addUser()
        for password in [TestRealm.password, Self.passwords[0], Self.passwords[0], TestRealm.password] {
            #expect(try await give(password, to: user, test).user != nil)
        }
        #expect(test.hasher.verified.isEmpty)
        #expect(try await set(Self.passwords[0], of: user, test).refusal == .weakPassword(.recentlyUsed))
    }

    @Test(arguments: [0, 1, 10])
    func `How many is a setting: none, the present one alone, or ten`(count: Int) async throws {
        let test = try await native()
        let user = try await test.addUser()
        try await test.changeSettings { $0.passwords.remembered = count }
        #expect(
            try await set(TestRealm.password, of: user, test).refusal
                == (count == 0 ? nil : .weakPassword(.recentlyUsed)))
        let looked = test.hasher.verified.count
        #expect(looked == min(count, 1), "Nothing is looked at that is not asked for.")
        for number in 0..<12 { #expect(try await set("password of day \(number)", of: user, test).user != nil) }
        #expect(try await payload(of: user, test).last(99).count == max(count, 1))
        for number in 0..<12 {
            let isRecent = number >= 12 - count
            let outcome = try await set("password of day \(number)", of: user, test)
            #expect((outcome.refusal == .weakPassword(.recentlyUsed)) == isRecent, "\(number)")
            // What was taken would push others out.
            if !isRecent { break }
        }
    }

    @Test
    func `With a smaller setting fewer are looked at, and the others go with the next password`() async throws {
        let test = try await native()
        let user = try await test.addUser()
        for password in Self.passwords.prefix(2) { _ = try await set(password, of: user, test) }
        try await test.changeSettings { $0.passwords.remembered = 2 }
        #expect(try await set(Self.passwords[0], of: user, test).refusal == .weakPassword(.recentlyUsed))
        #expect(try await set(TestRealm.password, of: user, test).user != nil)
        #expect(try await payload(of: user, test).last(99).count == 2)
    }

    @Test
    func `A reset by a link refuses it too, and the link stays good`() async throws {
        let test = try await native()
        _ = try await test.addUser()
        let link = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
        let refusal = try await test.follow(link, newPassword: TestRealm.password).refusal
        #expect(refusal == Refusal(.weakPassword, passwordFault: .recentlyUsed))
        #expect(try await test.follow(link, newPassword: Self.passwords[0]).isAccomplished)
        let next = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
        #expect(try await test.follow(next, newPassword: TestRealm.password).refusal?.passwordFault == .recentlyUsed)
    }

    @Test
    func `A reset step by step refuses it; the same right request that comes twice is the same`() async throws {
        let test = try await native()
        _ = try await test.addUser()
        let handle = try await test.begin(.resetPassword(TestRealm.email))
        let code = try await test.askForCode(handle)
        #expect(try await test.give(code: code, to: handle).step != nil)
        func submit(_ password: String) async throws -> Verdict {
            try await test.give(.newPassword(Secret(password)), to: handle, request: "submit \(password)")
        }
        #expect(try await submit(TestRealm.password).refusal?.passwordFault == .recentlyUsed)
        #expect(try await submit(Self.passwords[0]).step == .complete)
        #expect(try await submit(Self.passwords[0]).step == .complete)
        #expect(try await test.events(.passwordReset).count == 1)
    }

    @Test
    func `The request that set the password just now is not told that it was used`() async throws {
        let test = try await native()
        _ = try await test.addUser()
        let handle = try await test.begin(.resetPassword(TestRealm.email))
        let code = try await test.askForCode(handle)
        _ = try await test.give(code: code, to: handle)
        let submit: @Sendable () async throws -> Verdict = {
            try await test.give(.newPassword(Secret(Self.passwords[0])), to: handle, request: "submit")
        }
        let looked = test.hasher.verified.count
        // While the second looks at what is remembered, the first is done.
        test.hasher.meanwhile { count in
            guard count == looked + 1 else { return }
            test.hasher.meanwhile(nil)
            let step = try await submit().step
            #expect(step == .complete)
        }
        #expect(try await submit().step == .complete)
        #expect(try await test.events(.passwordReset).count == 1)
    }

    @Test
    func `A user with a session cannot try passwords by it: refused tries are counted, and a new password forgives`()
        async throws
    {
        let test = try await native()
        let user = try await test.addUser()
        try await test.addUser(TestRealm.otherEmail)
        for index in 0..<10 {
            // A change that cannot succeed would tell right guesses from wrong ones.
            let isRight = index.isMultiple(of: 2)
            let outcome = try await set(isRight ? TestRealm.password : "guess number \(index)", of: user, test) {
                $0.email = .some(TestRealm.otherEmail)
            }
            #expect(outcome.refusal == (isRight ? .weakPassword(.recentlyUsed) : .addressTaken))
        }
        let looked = test.hasher.verified.count
        let limited = try await set(TestRealm.password, of: user, test)
        #expect(limited.refusal == .newPasswordsLimited(until: test.now + 3600))
        #expect(test.hasher.verified.count == looked)
        let link = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
        #expect(try await test.follow(link, newPassword: Self.passwords[0]).refusal?.reason == .sourceLimited)
        // Administrators are not.
        #expect(try await give(Self.passwords[0], to: user, test).user != nil)
        #expect(try await set(Self.passwords[1], of: user, test).user != nil)
    }

    @Test
    func `Fifty tries at once are looked at ten times`() async throws {
        let test = try await native()
        let user = try await test.addUser()
        let outcomes = try await withThrowingTaskGroup(of: Accounts.ChangeOutcome.self) { group in
            for _ in 0..<50 { group.addTask { try await set(TestRealm.password, of: user, test) } }
            return try await group.reduce(into: [Accounts.ChangeOutcome]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0.refusal == .weakPassword(.recentlyUsed) } == 10)
        #expect(test.hasher.verified.count == 10)
    }

    @Test
    func `Where passwords cannot be looked at, nothing is counted`() async throws {
        let test = try await native()
        let user = try await test.addUser()
        test.hasher.meanwhile { _ in throw PasswordHashingOverload(retryAfter: 1) }
        await #expect(throws: PasswordHashingOverload.self) { try await set("another one", of: user, test) }
        #expect(try await test.counter("new-passwords/\(user.id)")?.count == 0)
    }

    @Test
    func `A sign-in that hashes the password anew forgets none`() async throws {
        let test = try await native()
        let user = try await test.addUser()
        _ = try await set(Self.passwords[0], of: user, test)
        test.hasher.raiseGeneration()
        #expect(try await test.signIn(password: Self.passwords[0]).isAccomplished)
        #expect(try await set(TestRealm.password, of: user, test).refusal == .weakPassword(.recentlyUsed))
        #expect(try await set(Self.passwords[0], of: user, test).refusal == .weakPassword(.recentlyUsed))
    }

    @Test
    func `What is remembered is sealed, is not exported and goes with the account`() async throws {
        let test = try await native()
        let user = try await test.addUser()
        _ = try await set(Self.passwords[0], of: user, test)
        _ = try await set(Self.passwords[0], of: user, test)
        let kept = try await payload(of: user, test)
        let earlier = try #require(kept.earlier?.first)
        let factor = try #require(await test.store.read { try $0.factors(of: user.id).first })
        #expect(!String(decoding: factor.payload, as: UTF8.self).contains("$fast$"))
        let moving = try await test.realm.accounts.exportAccounts(after: nil, limit: 10, by: test.client).accounts
        guard case .hash(let hash)? = moving.first?.password else { throw TestFailure() }
        #expect(hash.text.reveal() == kept.hash && hash.text.reveal() != earlier)
        #expect(moving.first?.otherFactors.isEmpty == true)
        let data = try #require(await test.realm.accounts.personalData(user.id, by: test.client))
        #expect(data.limits.contains { $0.subject == .newPasswords && $0.counter.count == 1 })
        #expect(try await test.realm.accounts.delete(user.id, by: test.client))
        #expect(try await test.counter("new-passwords/\(user.id)") == nil)
        #expect(try await test.store.read { try $0.factors(of: user.id) }.isEmpty)
    }

    @Test(
        arguments: [Dialect.identityToolkit, .guardian])
    func `Protocols that have no word for it take any, and look at none`(dialect: Dialect) async throws {
        var test = try await TestRealm.make()
        test.client.dialect = dialect
        let user = try await test.addUser()
        for password in [TestRealm.password, TestRealm.password, Self.passwords[0], TestRealm.password] {
            #expect(try await set(password, of: user, test).user != nil)
        }
        let link = try #require(await test.mailLink(.resetPassword(TestRealm.email)))
        #expect(try await test.follow(link, newPassword: TestRealm.password).isAccomplished)
        #expect(test.hasher.verified.isEmpty)
    }
}
