import Foundation
import Testing

@testable import CountersignCore

@Suite("Tokens of programs")
struct MachineTokenTests {
    /// A realm with an owner who stays, and others who made a token each.
    private struct Scene {
        let test: TestRealm
        let root: UserID
        var tokens: [UserID: (token: MachineToken, text: Secret<String>)] = [:]

        init(on store: TestStore, _ names: String...) async throws {
            test = try await TestRealm.make(on: store)
            root = try await test.addUser().id
            for name in names {
                let id = UserID(rawValue: name)
                _ = try await test.realm.accounts.create(
                    id: id, email: EmailAddress(kept: "\(name)@example.com"), password: nil, by: test.client
                ).get()
            }
            for id in [root] + names.map(UserID.init(rawValue:)) {
                _ = try await test.realm.administrators.grant(.owner, to: id, by: test.client).get()
                var client = test.client
                client.administrator = "user:\(id)"
                tokens[id] = try await test.realm.machineTokens.add(
                    name: "backup", scopes: [.all], lifetime: 86_400, by: client
                ).get()
            }
        }

        /// Why the token of a user opens nothing; nil where it does. Without a name, of the owner who stays.
        func refusal(of name: String? = nil) async throws -> MachineTokens.Refusal? {
            let text = try #require(tokens[name.map(UserID.init(rawValue:)) ?? root]?.text)
            guard case .failure(let refusal)? = try await test.realm.machineTokens.judge(text) else { return nil }
            return refusal
        }

        func change(_ name: String, _ edit: (inout AccountChange) -> Void) async throws {
            test.clock.advance(1)
            var change = AccountChange()
            edit(&change)
            let outcome = try await test.realm.accounts.change(UserID(rawValue: name), change, by: test.client)
            guard case .changed = outcome else {
                Issue.record("\(outcome)")
                return
            }
        }

        /// The owner's wish to have the account removed; nil withdraws it.
        func setDeletion(of name: String, at instant: Date?) async throws {
            try await test.store.write { transaction in
                var user = try #require(try transaction.user(UserID(rawValue: name)))
                user.deletionDueAt = instant
                #expect(try transaction.update(user))
            }
        }

        /// What the log says of tokens in the newest event of a kind.
        func ended(_ kind: AuditEvent.Kind, _ name: String) async throws -> JSONValue? {
            try await test.events(kind).first { $0.userID?.rawValue == name }?.details["tokens"]
        }

