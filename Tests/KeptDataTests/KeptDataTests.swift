import CountersignServer
import Foundation
import TestSupport
import Testing

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
