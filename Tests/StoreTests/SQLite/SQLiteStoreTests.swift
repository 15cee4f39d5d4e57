import CountersignCore
import Foundation
import StoreSQL
import TestSupport
import Testing

@testable import StoreSQLite

@Suite("SQLite")
struct SQLiteStoreTests {
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
    }

    @Test
    func `A store keeps what was written after it is closed and opened again`() async throws {
        let first = try await SQLiteStore.open(path: directory.database)
        #expect(try await first.write { try $0.insert(user("u")) })
        try await first.close()
        let second = try await SQLiteStore.open(path: directory.database)
        #expect(try await second.read { try $0.user(UserID(rawValue: "u")) } == user("u"))
        try await second.close()
    }

    @Test
    func `Opening a database of this version writes nothing, and what is read then is there`() async throws {
        let first = try await SQLiteStore.open(path: directory.database)
        #expect(try await first.write { try $0.insert(user("u")) })
        try await first.close()
        let before = try contents(of: directory.database)
        let second = try await SQLiteStore.open(path: directory.database)
        #expect(try await second.read { try $0.user(UserID(rawValue: "u")) } == user("u"))
        #expect(try contents(of: directory.database + "-wal").isEmpty)
        try await second.close()
        #expect(try contents(of: directory.database) == before)
    }

    @Test
    func `A closed store refuses to read, write, check and copy, and may be closed again`() async throws {
        let store = try await SQLiteStore.open(path: directory.database)
        try await store.close()
        try await store.close()
        await #expect(throws: StoreError.self) { try await store.read { try $0.countUsers() } }
        await #expect(throws: StoreError.self) { try await store.write { try $0.countUsers() } }
        await #expect(throws: StoreError.self) { try await store.check() }
        await #expect(throws: StoreError.self) { try await store.backup(to: directory.path + "/copy") }
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/copy"))
    }

    @Test(
        arguments: [
            ("journal_mode", SQLValue.text("wal")), ("synchronous", .integer(2)), ("foreign_keys", .integer(1)),
            ("fullfsync", .integer(1)), ("checkpoint_fullfsync", .integer(1)),
        ])
    func `Every commit waits for the disk, and references are judged`(pragma: String, value: SQLValue) async throws {
        let store = try await SQLiteStore.open(path: directory.database)
        #expect(try await store.write { try raw($0, "PRAGMA \(pragma)") } == [SQLRow([value])])
    }

    @Test
    func `The database and the files beside it are readable by their owner alone`() async throws {
        let store = try await SQLiteStore.open(path: directory.database)
        #expect(try await store.write { try $0.insert(user("u")) })
        for suffix in ["", "-wal", "-shm"] {
            #expect(try mode(of: directory.database + suffix) == 0o600, "store.sqlite\(suffix)")
        }
        try await store.close()
    }

    @Test
    func `A database that others may read is closed to them when it is opened`() async throws {
        try await SQLiteStore.open(path: directory.database).close()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: directory.database)
        let store = try await SQLiteStore.open(path: directory.database)
        #expect(try mode(of: directory.database) == 0o600)
        try await store.close()
    }

    @Test
    func `What is no database, or cannot be made, is an error`() async throws {
        try Data(repeating: 42, count: 5000).write(to: URL(fileURLWithPath: directory.database))
        for path in [directory.database, directory.path + "/missing/store.sqlite", directory.path] {
            let error = await #expect(throws: StoreError.self) { try await SQLiteStore.open(path: path) }
            #expect(error?.code == .unavailable, "\(path)")
        }
    }

    @Test(
        arguments: [
            ("profile = '{'", "users u: column 5"),
            ("profile = '{\"displayName\":7}'", "users u: column 5"),
            ("id = 'v', profile = '[]'", "users v: column 5"),
        ])
    func `A row that this version cannot read is an error that names table and row`(change: String, beginning: String)
        async throws
    {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        try await store.write { transaction in
            _ = try transaction.insert(user("u"))
            try raw(transaction, "UPDATE users SET \(change)")
        }
        let error = await #expect(throws: StoreError.self) {
            try await store.read { try $0.users(after: nil, limit: 10) }
        }
        #expect(error?.code == .corrupt)
        #expect(error?.description.hasPrefix(beginning) == true, "\(error?.description ?? "")")
    }

    @Test
    func `An error of SQLite says what failed, and keeps the values to itself`() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let error = await #expect(throws: StoreError.self) {
            try await store.read { try $0.insert(user("u", email: "personal@example.org")) }
        }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("SQLite 8: attempt to write a readonly database in INSERT INTO users"), "\(text)")
        #expect(!text.contains("personal"))
    }

    private func contents(of path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
