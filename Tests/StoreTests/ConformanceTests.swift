import StoreConformance
import StoreSQLite
import TestSupport
import Testing

@Suite("What every store must do")
struct ConformanceTests {
    @Test("SQLite", arguments: StoreConformance.checks)
    func sqlite(_ check: StoreConformance.Check) async throws {
        try await check.run { try await SQLiteStore.temporary(in: TestRun.directory()) }
    }
}
