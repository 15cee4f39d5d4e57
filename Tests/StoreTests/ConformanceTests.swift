import StoreConformance
import StoreSQLite
import TestSupport
import Testing

@Suite("What every store must do")
struct ConformanceTests {
    @Test(arguments: StoreConformance.checks)
    func `SQLite does what every store must do`(_ check: StoreConformance.Check) async throws {
        try await check.run { try await SQLiteStore.temporary(in: TestRun.directory()) }
    }
}
