import CountersignCore
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

    @Test("An empty file is brought to the newest version, once")
    func empty() async throws {
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
                    ])
            try await store.close()
        }
    }

    @Test("A database of an older version gets what is missing and keeps what it has")
    func older() async throws {
        let old = try await open(Migrations([.firstSchema, .phoneNumbers]))
        try await old.write { try insertUserOfBefore($0) }
        try await old.close()
        let new = try await open(Migrations([.firstSchema, .phoneNumbers, Self.third]))
        #expect(try await new.read { try raw($0, "SELECT COUNT(*) FROM second") } == [SQLRow([.integer(0)])])
        #expect(try await new.read { try $0.countUsers() } == 1)
        try await new.close()
    }

    @Test("A user of before refuses tokens by the instant that was the only one then")
    func namedInstants() async throws {
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

    @Test("Counters that an earlier program wrote have no open charges")
    func counters() async throws {
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

    @Test("A schema newer than the program is refused and left alone")
    func newer() async throws {
        let newer = Migrations([.firstSchema, Self.second])
        try await open(newer).close()
        let error = await #expect(throws: StoreError.self) { try await open(Migrations([.firstSchema])) }
        #expect(error?.code == .outdated)
        #expect(error?.description == "the schema has version 2, and this program knows versions up to 1")
        let store = try await open(newer)
        let versions = try await store.read { try raw($0, "SELECT version FROM schema_migrations ORDER BY version") }
        #expect(versions == [SQLRow([.integer(1)]), SQLRow([.integer(2)])])
        try await store.close()
    }

    @Test("A migration that fails leaves nothing of itself or of those before it")
    func failing() async throws {
        let broken = Migration(version: 2, name: "broken") { _ in ["CREATE TABLE half (id TEXT)", "NONSENSE"] }
        await #expect(throws: StoreError.self) { try await open(Migrations([.firstSchema, broken])) }
        let store = try await open(Migrations([.firstSchema]))
        let tables = try await store.read { try raw($0, "SELECT name FROM sqlite_schema WHERE name = 'half'") }
        #expect(tables == [])
        try await store.close()
    }

    @Test("SQLite checks the types of every table's values")
    func strictness() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let lax = try await store.read { transaction in
            try raw(
                transaction,
                "SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'")
        }
        #expect(lax == [])
    }

    /// As a program of versions 2 to 6 wrote one.
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
