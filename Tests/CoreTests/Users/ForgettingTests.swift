import Foundation
import OneTimePassword
import Testing

@testable import CountersignCore
@testable import StoreSQL

/// What is left of a person in the database, byte by byte.
@Suite("Forgetting")
struct ForgettingTests {
    private static let former = EmailAddress(kept: "lovelace@example.org")
    private static let present = TestRealm.email
    private static let coming = EmailAddress(kept: "countess@example.org")
    private static let number = "+15555550142"
    private static let name = "Augusta Ada King"

    /// A user with everything that one can have: a changed address and one to come, a number, claims, both factors with
    /// wrong answers against them, sessions, attempts, mails, and a log.
    private func fill(_ test: TestRealm) async throws -> EnrolledUser {
        var client = test.client
        client.source = "192.0.2.77"
        let accounts = test.realm.accounts
        // Before there is an account: a mailed link and wrong passwords are about the address alone.
        _ = try await test.mailLink(.signIn(Self.former), by: client)
        _ = try await test.signIn(Self.former, password: "no such account", by: client)
        let user = try await test.addUser(Self.former)
        _ = try await test.mailCode(to: Self.former, by: client)
        var change = AccountChange()
        change.email = .some(Self.present)
        change.displayName = .some(Self.name)
        change.phoneNumber = .some(Self.number)
        change.customClaims = ["mail": .string(Self.present.canonical)]
        _ = try await accounts.change(user.id, change, by: client)
        change = AccountChange()
        change.emailVerified = true
        _ = try await accounts.change(user.id, change, by: client)
        _ = try await test.offer(to: user.id)
        let enrolled = try await test.enrol(try await test.user(user.id))
        _ = try await test.signIn(Self.present, password: "wrong", by: client)
        let handle = try await test.pending(Self.present, by: client).handle
        _ = try await test.answer(test.wrongCode(enrolled.totp), of: enrolled.factor.id, for: handle, by: client)
        _ = try await test.answer(
            enrolled.totp.code(at: test.now).stringCode, of: enrolled.factor.id, for: handle, by: client)
        let second = try await test.pending(Self.present, by: client).handle
        _ = try await test.answer(test.wrongCode(enrolled.totp), of: enrolled.factor.id, for: second, by: client)
        // A device with a name, which is asked and says no in words of its own.
        let key = TestDevice()
        let device = try await test.enrol(key, of: user.id)
        // A mailbox beside them, and an attempt that goes step by step.
        try await test.addMailbox(Self.coming, of: user)
        _ = try await test.askForCode(test.begin(.resetPassword(Self.present), by: client))
        let third = try await test.pending(Self.present, by: client).handle
        _ = try await test.ask(for: third, by: client)
        let request = try await test.request(to: device.factor.id)
        _ = try await test.decide(
            key.answer(to: request, allows: false, reason: Self.name, at: test.now), request.handle)
        for purpose in FlowPurpose.linked {
            let subject: Mailings.Subject =
                switch purpose {
                case .verifyEmail: .verifyEmail(user.id)
                case .resetPassword: .resetPassword(Self.present)
                case .changeEmail: .changeEmail(user.id, to: Self.coming)
                default: .signIn(Self.present)
                }
            #expect(try await test.mailLink(subject, by: client) != nil)
        }
        // What a module above the core keeps of the person's installations.
        let now = test.now
        try await test.store.write { transaction in
            for kind in ClientRecord.Kind.allCases {
                let record = ClientRecord(
                    kind: kind, digest: Data(kind.rawValue.utf8), userID: user.id, createdAt: now, expiresAt: now + 60,
                    body: Data("sealed".utf8))
                _ = try transaction.insert(record)
            }
        }
        let code = AuthorizationCode(client: "app", redirectURI: "https://app", session: enrolled.signedIn.session.id)
        #expect(try await test.realm.authorizationCodes.issue(code, of: user.id) != nil)
        _ = try await accounts.personalData(user.id, by: client)
        return enrolled
    }