        func id(_ name: String) throws -> JSONValue {
            .array([.string(try #require(tokens[UserID(rawValue: name)]?.token.id))])
        }
    }

    @Test(arguments: TestStore.available)
    func `A user who is enabled again has tokens again only where they are kept`(store: TestStore) async throws {
        let scene = try await Scene(on: store, "ada", "bob")
        #expect(try await scene.refusal(of: "ada") == nil)
        try await scene.change("ada") { $0.isDisabled = true }
        #expect(try await scene.refusal(of: "ada") == .dormant)
        try await scene.change("ada") {
            $0.isDisabled = false
            $0.keepsMachineTokens = true
        }
        #expect(try await scene.refusal(of: "ada") == nil)
        #expect(try await scene.ended(.userEnabled, "ada") == nil)

        try await scene.change("ada") { $0.isDisabled = true }
        // With an address, which writes mails too.
        try await scene.change("ada") {
            $0.isDisabled = false
            $0.email = .some(EmailAddress(kept: "ada@example.net"))
        }
        #expect(try await scene.refusal(of: "ada") == .unknown)
        #expect(try await scene.ended(.userEnabled, "ada") == scene.id("ada"))
        #expect(try await scene.refusal(of: "bob") == nil)
        #expect(try await scene.refusal() == nil)
        // Who was not disabled keeps them.
        try await scene.change("bob") { $0.isDisabled = false }
        #expect(try await scene.refusal(of: "bob") == nil)
    }

    @Test(arguments: TestStore.available)
    func `A change whose address another user gets meanwhile is undone, with the tokens that it ended`(
        store: TestStore
    ) async throws {
        let scene = try await Scene(on: store, "ada")
        let (test, id) = (scene.test, UserID(rawValue: "ada"))
        try await scene.change("ada") { $0.isDisabled = true }
        // The update finds the address taken, which was free when it was looked for.
        let condition = "NEW.email = 'taken@example.com'"
        switch store {
        case .sqlite:
            try await test.change([
                "CREATE TRIGGER lost BEFORE UPDATE ON users WHEN \(condition) BEGIN SELECT RAISE(IGNORE); END"
            ])
        case .postgres:
            try await test.change([
                "CREATE FUNCTION lost() RETURNS trigger AS 'BEGIN RETURN NULL; END' LANGUAGE plpgsql",
                "CREATE TRIGGER lost BEFORE UPDATE ON users FOR EACH ROW WHEN (\(condition)) EXECUTE FUNCTION lost()",
            ])
        }
        func written() async throws -> [Int] {
            try await test.store.read { transaction in
                [try transaction.factors(of: id).count, try transaction.outboxMessages(limit: 100).count]
            }
        }
        let (before, present) = (try await written(), try await test.user(id))
        var change = AccountChange()
        change.isDisabled = false
        change.email = .some(EmailAddress(kept: "taken@example.com"))
        change.password = Secret("difference engine")
        let outcome = try await test.realm.accounts.change(id, change, by: test.client)
        #expect(outcome.refusal == .addressTaken)
        #expect(try await scene.refusal(of: "ada") == .dormant)
        #expect(try await test.user(id) == present)
        #expect(try await written() == before)
    }

    @Test(arguments: TestStore.available)
    func `An import that enables users ends their tokens, and no other`(store: TestStore) async throws {
        let names = ["zoe", "ada", "bob", "eve", "kim", "tom"]
        let scene = try await Scene(on: store, "zoe", "ada", "bob", "eve", "kim", "tom")
        for name in names where !["eve", "tom"].contains(name) {
            try await scene.change(name) { $0.isDisabled = true }
        }
        // These two want their accounts removed, of which an import says nothing.
        for name in ["kim", "tom"] { try await scene.setDeletion(of: name, at: scene.test.now + 86_400) }
        // Another name is a difference; bob stays disabled, and eve never was.
        let accounts = names.map { name in
            PortableAccount(
                id: UserID(rawValue: name), email: EmailAddress(kept: "\(name)@example.com"),
                profile: UserProfile(displayName: "Another"), isDisabled: name == "bob")
        }
        let outcomes = try await scene.test.realm.accounts.importAccounts(
            accounts, overwrites: true, by: scene.test.client)
        #expect(outcomes == Array(repeating: .replaced, count: 6))
        let expected: [(String, MachineTokens.Refusal?)] = [
            ("zoe", .unknown), ("ada", .unknown), ("bob", .dormant), ("eve", nil), ("kim", .unknown),
            ("tom", .dormant),
        ]
        for (name, refusal) in expected { #expect(try await scene.refusal(of: name) == refusal, "\(name)") }
        #expect(try await scene.ended(.userImported, "zoe") == scene.id("zoe"))
        #expect(try await scene.ended(.userImported, "eve") == nil)
        // No administrator had disabled tom: who withdraws the wish keeps the tokens.
        try await scene.setDeletion(of: "tom", at: nil)
        #expect(try await scene.refusal(of: "tom") == nil)
        // Identity Toolkit's way in does the same.
        let refused = try await scene.test.realm.accounts.import(
            [PortableAccount(id: UserID(rawValue: "bob"))], overwrites: true, by: scene.test.client)
        #expect(refused.isEmpty)
        #expect(try await scene.refusal(of: "bob") == .unknown)
        #expect(try await scene.refusal() == nil)
    }

    @Test(arguments: TestStore.available)
    func `An import of a user who was removed brings back neither tokens of programs nor the user's own`(
        store: TestStore
    ) async throws {
        let scene = try await Scene(on: store, "ada")
        let test = scene.test
        let before = try await test.user(UserID(rawValue: "ada"))
        #expect(try await test.realm.accounts.delete(before.id, by: test.client))
        #expect(try await scene.refusal(of: "ada") == .dormant)
        test.clock.advance(600)
        var account = PortableAccount(id: before.id, email: before.email, createdAt: before.createdAt)
        account.role = .owner
        #expect(try await test.realm.accounts.importAccounts([account], by: test.client) == [.imported])
        #expect(try await scene.refusal(of: "ada") == .unknown)
        #expect(try await scene.ended(.userImported, "ada") == scene.id("ada"))
        #expect(try await scene.refusal() == nil)
        let user = try await test.user(before.id)
        #expect(user.createdAt == before.createdAt && user.tokenEpoch == before.tokenEpoch)
        #expect(!user.admits(epoch: before.tokenEpoch, issuedAt: before.createdAt.seconds))
        #expect(user.admits(epoch: user.tokenEpoch, issuedAt: test.now.seconds))
    }
}
