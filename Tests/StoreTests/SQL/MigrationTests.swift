import CountersignCore
import Crypto
import Foundation
import TestSupport
import Testing

@testable import StoreSQL
@testable import StoreSQLite

@Suite("Migrations")
struct MigrationTests {
    private let directory: TestDirectory
    private static let second = Migration(version: 2, name: "second") { types in
        ["CREATE TABLE second (id \(types.text) NOT NULL PRIMARY KEY) \(types.tableOptions)"]
    }

    private static let third = Migration(version: 3, name: "third") { second.statements($0) }

    init() throws {
        directory = try TestDirectory()
    }

    @Test
    func `An empty file is brought to the newest version, once`() async throws {
        for _ in 0..<2 {
            let store = try await SQLiteStore.open(path: directory.database)
            #expect(
                try await store.read { try raw($0, "SELECT version, name FROM schema_migrations") }
                    == [
                        SQLRow([.integer(1), .text("first schema")]),
                        SQLRow([.integer(2), .text("telephone numbers")]),
                        SQLRow([.integer(3), .text("messages by recipient")]),
                        SQLRow([.integer(4), .text("users of messages")]),
                        SQLRow([.integer(5), .text("delivery")]),
                        SQLRow([.integer(6), .text("client registrations")]),
                        SQLRow([.integer(7), .text("instants that administrators named")]),
                        SQLRow([.integer(8), .text("authorization codes")]),
                        SQLRow([.integer(9), .text("open charges")]),
                        SQLRow([.integer(10), .text("offered factors")]),
                        SQLRow([.integer(11), .text("records of clients")]),
                        SQLRow([.integer(12), .text("grants and authorization codes")]),
                        SQLRow([.integer(13), .text("used tokens")]),
                        SQLRow([.integer(14), .text("administration")]),
                        SQLRow([.integer(15), .text("event hooks")]),
                        SQLRow([.integer(16), .text("own accounts")]),
                        SQLRow([.integer(17), .text("names of users")]),
                        SQLRow([.integer(18), .text("sessions of applications")]),
                        SQLRow([.integer(19), .text("self registration")]),
                        SQLRow([.integer(20), .text("application uses")]),
                        SQLRow([.integer(21), .text("ends of secrets")]),
                        SQLRow([.integer(22), .text("seals of the log")]),
                    ])
            try await store.close()
        }
    }

    @Test
    func `A database of an older version gets what is missing and keeps what it has`() async throws {
        let old = try await open(Migrations([.firstSchema, .phoneNumbers]))
        try await old.write { try insertUserOfBefore($0) }
        try await old.close()
        let new = try await open(Migrations([.firstSchema, .phoneNumbers, Self.third]))
        #expect(try await new.read { try raw($0, "SELECT COUNT(*) FROM second") } == [SQLRow([.integer(0)])])
        #expect(try await new.read { try $0.countUsers() } == 1)
        try await new.close()
    }

    @Test
    func `A user of before refuses tokens by the instant that was the only one then`() async throws {
        let old = try await open(Migrations(Array(Migrations.all.steps.prefix(6))))
        try await old.write { try insertUserOfBefore($0) }
        try await old.close()
        let new = try await open(.all)
        let id = UserID(rawValue: "u")
        let kept = try #require(try await new.read { try $0.user(id) })
        #expect(kept.tokensValidAfter.seconds == 1_790_000_000)
        #expect(kept.tokensRefusedBefore == kept.tokensValidAfter)
        // A revocation moves the one, and an update keeps both.
        let isUpdated = try await new.write { transaction in
            var changed = kept
            changed.revokeTokens(at: kept.tokensValidAfter + 100)
            return try transaction.update(changed)
        }
        #expect(isUpdated)
        let stored = try #require(try await new.read { try $0.user(id) })
        #expect(stored.tokensValidAfter.seconds == 1_790_000_100)
        #expect(stored.tokensRefusedBefore.seconds == 1_790_000_000)
        try await new.close()
    }

    @Test
    func `Counters that an earlier program wrote have no open charges`() async throws {
        let steps = Array(Migrations.all.steps.prefix { $0.name != "open charges" })
        let old = try await open(Migrations(steps))
        _ = try await old.write {
            try raw($0, "INSERT INTO attempt_counters (name, attempts, began_at) VALUES ('factor/f', 4, 1000000)")
        }
        try await old.close()
        let new = try await SQLiteStore.open(path: directory.database)
        #expect(
            try await new.read { try $0.counter("factor/f") }
                == AttemptCounter(key: "factor/f", count: 4, since: Date(microseconds: 1_000_000)))
        try await new.close()
    }

    @Test
    func `Records of clients that an earlier program kept as flows move to their tables, and no other flow does`()
        async throws
    {
        let steps = Array(Migrations.all.steps.prefix { $0.name != "records of clients" })
        let old = try await open(Migrations(steps))
        let purposes: [(ClientRecord.Kind, String)] = [
            (.registration, "client-registration"), (.checkState, "security-check"), (.refreshFamily, "client-refresh"),
        ]
        try await old.write { transaction in
            try insertUserOfBefore(transaction)
            for (number, (_, purpose)) in purposes.enumerated() {
                for (digest, user, finishedAt) in [("a", "'u'", "NULL"), ("b", "NULL", "NULL"), ("c", "NULL", "5")] {
                    try raw(
                        transaction,
                        """
                        INSERT INTO flows \
                        (digest, user_id, purpose, attempts, revision, created_at, expires_at, finished_at, body) VALUES \
                        (CAST('\(number)\(digest)' AS BLOB), \(user), '\(purpose)', 0, 7, 1000000, 2000000, \(finishedAt), \
                        CAST('body of \(digest)' AS BLOB))
                        """)
                }
            }
            try raw(
                transaction,
                """
                INSERT INTO flows (digest, purpose, attempts, revision, created_at, expires_at, body) \
                VALUES (CAST('x' AS BLOB), 'sign-in', 3, 2, 1000000, 2000000, CAST('sign-in' AS BLOB))
                """)
        }
        try await old.close()
        let new = try await open(.all)
        for (number, (kind, _)) in purposes.enumerated() {
            func record(_ digest: String, of user: String?) -> ClientRecord {
                ClientRecord(
                    kind: kind, digest: Data("\(number)\(digest)".utf8), userID: user.map(UserID.init(rawValue:)),
                    revision: 7, createdAt: Date(microseconds: 1_000_000), expiresAt: Date(microseconds: 2_000_000),
                    body: Data("body of \(digest)".utf8))
            }
            let moved = try await new.read { try $0.clientRecords(kind, after: nil, limit: 9) }
            #expect(moved == [record("a", of: "u"), record("b", of: nil)])
            let answers = try await new.write { [try $0.update(moved[0]), try $0.update(moved[0])] }
            #expect(answers == [true, false])
        }
        let left = try await new.read { try raw($0, "SELECT digest FROM flows") }
        #expect(left == [SQLRow([.blob(Data("x".utf8))])])
        #expect(try await new.read { try $0.flow(digest: Data("x".utf8))?.attempts } == 3)
        // They go when their user goes, as before.
        #expect(try await new.write { try $0.deleteUser(UserID(rawValue: "u")) })
        let after = try await new.read { transaction in
            try ClientRecord.Kind.allCases.map { try transaction.clientRecords($0, after: nil, limit: 9).count }
        }
        #expect(after == [1, 1, 1])
        try await new.close()
    }

    @Test
    func `A session of before is a session and a grant under its id, and each reads its own part of the document`()
        async throws
    {
        let steps = Array(Migrations.all.steps.prefix { $0.name != "grants and authorization codes" })
        let old = try await open(Migrations(steps))
        let evidence = """
            {"details":{"audience":"https://api"},"dialect":"guardian","proofs":[\
            {"at":1000000,"factorID":"p","isSecondFactor":false,"kind":"password"},\
            {"at":2000000,"isSecondFactor":true,"kind":"totp"}],"scopes":["openid"]}
            """
        try await old.write { transaction in
            try insertUserOfBefore(transaction)
            try raw(
                transaction,
                """
                INSERT INTO sessions (id, user_id, client_id, token_epoch, created_at, expires_at, revoked_at, revision, \
                current_digest, previous_digest, rotated_at, sealed_current, evidence) VALUES \
                ('s', 'u', 'app', 3, 1000000, 9000000, NULL, 5, x'01', x'02', 4000000, x'03', '\(evidence)'), \
                ('t', 'u', 'other', 4, 2000000, 8000000, 3000000, 0, x'04', NULL, NULL, NULL, \
                '{"dialect":"identity-toolkit","proofs":[]}')
                """)
        }
        try await old.close()
        let new = try await SQLiteStore.open(path: directory.database)
        func at(_ seconds: Int64) -> Date { Date(microseconds: seconds * 1_000_000) }
        let user = UserID(rawValue: "u")
        let sessions = try await new.read { try $0.sessions(of: user, limit: 9) }
        #expect(
            sessions == [
                Session(
                    id: SessionID(rawValue: "t"), userID: user, dialect: .identityToolkit, tokenEpoch: 4,
                    createdAt: at(2), expiresAt: at(8), revokedAt: at(3), proofs: []),
                Session(
                    id: SessionID(rawValue: "s"), userID: user, dialect: .guardian, tokenEpoch: 3, createdAt: at(1),
                    expiresAt: at(9), revision: 5,
                    proofs: [
                        Proof(kind: .password, factorID: FactorID(rawValue: "p"), at: at(1)),
                        Proof(kind: .totp, at: at(2), isSecondFactor: true),
                    ]),
            ])
        let grants = try await new.read { try $0.grants(of: user, limit: 9) }
        #expect(
            grants == [
                Grant(
                    id: GrantID(rawValue: "t"), sessionID: SessionID(rawValue: "t"), userID: user,
                    clientID: ClientID(rawValue: "other"), dialect: .identityToolkit, createdAt: at(2),
                    expiresAt: at(8), revokedAt: at(3), refresh: RefreshTokenState(currentDigest: Data([4]))),
                Grant(
                    id: GrantID(rawValue: "s"), sessionID: SessionID(rawValue: "s"), userID: user,
                    clientID: ClientID(rawValue: "app"), dialect: .guardian, createdAt: at(1), expiresAt: at(9),
                    revision: 5,
                    refresh: RefreshTokenState(
                        currentDigest: Data([1]), previousDigest: Data([2]), rotatedAt: at(4),
                        sealedCurrent: Data([3])),
                    terms: GrantTerms(scopes: ["openid"], audiences: ["https://api"])),
            ])
        // An update writes each part where it belongs.
        let (session, grant) = (try #require(sessions.last), try #require(grants.last))
        #expect(try await new.write { [try $0.update(session), try $0.update(grant)] } == [true, true])
        let (stored, kept) = try await new.read { (try $0.session(session.id), try $0.grant(grant.id)) }
        #expect(stored?.proofs == session.proofs && stored?.dialect == .guardian)
        #expect(kept?.terms == grant.terms && kept?.dialect == .guardian)
        #expect(
            try await new.read { try raw($0, "SELECT instr(evidence, 'scopes') FROM sessions WHERE id = 's'") }
                == [SQLRow([.integer(0)])])
        try await new.close()
    }

    @Test
    func `An assertion that an earlier program took still counts as used, and no other flow does`() async throws {
        let steps = Array(Migrations.all.steps.prefix { $0.name != "used tokens" })
        let old = try await open(Migrations(steps))
        // Reckoned by itself: what the earlier program kept for the jti "one" of the application "app".
        let digest = Data(SHA256.hash(data: Data([0xFF]) + Data("client-assertion\u{0}app\u{0}one".utf8)))
        try await old.write { transaction in
            for (value, purpose) in [
                (digest.map { String(format: "%02x", $0) }.joined(), "client-assertion"), ("01", "sign-in"),
            ] {
                try raw(
                    transaction,
                    """
                    INSERT INTO flows (digest, purpose, attempts, revision, created_at, expires_at, finished_at, body) \
                    VALUES (x'\(value)', '\(purpose)', 0, 0, 1000000, 2000000, 1000000, x'00')
                    """)
            }
        }
        try await old.close()
        let new = try await open(.all)
        let end = Date(microseconds: 2_000_000)
        let (again, other, foreign) = try await new.write { transaction in
            (
                try transaction.insert(UsedToken(.clientAssertion, "one", of: "app", expiresAt: end)),
                try transaction.insert(UsedToken(.clientAssertion, "two", of: "app", expiresAt: end)),
                try transaction.insert(UsedToken(.possessionProof, "one", of: "app", expiresAt: end))
            )
        }
        #expect(!again && other && foreign)
        #expect(
            try await new.read { try raw($0, "SELECT purpose FROM flows") } == [SQLRow([.text("sign-in")])])
        let gone = try await new.write { try $0.deleteUsedTokens(expiredBefore: end + 1, limit: 9) }
        #expect(gone == 3)
        try await new.close()
    }

    @Test
    func `Users of an earlier version can be put into groups and given roles`() async throws {
        let steps = Array(Migrations.all.steps.prefix { $0.name != "administration" })
        let old = try await open(Migrations(steps))
        try await old.write { try insertUserOfBefore($0) }
        try await old.close()
        let new = try await open(.all)
        let (id, group) = (UserID(rawValue: "u"), GroupName(rawValue: "staff"))
        let made = try await new.write { transaction in
            let instant = Date(microseconds: 1)
            return [
                try transaction.insert(UserGroup(name: group, summary: "", createdAt: instant)),
                try transaction.addMember(id, to: group, at: instant),
                try transaction.put(Administrator(userID: id, role: .owner, grantedBy: nil, createdAt: instant)),
                try transaction.insert(
                    MachineToken(
                        id: "t", digest: Data([1]), name: "", scopes: [.all], createdBy: nil, createdAt: instant,
                        expiresAt: instant)),
            ]
        }
        #expect(made == [true, true, true, true])
        try await new.close()
        let again = try await open(.all)
        let (groups, role) = try await again.read { transaction in
            (try transaction.groups(of: id, limit: 9), try transaction.administrator(id)?.role)
        }
        #expect(groups == [group] && role == .owner)
        try await again.close()
    }

    @Test
    func `Users and factors of an earlier version are neither to be removed nor frozen, and can be both`() async throws
    {
        let steps = Array(Migrations.all.steps.prefix { $0.name != "own accounts" })
        let old = try await open(Migrations(steps))
        try await old.write { transaction in
            try insertUserOfBefore(transaction)
            try raw(
                transaction,
                """
                INSERT INTO factors (id, user_id, kind, name, created_at, last_used_at, revision, payload) \
                VALUES ('f', 'u', 'totp', 'Phone', 1, NULL, 0, x'00')
                """)
        }
        try await old.close()
        let new = try await open(.all)
        let (user, factor) = try await new.read { transaction in
            (
                try transaction.user(UserID(rawValue: "u")), try transaction.factor(FactorID(rawValue: "f"))
            )
        }
        let (kept, frozen) = (try #require(user), try #require(factor))
        #expect(kept.deletionDueAt == nil && !kept.isSuspended && frozen.frozenAt == nil && frozen.name == "Phone")
        let instant = Date(microseconds: 5)
        let after = User(
            id: kept.id, revision: kept.revision, email: kept.email, isDisabled: false, profile: kept.profile,
            createdAt: kept.createdAt, lastSignInAt: nil, lastRefreshAt: nil, passwordChangedAt: nil,
            tokensValidAfter: kept.tokensValidAfter, tokenEpoch: kept.tokenEpoch, deletionDueAt: instant)
        let iced = FactorRecord(
            id: frozen.id, userID: frozen.userID, kind: frozen.kind, name: frozen.name, createdAt: frozen.createdAt,
            revision: frozen.revision, payload: frozen.payload, frozenAt: instant)
        let written = try await new.write { [try $0.update(after), try $0.update(iced)] }
        #expect(written == [true, true])
        let (due, again) = try await new.read { transaction in
            (try transaction.users(deletionDueBy: instant, limit: 9), try transaction.factor(iced.id)?.frozenAt)
        }
        #expect(due == [kept.id] && again == instant)
        try await new.close()
    }

    @Test
    func `A schema newer than the program is refused and left alone`() async throws {
        let newer = Migrations([.firstSchema, Self.second])
        try await open(newer).close()
        let error = await #expect(throws: StoreError.self) { try await open(Migrations([.firstSchema])) }
        #expect(error?.code == .outdated)
        #expect(
            error?.description
                == "the schema has version 2, and this program knows versions up to 1: start a program that is as new as "
                + "the one that was here, or restore the backup from before it")
        let store = try await open(newer)
        let versions = try await store.read { try raw($0, "SELECT version FROM schema_migrations ORDER BY version") }
        #expect(versions == [SQLRow([.integer(1)]), SQLRow([.integer(2)])])
        try await store.close()
    }

    @Test
    func `A migration that fails leaves nothing of itself or of those before it`() async throws {
        let broken = Migration(version: 2, name: "broken") { _ in ["CREATE TABLE half (id TEXT)", "NONSENSE"] }
        await #expect(throws: StoreError.self) { try await open(Migrations([.firstSchema, broken])) }
        let store = try await open(Migrations([.firstSchema]))
        let tables = try await store.read { try raw($0, "SELECT name FROM sqlite_schema WHERE name = 'half'") }
        #expect(tables == [])
        try await store.close()
    }

    @Test
    func `SQLite checks the types of every table's values`() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let lax = try await store.read { transaction in
            try raw(
                transaction,
                "SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'")
        }
        #expect(lax == [])
    }

    /// As a program of versions 2 to 6 wrote one.
    @Test
    func `When applications were last used, and by what, is told by the grants of an earlier version`() async throws {
        let steps = Array(Migrations.all.steps.prefix { $0.name != "application uses" })
        let old = try await open(Migrations(steps))
        try await old.write { transaction in
            try insertUserOfBefore(transaction)
            try raw(
                transaction,
                """
                INSERT INTO sessions (id, user_id, token_epoch, created_at, expires_at, revision, evidence) \
                VALUES ('s', 'u', 0, 1, 9, 0, '{"dialect":"oauth","proofs":[]}')
                """)
            try raw(
                transaction,
                """
                INSERT INTO applications (id, revision, created_at, registration) VALUES \
                ('a', 0, 5, '{}'), ('b', 0, 5, '{}'), ('c', 0, 5, '{}')
                """)
            let grants: [(String, String, Int, String, String)] = [
                ("1", "a", 6, "NULL", "oauth"), ("2", "a", 7, "9", "oauth"), ("3", "a", 8, "NULL", "guardian"),
                // Of an earlier application of the id, of a protocol that has no applications, and of no application.
                ("4", "b", 4, "NULL", "oauth"), ("5", "b", 6, "NULL", "admin"), ("6", "gone", 6, "NULL", "oauth"),
                ("7", "c", 6, "NULL", "native-auth"),
            ]
            for (id, client, created, rotated, dialect) in grants {
                // What an application asked for does not pass for the protocol.
                let terms = #"{"details":{},"dialect":"\#(dialect)","scopes":["\"dialect\":\"identity-toolkit\""]}"#
                try raw(
                    transaction,
                    """
                    INSERT INTO grants (id, session_id, user_id, client_id, created_at, expires_at, revision, \
                    current_digest, rotated_at, terms) \
                    VALUES ('\(id)', 's', 'u', '\(client)', \(created), 99, 0, x'01', \(rotated), '\(terms)')
                    """)
            }
        }
        try await old.close()
        let new = try await open(.all)
        let uses = try await new.read { transaction in
            try transaction.applicationUses(of: ["a", "b", "c", "gone"].map(ClientID.init(rawValue:)))
        }
        let told = uses.map { "\($0.application) \($0.dialect) \($0.at.microseconds)" }.sorted()
        #expect(told == ["a guardian 8", "a oauth 9", "c native-auth 6"])
        try await new.close()
    }

    @Test
    func `When secrets of applications end is told by the registrations of an earlier version`() async throws {
        let old = try await open(EndingSecretRow.migrationsBefore)
        try await old.write { try EndingSecretRow.insert(into: $0) }
        try await old.close()
        let new = try await open(.all)
        #expect(try await new.read { try EndingSecretRow.ends(in: $0) } == EndingSecretRow.told())
        try await new.close()
    }

    private func insertUserOfBefore(_ transaction: any StoreTransaction) throws {
        try raw(
            transaction,
            """
            INSERT INTO users (id, revision, is_disabled, profile, created_at, tokens_valid_after, token_epoch) \
            VALUES ('u', 0, 0, '{}', 1000000, 1790000000000000, 0)
            """)
    }

    private func open(_ migrations: Migrations) async throws -> SQLiteStore {
        try await SQLiteStore.open(path: directory.database, options: .init(), migrations: migrations)
    }
}
