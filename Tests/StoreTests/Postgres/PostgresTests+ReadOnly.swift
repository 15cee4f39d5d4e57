import CountersignCore
import Foundation
import TestSupport
import Testing

@testable import StorePostgres
@testable import StoreSQL

extension PostgresTests {
    private func expectReadOnly(_ store: PostgresStore) async throws {
        #expect(try await store.read { try $0.takesWrites() } == false)
        #expect(try await store.read { try $0.countUsers() } == 1)
        let error = await #expect(throws: StoreError.self) {
            try await store.write { try $0.insert(user("another")) }
        }
        #expect(error?.code == .readOnly, "\(error as Any)")
    }

    @Test
    func `A database that was made read-only stays it: it is read, and writes are refused as that`() async throws {
        let database = try await PostgresCluster.shared().emptyDatabase()
        let url = database.url(options: "%20-cdefault_transaction_read_only%3Don")
        let missing = await #expect(throws: StoreError.self) { try await PostgresStore.open(url: url) }
        #expect(missing?.code == .readOnly, "\(missing as Any)")
        let writer = try await database.open()
        #expect(try await writer.read { try $0.takesWrites() })
        #expect(try await writer.write { try $0.insert(user("u")) })
        let reader = try await PostgresStore.open(url: url)
        try await expectReadOnly(reader)
        await reader.close()
        await writer.close()
    }

    @Test
    func `A standby is read, and written to when it becomes the primary`() async throws {
        let cluster = try await PostgresCluster.stoppable()
        let database = try await cluster.emptyDatabase()
        let early = try await database.open()
        #expect(try await early.write { try $0.insert(user("u")) })
        try await cluster.becomeStandby()
        try await expectReadOnly(early)
        let late = try await database.open()
        try await expectReadOnly(late)
        try await cluster.becomePrimary()
        for (number, store) in [early, late].enumerated() {
            // A connection of before is no longer trusted with it.
            #expect(try await store.write { try $0.insert(user("\(number)")) })
            #expect(try await store.read { try $0.takesWrites() })
            await store.close()
        }
    }
}
