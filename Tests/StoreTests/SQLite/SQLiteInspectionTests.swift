import CountersignCore
import Foundation
import Testing

@testable import StoreSQL
@testable import StoreSQLite

@Suite("A look at a SQLite database that changes nothing")
struct SQLiteInspectionTests {
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
    }

    /// What is in the directory, and when each file was written last.
    private func files() throws -> [String: [String]] {
        let folder = (directory.database as NSString).deletingLastPathComponent
        return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: [:]) { files, name in
            let path = (folder as NSString).appendingPathComponent(name)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            files[name] = [
                "\(attributes[.size] ?? 0)", "\(attributes[.modificationDate] ?? 0)",
                "\(attributes[.posixPermissions] ?? 0)",
            ]
        }
    }

    @Test func `A database that no program has open is read and no file is made beside it`() async throws {
        let store = try await SQLiteStore.open(path: directory.database)
        #expect(try await store.write { try $0.insert(user("u")) })
        try await store.close()
        let before = try files()
        let inspection = try await SQLiteInspection.open(path: directory.database)
        #expect(inspection.schema == SchemaVersion(present: Migrations.all.steps.count))
        #expect(try await inspection.read { try $0.countUsers() } == 1)
        let error = await #expect(throws: StoreError.self) { try await inspection.write { try $0.insert(user("v")) } }
        #expect(error?.code == .readOnly)
        #expect(try files() == before)
        try await inspection.close()
        #expect(try files() == before)
    }

    @Test func `What a running program wrote last is seen`() async throws {
        let store = try await SQLiteStore.open(path: directory.database)
        #expect(try await store.write { try $0.insert(user("u")) })
        let inspection = try await SQLiteInspection.open(path: directory.database)
        #expect(try await inspection.read { try $0.countUsers() } == 1)
        try await inspection.close()
        #expect(try await store.write { try $0.insert(user("v")) }, "The program goes on.")
        #expect(try await store.read { try $0.countUsers() } == 2)
        try await store.close()
    }

    @Test func `What a program writes first after the look was opened is seen`() async throws {
        try await SQLiteStore.open(path: directory.database).close()
        let store = try await SQLiteStore.open(path: directory.database)
        let inspection = try await SQLiteInspection.open(path: directory.database)
        #expect(try await inspection.read { try $0.countUsers() } == 0)
        #expect(try await store.write { try $0.insert(user("u")) })
        #expect(try await inspection.read { try $0.countUsers() } == 1)
        try await inspection.close()
        try await store.close()
    }

    @Test func `Older newer and empty schemas are told and not changed`() async throws {
        let more = Migration(version: Migrations.all.steps.count + 1, name: "more") { _ in [] }
        for (migrations, present) in [
            (Migrations([.firstSchema]), 1),
            (Migrations(Migrations.all.steps + [more]), Migrations.all.steps.count + 1),
        ] {
            let path = directory.database + "\(present)"
            let store = try await SQLiteStore.open(path: path, options: .init(), migrations: migrations)
            try await store.close()
            let inspection = try await SQLiteInspection.open(path: path)
            #expect(inspection.schema.present == present && inspection.schema.newest == Migrations.all.steps.count)
            try await inspection.close()
        }
        try Data().write(to: URL(fileURLWithPath: directory.database))
        let empty = try await SQLiteInspection.open(path: directory.database)
        #expect(empty.schema.present == 0)
        try await empty.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.database)).isEmpty)
    }

    @Test func `What is no database is refused and so is a log without its index`() async throws {
        try Data("this is a text, and long enough to be taken for a page".utf8)
            .write(to: URL(fileURLWithPath: directory.database))
        await #expect(throws: StoreError.self) { try await SQLiteInspection.open(path: directory.database) }
        await #expect(throws: StoreError.self) { try await SQLiteInspection.open(path: directory.database + ".gone") }
        try Data("log".utf8).write(to: URL(fileURLWithPath: directory.database + "-wal"))
        let error = await #expect(throws: StoreError.self) { try await SQLiteInspection.open(path: directory.database) }
        #expect(error?.sentence.contains("was killed") == true)
    }
}
