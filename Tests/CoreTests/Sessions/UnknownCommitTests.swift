import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CountersignCore

/// A refresh whose commit has no known outcome is repeated, as its answer says.
@Suite("Refreshes whose commit is unknown")
struct UnknownCommitTests {
    /// A store whose next write is answered as unknown, whether it was done or not.
    private final class ForgetfulStore: ForwardingStore {
        enum Fate { case isDone, isUndone }

        let base: any Store
        private let next = Mutex<Fate?>(nil)

        init(_ base: any Store) {
            self.base = base
        }

        func forget(_ fate: Fate) { next.withLock { $0 = fate } }

        func aroundWrite<T: Sendable>(_ pass: () async throws -> T) async throws -> T {
            let fate = next.withLock { next in
                defer { next = nil }
                return next
            }
            if fate != .isUndone {
                let result = try await pass()
                if fate == nil { return result }
            }
            throw StoreError(.outcomeUnknown, "the database went away in the middle of the commit")
        }
    }

    private struct Stage {
        let test: TestRealm
        let store: ForgetfulStore

        init() async throws {
            let plain = try await TestRealm.make()
            store = ForgetfulStore(plain.store)
            let realm = Realm(
                store: store, clock: plain.clock, random: plain.random, sealer: plain.realm.sealer,
                hasher: plain.hasher)
            test = TestRealm(realm: realm, clock: plain.clock, random: plain.random, hasher: plain.hasher)
            try await test.addUser()
        }

        func refresh(_ token: Secret<String>) async throws -> Sessions.RefreshOutcome {
            try await test.realm.sessions.refresh(token, of: .testClient, by: test.client)
        }
    }

    @Test
    func `The repeated one gets a token, as often as the outcome is unknown, and no session ends`() async throws {
        let stage = try await Stage()
        var token = try #require(await stage.test.signIn().signedIn).refreshToken
        for fate in [ForgetfulStore.Fate.isDone, .isUndone, .isDone, .isUndone] {
            stage.store.forget(fate)
            let error = await #expect(throws: StoreError.self) { _ = try await stage.refresh(token) }
            #expect(error?.code == .outcomeUnknown)
            // A commit that hung for 13 s, and a client that waits as long as it is told.
            stage.test.clock.advance(15)
            let next = try #require(try await stage.refresh(token).refreshed)
            #expect(try #require(try await stage.refresh(token).refreshed).refreshToken == next.refreshToken)
            token = next.refreshToken
        }
        #expect(try await stage.test.events(.refreshTokenReused).isEmpty)
    }

    @Test
    func `A thief gains nothing by it: who comes when the successor was used, or after the minute, ends the session`()
        async throws
    {
        for seconds in [15.0, 61] {
            let stage = try await Stage()
            let stolen = try #require(await stage.test.signIn().signedIn).refreshToken
            stage.store.forget(.isDone)
            _ = await #expect(throws: StoreError.self) { _ = try await stage.refresh(stolen) }
            if seconds == 15 {
                let successor = try #require(try await stage.refresh(stolen).refreshed)
                _ = try #require(try await stage.refresh(successor.refreshToken).refreshed)
            }
            stage.test.clock.advance(seconds)
            #expect(try await stage.refresh(stolen).refusal == .reused)
            #expect(try await stage.test.events(.refreshTokenReused).count == 1)
        }
    }
}