    /// Every row of every table that has the text in it, as `table: row`.
    private func traces(_ texts: [String], in store: any Store, _ kind: TestStore) async throws -> [String] {
        try await store.read { transaction in
            let transaction = try sql(transaction)
            let connection = transaction.connection
            func rows(_ statement: String) throws -> [SQLRow] { try connection.rows(statement, []) }
            let tables = try kind.tables(rows)
            #expect(tables.count >= 10, "Not all tables are seen: \(tables)")
            return try tables.flatMap { table in
                try rows("SELECT * FROM \(table)").compactMap { row in
                    let text = row.values.map(\.searchable).joined(separator: " | ")
                    return texts.contains { text.localizedCaseInsensitiveContains($0) } ? "\(table): \(text)" : nil
                }
            }
        }
    }

    @Test(arguments: TestStore.available)
    func `Of a removed user, the log keeps the id and nothing else is left`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let bystander = try await test.addUser(EmailAddress(kept: "bystander@example.org"))
        _ = try await test.mailLink(.verifyEmail(bystander.id))
        let everything = try await counts(in: test.store, store)
        let person = try await fill(test)
        let id = person.user.id.rawValue
        let identifiers = [
            Self.former.canonical, Self.present.canonical, Self.coming.canonical, Self.number, Self.name,
        ]
        let factors = try await test.store.read { try $0.factors(of: person.user.id) }.map(\.id.rawValue)
        #expect(factors.count == 5)

        // The search finds what there is, or it would prove nothing.
        let before = try await traces([id] + identifiers + factors, in: test.store, store)
        for table in [
            "users", "factors", "flows", "client_registrations", "check_states", "refresh_families", "sessions",
            "grants",
            "authorization_codes", "attempt_counters", "audit_events", "outbox_messages",
        ] {
            #expect(before.contains { $0.hasPrefix("\(table): ") }, "\(table) is not searched, or has nothing")
        }
        for address in [Self.former, Self.present, Self.coming] {
            #expect(before.contains { $0.hasPrefix("outbox_messages: ") && $0.contains(address.canonical) })
        }

        #expect(try await test.realm.accounts.delete(person.user.id, by: test.client))
        #expect(try await traces(identifiers, in: test.store, store) == [])
        let left = try await traces([id], in: test.store, store)
        #expect(!left.isEmpty)
        #expect(left.allSatisfy { $0.hasPrefix("audit_events: ") }, "\(left)")
        // Which factor it was is in the log too; a random id that stands nowhere else.
        let mentioned = try await traces(factors, in: test.store, store)
        #expect(mentioned.allSatisfy { $0.hasPrefix("audit_events: ") && $0.contains(id) }, "\(mentioned)")

        // Beside the log, only what cannot be found by the person: sealed attempts of before there was an account, and
        // counters under keyed digests of addresses. Both are gone in days. The document is the realm's own id, which is
        // drawn with the first attempt that goes step by step.
        let after = try await counts(in: test.store, store)
        for (table, count) in after where table != "audit_events" {
            let allowed = ["flows": 2, "attempt_counters": 4, "documents": 1][table] ?? 0
            #expect(count - (everything[table] ?? 0) <= allowed, "\(table)")
        }
        test.clock.advance(4 * 86_400)
        try await test.realm.maintenance.run()
        let later = try await counts(in: test.store, store)
        for table in ["flows", "attempt_counters"] { #expect(later[table] == 0, "\(table)") }
        test.clock.advance(401 * 86_400)
        try await test.realm.maintenance.run()
        #expect(try await traces([id], in: test.store, store) == [])
        #expect(try await test.user(bystander.id) == bystander)
    }

