import StoreConformance
import StorePostgres
import TestSupport
import Testing

extension PostgresTests {
    /// One after the other: each opens a store with connections of its own.
    @Test(arguments: StoreConformance.checks)
    func `PostgreSQL does what every store must do`(_ check: StoreConformance.Check) async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        var options = PostgresStore.Options()
        // Enough to race.
        options.connections = 4
        try await check.run { [options] in try await database.open(options) }
    }
}
