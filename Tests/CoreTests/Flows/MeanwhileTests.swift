import Foundation
import Testing

@testable import CountersignCore

/// What happens to an account while an answer is being looked at.
@Suite("What changes while an answer is judged")
struct MeanwhileTests {
    @Test
    func `An old password is not accepted when the password changes while it is looked at`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        test.hasher.meanwhile { look in
            guard look == 1 else { return }
            var change = AccountChange()
            change.password = Secret("difference engine")
            _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        }
        #expect(try await test.signIn().reason == .wrongAnswer)
        #expect(test.hasher.verified.count == 2)
        #expect(Set(test.hasher.verified).count == 2)
        #expect(try await test.events(.signedIn).isEmpty)
    }

    @Test
    func `A factor whose row changes while it is looked at is looked at again, whatever made it change`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        let sealer = test.realm.sealer
        test.hasher.meanwhile { _ in
            try await test.store.write { transaction in
                guard var factor = try transaction.factors(of: user.id).first else { return }
                factor.payload = try sealer.seal(
                    PasswordFactor.payload(hash: "another"), for: .factor(factor.id), in: transaction)
                _ = try transaction.update(factor)
            }
        }
        #expect(try await test.signIn().reason == .wrongAnswer)
        #expect(test.hasher.verified.last == "another")
    }

    @Test
    func `A factor that goes while it is looked at is not accepted`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        test.hasher.meanwhile { _ in
            try await test.store.write { transaction in
                for factor in try transaction.factors(of: user.id) { _ = try transaction.deleteFactor(factor.id) }
            }
        }
        #expect(try await test.signIn().reason == .wrongAnswer)
        #expect(test.hasher.verified.last == test.hasher.decoy)
    }

    @Test
    func `A right password is accepted under the new epoch when tokens are revoked while it is looked at`() async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        test.hasher.meanwhile { look in
            guard look == 1 else { return }
            var change = AccountChange()
            change.revokesTokensAt = test.now
            _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        }
        let signedIn = try #require(await test.signIn().signedIn)
        #expect(test.hasher.verified.count == 2)
        #expect(signedIn.session.tokenEpoch == user.tokenEpoch + 1)
        #expect(
            try await test.realm.sessions.refresh(signedIn.refreshToken, of: .testClient, by: test.client).refreshed
                != nil)
    }

    @Test
    func `A right password opens no session for a user who is deleted while it is looked at`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        test.hasher.meanwhile { _ in _ = try await test.realm.accounts.delete(user.id, by: test.client) }
        #expect(try await test.signIn().reason == .userNotFound)
        #expect(try await test.store.read { try $0.sessions(of: user.id, limit: 10) }.isEmpty)
    }

    @Test
    func `A right password opens no session for a user who is disabled while it is looked at`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        test.hasher.meanwhile { _ in
            var change = AccountChange()
            change.isDisabled = true
            _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        }
        #expect(try await test.signIn().reason == .userDisabled)
        #expect(try await test.store.read { try $0.sessions(of: user.id, limit: 10) }.isEmpty)
    }

    @Test
    func `A password does not sign in to an address that went to another user while it was looked at`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        test.hasher.meanwhile { look in
            guard look == 1 else { return }
            var change = AccountChange()
            change.email = .some(TestRealm.otherEmail)
            _ = try await test.realm.accounts.change(user.id, change, by: test.client)
            try await test.addUser(password: "somebody else's")
        }
        #expect(try await test.signIn().reason == .wrongAnswer)
    }

    @Test
    func `A second factor that is enrolled while the password is looked at is asked for`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        test.hasher.meanwhile { _ in _ = try await test.enrol(user) }
        #expect(try await test.signIn().continuation?.factors.count == 1)
    }

    @Test
    func `An account that changes at every look is refused as busy, and no more than three looks are taken`()
        async throws
    {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        test.hasher.meanwhile { _ in
            var change = AccountChange()
            change.revokesTokensAt = test.now
            _ = try await test.realm.accounts.change(user.id, change, by: test.client)
        }
        #expect(try await test.signIn().reason == .busy)
        #expect(test.hasher.verified.count == 3)
    }

    @Test
    func `Many right passwords at once, whose hash is being replaced, all sign in`() async throws {
        let test = try await TestRealm.make()
        let user = try await test.addUser()
        test.hasher.raiseGeneration()
        let verdicts = try await race(9) { _ in try await test.signIn() }
        #expect(verdicts.allSatisfy { $0.isAccomplished })
        let factors = try await test.store.read { try $0.factors(of: user.id) }
        #expect(factors.map(\.revision) == [1])
        let seen = test.hasher.verified.count
        _ = try await test.signIn()
        let hash = try #require(test.hasher.verified.dropFirst(seen).first)
        #expect(!test.hasher.needsRehash(hash))
    }
}
