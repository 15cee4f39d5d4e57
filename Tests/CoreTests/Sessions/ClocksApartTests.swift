import Foundation
import TestSupport
import Testing

@testable import CountersignCore

/// Two servers on one store whose clocks differ, played by realms.
@Suite("Servers whose clocks differ")
struct ClocksApartTests {
    /// The clock of a machine that is wrong by some seconds.
    private struct WrongClock: WallClock {
        let right: ManualClock
        let error: TimeInterval

        var now: Date { Date(microseconds: (right.now + error).microseconds) }
        var displacement: TimeInterval { right.displacement }
    }

    /// Seconds that the second server's clock is ahead.
    private static let errors: [TimeInterval] = [-120, -12, -2, -0.1, 0.1, 2, 12, 120]

    /// Another server on the store of the first.
    private func neighbour(of first: TestRealm, aheadBy error: TimeInterval) -> TestRealm {
        let random = SeededRandom(seed: UInt64(1000 + error * 10 + 10_000))
        let realm = Realm(
            store: first.store, clock: WrongClock(right: first.clock, error: error), random: random,
            sealer: first.realm.sealer, hasher: first.hasher)
        return TestRealm(realm: realm, clock: first.clock, random: random, hasher: first.hasher)
    }

    private func isGood(_ signedIn: SignedIn, issuedBy issuer: TestRealm, at judge: TestRealm) async throws -> Bool {
        try await judge.refusal(
            ofTokenFor: signedIn.user.id, epoch: signedIn.session.tokenEpoch, issuedAt: issuer.realm.clock.now.seconds)
            == nil
    }

    @Test(
        arguments: TestStore.available)
    func `A user who signs in at one server after a new password at the other has tokens that count at both`(
        store: TestStore
    ) async throws {
        let first = try await TestRealm.make(on: store)
        let user = try await first.addUser()
        for error in Self.errors {
            let second = neighbour(of: first, aheadBy: error)
            for (changer, host) in [(first, second), (second, first)] {
                let before = try #require(await host.signIn().signedIn)
                var change = AccountChange()
                change.password = Secret(TestRealm.password)
                guard case .changed = try await changer.realm.accounts.change(user.id, change, by: first.client) else {
                    Issue.record("the password was not changed")
                    return
                }
                let after = try #require(await host.signIn().signedIn)
                for judge in [first, second] {
                    #expect(try await isGood(after, issuedBy: host, at: judge), "\(error) s")
                    #expect(try await !isGood(before, issuedBy: host, at: judge), "\(error) s")
                }
                #expect(
                    try await changer.realm.sessions.refresh(before.refreshToken, of: .testClient, by: first.client)
                        .refusal == .ended)
                #expect(
                    try await changer.realm.sessions.refresh(after.refreshToken, of: .testClient, by: first.client)
                        .refreshed != nil,
                    "\(error) s")
            }
        }
    }

    @Test
    func `A new account of one server can be used at the other at once`() async throws {
        let first = try await TestRealm.make()
        try await neighbour(of: first, aheadBy: 12).addUser()
        let signedIn = try #require(await first.signIn().signedIn)
        #expect(try await isGood(signedIn, issuedBy: first, at: first))
        #expect(
            try await first.realm.sessions.refresh(signedIn.refreshToken, of: .testClient, by: first.client).refreshed
                != nil)
    }

    @Test
    func `An instant of the future that an administrator names refuses what is issued before it`() async throws {
        let first = try await TestRealm.make()
        let user = try await first.addUser()
        let second = neighbour(of: first, aheadBy: -2)
        var change = AccountChange()
        change.revokesTokensAt = first.now + 100
        _ = try await first.realm.accounts.change(user.id, change, by: first.client)
        let early = try #require(await second.signIn().signedIn)
        #expect(try await !isGood(early, issuedBy: second, at: first))
        #expect(
            try await second.realm.sessions.refresh(early.refreshToken, of: .testClient, by: first.client).refusal
                == .ended)
        // A new password does not take the instant back.
        change = AccountChange()
        change.password = Secret(TestRealm.password)
        _ = try await first.realm.accounts.change(user.id, change, by: first.client)
        let stillEarly = try #require(await second.signIn().signedIn)
        #expect(try await !isGood(stillEarly, issuedBy: second, at: first))
        first.clock.advance(103)
        let late = try #require(await second.signIn().signedIn)
        #expect(try await isGood(late, issuedBy: second, at: first))
    }

    @Test
    func `A token never says that it is older than the last revocation by a clock that was ahead`() {
        let now = Date(microseconds: 1_790_000_010_250_000)
        var user = User(id: UserID(rawValue: "u"), email: nil, createdAt: now - 1000)
        #expect(user.issueTime(now) == now)
        user.revokeTokens(at: now + 12)
        #expect(user.issueTime(now).seconds == now.seconds + 12)
        #expect(user.issueTime(now + 13) == now + 13)
        // So far no clock is to be off; and an instant that was named is meant.
        user.revokeTokens(at: now + 3600)
        #expect(user.issueTime(now) == now)
        user.refuseTokens(issuedBefore: now + 3630)
        #expect(user.issueTime(now + 3600) == now + 3600)
    }

    @Test(
        .enabled(if: PostgresCluster.isWanted, "\(PostgresCluster.hint)"))
    func
        `A refresh that is repeated at the other server gets the same successor, for a minute and until that was used`()
        async throws
    {
        let first = try await TestRealm.make(on: .postgres)
        try await first.addUser()
        for error in Self.errors {
            let second = neighbour(of: first, aheadBy: error)
            for (host, other) in [(first, second), (second, first)] {
                func refresh(_ signedIn: SignedIn, at server: TestRealm) async throws -> Sessions.RefreshOutcome {
                    try await server.realm.sessions.refresh(signedIn.refreshToken, of: .testClient, by: first.client)
                }
                let begun = try #require(await host.signIn().signedIn)
                let next = try #require(try await refresh(begun, at: host).refreshed)
                first.clock.advance(50)
                let again = try #require(try await refresh(begun, at: other).refreshed, "\(error) s")
                #expect(again.refreshToken == next.refreshToken)
                // The successor is used: what came before it is stolen.
                let last = try #require(try await refresh(next, at: other).refreshed)
                #expect(try await refresh(begun, at: host).refusal == .reused, "\(error) s")
                #expect(try await refresh(last, at: other).refusal == .ended)

                let late = try #require(await host.signIn().signedIn)
                _ = try #require(try await refresh(late, at: host).refreshed)
                first.clock.advance(61)
                #expect(try await refresh(late, at: other).refusal == .reused, "\(error) s")
            }
        }
    }
}
