import CountersignCore
import TestSupport
import Testing

@testable import StorePostgres
@testable import StoreSQL

extension PostgresTests {
    private static let present = Migrations.all.steps.count

    private static let second = Migration(version: present + 1, name: "second") { types in
        ["CREATE TABLE second (id \(types.text) NOT NULL PRIMARY KEY) \(types.tableOptions)"]
    }

    @Test
    func `Servers that start at once on an empty database all succeed, and the schema is made once`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let stores = try await withThrowingTaskGroup(of: PostgresStore.self) { group in
            for _ in 0..<5 {
                group.addTask { try await database.open() }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(
            try await stores[0].read { try raw($0, "SELECT version, name FROM schema_migrations ORDER BY version") }
                == Migrations.all.steps.map { SQLRow([.integer(Int64($0.version)), .text($0.name)]) })
        for (number, store) in stores.enumerated() {
            #expect(try await store.write { try $0.insert(user("\(number)")) })
            await store.close()
        }
    }

    @Test
    func `A schema newer than the program is refused and left alone; an older one gets what is missing`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let old = try await database.open()
        #expect(try await old.write { try $0.insert(user("u")) })
        await old.close()
        let newer = Migrations(Migrations.all.steps + [Self.second])
        let new = try await PostgresStore.open(url: database.url, migrations: newer)
        #expect(try await new.read { try raw($0, "SELECT COUNT(*) FROM second") } == [SQLRow([.integer(0)])])
        #expect(try await new.read { try $0.countUsers() } == 1)
        let error = await #expect(throws: StoreError.self) { try await database.open() }
        #expect(error?.code == .outdated)
        #expect(
            error?.description
                == "the schema has version \(Self.present + 1), and this program knows versions up to \(Self.present): start "
                + "a program that is as new as the one that was here, or restore the backup from before it")
        let versions = try await new.read { try raw($0, "SELECT version FROM schema_migrations ORDER BY version") }
        #expect(versions == (1...Self.present + 1).map { SQLRow([.integer(Int64($0))]) })
        await new.close()
    }

    @Test
    func `A migration that fails leaves nothing of itself or of those before it`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let broken = Migration(version: Self.present + 1, name: "broken") { _ in
            ["CREATE TABLE half (id TEXT)", "NONSENSE"]
        }
        let error = await #expect(throws: StoreError.self) {
            try await PostgresStore.open(url: database.url, migrations: Migrations(Migrations.all.steps + [broken]))
        }
        #expect(error?.code == .unavailable)
        let store = try await database.open()
        #expect(
            try await store.read { try raw($0, "SELECT to_regclass('half') IS NULL, COUNT(*) FROM schema_migrations") }
                == [SQLRow([.integer(1), .integer(Int64(Self.present))])])
        await store.close()
    }

    @Test
    func `When secrets of applications end is told by the registrations of an earlier version here, too`() async throws
    {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let old = try await PostgresStore.open(url: database.url, migrations: EndingSecretRow.migrationsBefore)
        try await old.write { try EndingSecretRow.insert(into: $0) }
        await old.close()
        let new = try await database.open()
        #expect(try await new.read { try EndingSecretRow.ends(in: $0) } == EndingSecretRow.told())
        await new.close()
    }
}
