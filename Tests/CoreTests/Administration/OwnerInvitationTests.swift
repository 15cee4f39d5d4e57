import Foundation
import Testing

@testable import CountersignCore

@Suite("The invitation of the first owner")
struct OwnerInvitationTests {
    /// A session of a new user with two factors.
    private func session(_ test: TestRealm, _ name: String, strong: Bool = true) async throws -> Session {
        let enrolled = try await test.addEnrolledUser(EmailAddress(kept: "\(name)@example.org"))
        let second = Proof(kind: .totp, factorID: enrolled.factor.id, at: test.now, isSecondFactor: true)
        let proofs = [Proof(kind: .password, at: test.now)] + (strong ? [second] : [])
        let session = Session(
            id: SessionID(rawValue: "session-\(name)"), userID: enrolled.user.id, dialect: .oauth,
            tokenEpoch: enrolled.user.tokenEpoch, createdAt: test.now, expiresAt: test.now + 3600, proofs: proofs)
        let isNew = try await test.store.write { transaction in try transaction.insert(session) }
        #expect(isNew)
        return session
    }

    @Test(arguments: TestStore.available)
    func `Of many who come at once with one link, one becomes owner: pocket-id ca28ddc0`(store: TestStore) async throws
    {
        let shared = try await store.open()
        let servers = try (1...2).map { try TestRealm.make(keptIn: shared, seed: UInt64($0)) }
        var sessions: [Session] = []
        for number in 0..<8 { sessions.append(try await session(servers[0], "user\(number)")) }
        let (code, _) = try await servers[0].realm.ownerInvitations.make(by: .commandLine).get()
        let made = try await race(8, meetingBefore: 1) { [sessions] number in
            try await servers[number % 2].realm.ownerInvitations.redeem(code, by: sessions[number], servers[0].client)
        }
        #expect(made.count { (try? $0.get()) != nil } == 1)
        let list = try await servers[0].realm.administrators.list(ListRange(limit: 100)).rows
        #expect(list.count == 1 && list.first?.administrator.role == .owner)
        #expect(try await !servers[1].realm.ownerInvitations.isOpen(code))
        #expect(try await servers[0].events(.administratorGranted).map(\.details["by"]) == ["invitation"])
    }

