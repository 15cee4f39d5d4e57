import CountersignCore
import TestSupport
import Testing

@testable import StorePostgres
@testable import StoreSQL

extension PostgresTests {
    @Test
    func `A look at a database reads it and makes nothing, not the schema either`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let empty = try await PostgresInspection.open(url: database.url)
        #expect(empty.schema == SchemaVersion(present: 0))
        let store = try await database.open()
        #expect(try await store.write { try $0.insert(user("u")) })
        let inspection = try await PostgresInspection.open(url: database.url)
        #expect(inspection.schema == SchemaVersion(present: Migrations.all.steps.count))
        #expect(try await inspection.read { try $0.countUsers() } == 1)
        #expect(try await inspection.read { try $0.takesWrites() })
        #expect(try await inspection.read { try $0.presentTime() } != nil)
        for _ in 0..<2 {
            await #expect(throws: StoreError.self) { try await inspection.write { try $0.insert(user("v")) } }
            await #expect(throws: StoreError.self) { try await inspection.read { try $0.insert(user("v")) } }
        }
        #expect(try await inspection.read { try $0.countUsers() } == 1)
        await store.close()
    }

    @Test
    func `A look at a database that is away ends at once and says so without its password`() async throws {
        let error = await #expect(throws: StoreError.self) {
            try await PostgresInspection.open(url: Secret("postgres://u:hunter2@127.0.0.1:9/x"))
        }
        #expect(error?.code == .unavailable)
        #expect(error.map { !"\($0)".contains("hunter2") } == true)
    }
}
