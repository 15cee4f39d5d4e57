import CountersignCore
import PrometheusMetrics
import StorePostgres
import StoreSQLite

/// A store as the composition root holds it: it also closes it, and asks how it fares.
protocol OpenedStore: Store {
    /// Finishes what was accepted, and lets go of the database.
    func close() async throws
    /// Copies the database to a new file, as it is at one instant.
    func backup(to path: String) async throws
    /// Looks for damage; a sentence for each fault.
    func check() async throws -> [String]
    /// What `/metrics` tells of it.
    var samples: [PrometheusRegistry.Sample] { get }
}

extension SQLiteStore: OpenedStore {
    var samples: [PrometheusRegistry.Sample] {
        [
            .init("countersign_store_commits_total", Double(statistics.commits), isCounter: true),
            .init("countersign_store_writes_total", Double(statistics.writes), isCounter: true),
            .init("countersign_store_waiting", Double(statistics.waiting)),
        ]
    }
}

extension PostgresStore: OpenedStore {
    func backup(to path: String) async throws {
        throw StoreError(.unavailable, "back up a PostgreSQL database with pg_dump")
    }

    func check() async throws -> [String] {
        throw StoreError(.unavailable, "check a PostgreSQL database with pg_amcheck")
    }

    var samples: [PrometheusRegistry.Sample] {
        [
            .init("countersign_store_transactions_total", Double(statistics.transactions), isCounter: true),
            .init("countersign_store_lost_races_total", Double(statistics.lostRaces), isCounter: true),
            .init("countersign_store_connections_made_total", Double(statistics.connectionsMade), isCounter: true),
            .init("countersign_store_unanswered_total", Double(statistics.silences), isCounter: true),
            .init("countersign_store_waiting", Double(statistics.waiting)),
        ]
    }
}