    @Test(arguments: TestStore.available)
    func `One factor, an ended session, a wrong code and a late one make no owner`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let invitations = test.realm.ownerInvitations
        let (weak, strong) = (try await session(test, "weak", strong: false), try await session(test, "strong"))
        let (code, end) = try await invitations.make(by: .commandLine).get()
        #expect(end == test.now + 1800 && code.reveal().count == 26)
        #expect(try await invitations.redeem(code, by: weak, test.client) == .failure(.needsSecondFactor))
        for wrong in ["", "A", String(code.reveal().dropLast()), code.reveal() + "A", code.reveal().lowercased() + "_"]
        {
            #expect(try await invitations.redeem(Secret(wrong), by: strong, test.client) == .failure(.dead))
        }
        var ended = strong
        ended.revokedAt = test.now
        let endedSession = ended
        let isEnded = try await test.store.write { transaction in try transaction.update(endedSession) }
        #expect(isEnded)
        #expect(try await invitations.redeem(code, by: strong, test.client) == .failure(.needsSecondFactor))
        #expect(try await invitations.isOpen(code), "Nothing was used up.")
        test.clock.advance(1800)
        let other = try await session(test, "other")
        #expect(try await invitations.redeem(code, by: other, test.client) == .failure(.dead))
        let again = try await invitations.make(by: .commandLine).get().code
        let made = try await invitations.redeem(again, by: other, test.client)
        #expect(try made.get().role == .owner)
        #expect(try await invitations.redeem(again, by: other, test.client) == .failure(.dead))
        guard case .failure(.ownerExists) = try await invitations.make(by: .commandLine) else {
            Issue.record("An owner invites by giving roles.")
            return
        }
        // The code itself is nowhere.
        let document = try await test.store.read { try $0.document("owner-invitation") }
        #expect(document.map { String(decoding: $0, as: UTF8.self) }?.contains(again.reveal()) == false)
    }

    @Test(arguments: TestStore.available)
    func `Two factors of five minutes ago make no owner`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let (code, _) = try await test.realm.ownerInvitations.make(by: .commandLine).get()
        let session = try await session(test, "ada")
        test.clock.advance(OwnAccount.recency)
        #expect(try await test.realm.ownerInvitations.redeem(code, by: session, test.client) == .failure(.proofTooOld))
        #expect(try await test.realm.ownerInvitations.isOpen(code), "Nothing was used up.")
        test.clock.advance(-1)
        let made = try await test.realm.ownerInvitations.redeem(code, by: session, test.client)
        #expect(try made.get().role == .owner)
    }

    @Test(arguments: TestStore.available)
    func `Groups and roles move with their users, and stay where a row says nothing of them`(
        store: TestStore
    ) async throws {
        let old = try await TestRealm.make(on: store)
        let ada = try await old.addUser()
        let bert = try await old.addUser(EmailAddress(kept: "bert@example.org"))
        for name in ["staff", "eng/core"].compactMap({ GroupName($0) }) {
            _ = try await old.realm.groups.add(name, summary: "", by: old.client).get()
            _ = try await old.realm.groups.addMember(ada.id, to: name, by: old.client)
        }
        _ = try await old.realm.administrators.grant(.owner, to: bert.id, by: old.client).get()
        let (accounts, _, _) = try await old.realm.accounts.exportAccounts(after: nil, limit: 10, by: old.client)

        let new = try await TestRealm.make(on: store, seed: 2)
        #expect(try await new.realm.accounts.importAccounts(accounts, by: new.client) == [.imported, .imported])
        #expect(try await new.realm.groups.groups(of: ada.id).map(\.rawValue) == ["eng/core", "staff"])
        #expect(try await new.realm.administrators.role(of: bert.id) == .owner)
        #expect(try await new.events(.administratorGranted).map(\.userID) == [bert.id])
        #expect(
            try await new.realm.accounts.importAccounts(accounts, by: new.client) == [.alreadyThere, .alreadyThere])

        var changed = try #require(accounts.first { $0.id == ada.id })
        changed.groups = [try #require(GroupName("new"))]
        #expect(
            try await new.realm.accounts.importAccounts([changed], by: new.client) == [.refused(.different([.groups]))])
        #expect(
            try await new.realm.accounts.importAccounts([changed], overwrites: true, by: new.client) == [.replaced])
        #expect(try await new.realm.groups.groups(of: ada.id).map(\.rawValue) == ["new"])
        changed.groups = nil
        changed.profile.displayName = "Ada L."
        #expect(
            try await new.realm.accounts.importAccounts([changed], overwrites: true, by: new.client) == [.replaced])
        #expect(try await new.realm.groups.groups(of: ada.id).map(\.rawValue) == ["new"], "Nothing was said of them.")
        var demoted = try #require(accounts.first { $0.id == bert.id })
        demoted.role = .auditor
        #expect(
            try await new.realm.accounts.importAccounts([demoted], overwrites: true, by: new.client)
                == [.refused(.lastOwner)])
        #expect(try await new.realm.administrators.role(of: bert.id) == .owner)

        // The person is told what is kept.
        let data = try #require(try await new.realm.accounts.personalData(bert.id, by: new.client))
        #expect(data.administrator?.role == .owner && data.groups.isEmpty)
        #expect(try await new.realm.accounts.personalData(ada.id, by: new.client)?.groups.map(\.rawValue) == ["new"])
    }

    @Test func `A user is told of a role that is given or taken, and not of one that stays`() async throws {
        let test = try await TestRealm.make()
        let ada = try await test.addUser()
        let bert = try await test.addUser(EmailAddress(kept: "bert@example.org"))
        _ = try await test.realm.administrators.grant(.owner, to: bert.id, by: test.client)
        for role in [AdministratorRole.support, .support, .operator] {
            _ = try await test.realm.administrators.grant(role, to: ada.id, by: test.client).get()
            // Mails of one instant have no order.
            test.clock.advance(1)
        }
        for _ in 1...2 { _ = try await test.realm.administrators.revoke(ada.id, by: test.client).get() }
        let mails = try await test.mails().filter { $0.message.recipient == ada.email?.canonical }
        #expect(mails.map(\.content.template) == ["role-granted", "role-granted", "role-revoked"])
        #expect(mails.map { $0.content.values["role"] } == ["support", "operator", "operator"])
    }
}
