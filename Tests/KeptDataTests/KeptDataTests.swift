import CountersignServer
import Foundation
import TestSupport
import Testing

@testable import StoreSQL
@testable import StoreSQLite

/// Opens databases that earlier versions made, and finishes what was pending in them (make_kept_data.py).
@Suite("Data of earlier versions")
struct KeptDataTests {
    @Test(arguments: try KeptData.all("sqlite"))
    func `Everything that an earlier version began is finished on SQLite`(_ kept: KeptData) async throws {
        try await kept.withCopy { directory in
            // Migrated once, and opened again.
            try await OpenedRealm.open(
                directory, hashing: KeptData.hashing, isDevelopment: true, clock: kept.clock
            ).close()
            try await kept.finish(
                OpenedRealm.open(directory, hashing: KeptData.hashing, isDevelopment: true, clock: kept.clock))
        }
    }

    /// Versions of one evening have no database of their own: that of the version before, brought as far and no farther.
    @Test(arguments: [(14, 15), (14, 16), (19, 20)])
    func `A database of a version between two kept ones goes on where it is on SQLite`(
        _ former: Int, _ version: Int
    ) async throws {
        let kept = try #require(try KeptData.all("sqlite").first { $0.testDescription.hasPrefix("\(former)-") })
        try await kept.withCopy { directory in
            let path = "\(directory.path)/countersign.sqlite"
            let store = try await SQLiteStore.open(
                path: path, options: .init(), migrations: Migrations(Array(Migrations.all.steps.prefix(version))))
            try await store.close()
            try await kept.finish(
                OpenedRealm.open(directory, hashing: KeptData.hashing, isDevelopment: true, clock: kept.clock))
        }
    }

    @Test(.enabled(if: PostgresCluster.isWanted), arguments: [(14, 15), (14, 16), (19, 20)])
    func `A database of a version between two kept ones goes on where it is on PostgreSQL`(
        _ former: Int, _ version: Int
    ) async throws {
        let kept = try #require(try KeptData.all("postgres").first { $0.testDescription.hasPrefix("\(former)-") })
        let database = try await PostgresCluster.shared().emptyDatabase()
        try await database.run(String(contentsOf: kept.folder.appending(path: "postgres.sql"), encoding: .utf8))
        // As that version's program did, step by step; a store here would go on to the newest.
        let types = ColumnTypes(integer: "BIGINT", text: #"TEXT COLLATE "C""#, blob: "BYTEA")
        for step in Migrations.all.steps[former..<version] {
            let note = "INSERT INTO schema_migrations (version, name) VALUES (\(step.version), '\(step.name)')"
            for statement in step.statements(types) + [note] { try await database.run(statement + ";") }
        }
        try await kept.withCopy { directory in
            try await kept.finish(
                OpenedRealm.open(
                    directory, database: database.url, hashing: KeptData.hashing, isDevelopment: true, clock: kept.clock
                ))
        }
    }

    @Test(
        .enabled(if: PostgresCluster.isWanted), arguments: try KeptData.all("postgres"))
    func `Everything that an earlier version began is finished on PostgreSQL`(_ kept: KeptData) async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        try await database.run(String(contentsOf: kept.folder.appending(path: "postgres.sql"), encoding: .utf8))
        try await kept.withCopy { directory in
            try await kept.finish(
                OpenedRealm.open(
                    directory, database: database.url, hashing: KeptData.hashing, isDevelopment: true, clock: kept.clock
                ))
        }
    }
}