    @Test
    func `Other users' mails and log entries stay as they are`() async throws {
        let test = try await TestRealm.make()
        let ada = try await test.addUser()
        let bert = try await test.addUser(EmailAddress(kept: "bert@example.org"))
        var change = AccountChange()
        change.email = .some(EmailAddress(kept: "robert@example.org"))
        _ = try await test.realm.accounts.change(bert.id, change, by: test.client)
        _ = try await test.mailLink(.verifyEmail(ada.id))
        _ = try await test.mailLink(.verifyEmail(bert.id))
        #expect(try await test.realm.accounts.delete(ada.id, by: test.client))
        #expect(
            Set(try await test.mails().map(\.message.recipient)) == ["bert@example.org", "robert@example.org"])
        #expect(try await test.events(.emailChanged).map(\.details["former"]) == [nil])
        #expect(try await test.realm.auditLog.events(of: bert.id).count == 3)
    }

    @Test
    func `A mail to the new owner of an address is not taken for one of the former's`() async throws {
        let test = try await TestRealm.make()
        let ada = try await test.addUser()
        var change = AccountChange()
        change.email = .some(Self.coming)
        _ = try await test.realm.accounts.change(ada.id, change, by: test.client)
        let bert = try await test.addUser(TestRealm.email)
        _ = try await test.mailLink(.verifyEmail(bert.id))
        #expect(try await test.realm.accounts.delete(ada.id, by: test.client))
        #expect(try await test.mails().map(\.message.userID) == [bert.id])
    }

    @Test(arguments: TestStore.available)
    func `What is kept about a person is complete, and no other person's`(store: TestStore) async throws {
        let test = try await TestRealm.make(on: store)
        let bystander = try await test.addUser(EmailAddress(kept: "bystander@example.org"))
        _ = try await test.mailLink(.verifyEmail(bystander.id))
        let person = try await fill(test)
        let data = try #require(await test.realm.accounts.personalData(person.user.id, by: test.client))
        #expect(data.user == (try await test.user(person.user.id)))
        #expect(Set(data.factors.map(\.record.kind)) == [.password, .totp, .push, .recoveryCode, .email])
        #expect(data.sessions.count == 2)
        #expect(!data.flows.isEmpty && data.flows.allSatisfy { $0.userID == person.user.id })
        #expect(data.clientRecords.map(\.kind) == ClientRecord.Kind.allCases)
        let recipients = Set(data.messages.map(\.message.recipient))
        let device = try #require(data.factors.first { $0.record.kind == .push }).record.id.rawValue
        #expect(recipients == Set([Self.former, Self.present, Self.coming].map(\.canonical) + [device]))
        #expect(data.limits.contains { $0.subject == .requestsToDevices })
        #expect(!data.isCut)
        #expect(data.limits.contains { $0.subject == .mailsToAddress && $0.counter.count > 0 })
        #expect(try await test.events(.userDataShown).count == 2)
        #expect(try await test.realm.accounts.personalData(UserID(rawValue: "nobody"), by: test.client) == nil)

        // Page by page the log is the whole log.
        let log = try await test.realm.auditLog.events(of: person.user.id, limit: 1000)
        var (pages, before): ([AuditEvent], String?) = ([], nil)
        while true {
            let page = try await test.realm.auditLog.events(of: person.user.id, before: before, limit: 3)
            guard let last = page.last else { break }
            pages += page
            before = last.id
        }
        #expect(pages == log && log.count > 6)
    }

    private func counts(in store: any Store, _ kind: TestStore) async throws -> [String: Int] {
        try await store.read { transaction in
            let transaction = try sql(transaction)
            let connection = transaction.connection
            let tables = try kind.tables { try connection.rows($0, []) }
            return try Dictionary(
                uniqueKeysWithValues: tables.map { ($0, try connection.rows("SELECT * FROM \($0)", []).count) })
        }
    }
}

extension TestStore {
    /// The names of all tables.
    fileprivate func tables(_ rows: (String) throws -> [SQLRow]) throws -> [String] {
        let statement =
            switch self {
            case .sqlite: "SELECT name FROM sqlite_master WHERE type = 'table'"
            case .postgres:
                "SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema()"
            }
        return try rows(statement).compactMap { if case .text(let name)? = $0.values.first { name } else { nil } }
            .filter { $0 != "schema_migrations" }.sorted()
    }
}

extension SQLValue {
    /// What a search looks at: text as it is; bytes as text where they are, and as hexadecimal.
    fileprivate var searchable: String {
        switch self {
        case .null: ""
        case .integer(let number): String(number)
        case .text(let text): text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self) + " " + bytes.hex
        }
    }
}
