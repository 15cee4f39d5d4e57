import CountersignCore
import Foundation
import Testing

@testable import StoreSQL
@testable import StoreSQLite

@Suite("A SQLite file that may not be written")
struct ReadOnlyFileTests {
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
    }

    private func setMode(_ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.database)
    }

    @Test(arguments: [0o400, 0o444])
    func `It is read and left as it is, and writes are refused as that`(mode: Int) async throws {
        let writer = try await SQLiteStore.open(path: directory.database)
        #expect(try await writer.read { try $0.takesWrites() })
        #expect(try await writer.write { try $0.insert(user("u")) })
        try await writer.close()
        try setMode(mode)
        let reader = try await SQLiteStore.open(path: directory.database)
        #expect(try await reader.read { try $0.countUsers() } == 1)
        #expect(try await reader.read { try $0.takesWrites() } == false)
        for _ in 0..<2 {
            let error = await #expect(throws: StoreError.self) {
                try await reader.write { try $0.insert(user("another")) }
            }
            #expect(error?.code == .readOnly, "\(error as Any)")
        }
        try await reader.close()
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.database)
        #expect(attributes[.posixPermissions] as? Int == mode)
        try setMode(0o600)
        let again = try await SQLiteStore.open(path: directory.database)
        #expect(try await again.write { try $0.insert(user("another")) })
        try await again.close()
    }

    @Test
    func `One of an older schema is refused, because it would have to be changed`() async throws {
        let old = try await SQLiteStore.open(
            path: directory.database, options: .init(), migrations: Migrations([.firstSchema]))
        try await old.close()
        try setMode(0o400)
        let error = await #expect(throws: StoreError.self) { try await SQLiteStore.open(path: directory.database) }
        #expect(error?.code == .readOnly, "\(error as Any)")
        try setMode(0o600)
        try await SQLiteStore.open(path: directory.database).close()
    }
}
