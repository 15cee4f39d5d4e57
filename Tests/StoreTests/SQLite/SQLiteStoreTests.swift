import CountersignCore
import Foundation
import StoreSQLite
import Testing

@Suite("SQLite")
struct SQLiteStoreTests {
    @Test("A store keeps what was written after it is closed and opened again")
    func reopening() async throws {
        let directory = try TestDirectory()
        let first = try await SQLiteStore.open(path: directory.database)
        let user = User(id: UserID(rawValue: "u"), email: nil, createdAt: Date(microseconds: 1))
        #expect(try await first.write { try $0.insert(user) })
        try await first.write { try $0.putDocument("empty", Data()) }
        try await first.close()
        let second = try await SQLiteStore.open(path: directory.database)
        #expect(try await second.read { try $0.user(user.id) } == user)
        #expect(try await second.read { try $0.document("empty") } == Data())
        try await second.close()
        try await second.close()
        await #expect(throws: StoreError.self) { try await second.read { try $0.countUsers() } }
        await #expect(throws: StoreError.self) { try await second.write { try $0.countUsers() } }
    }
}
