import CountersignCore
import Foundation
import StoreSQLite
import Testing

@Suite("Copying and checking a database")
struct MaintenanceTests {
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
    }

    @Test
    func `A copy that is made while writes go on opens, checks clean and has all that was committed before`()
        async throws
    {
        let store = try await SQLiteStore.open(path: directory.database)
        let copy = directory.path + "/copy.sqlite"
        try await store.write { transaction in
            for number in 0..<500 { _ = try transaction.insert(user("before \(number)")) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { try await store.write { _ = try $0.insert(user("during \(number)")) } }
            }
            group.addTask { try await store.backup(to: copy) }
            try await group.waitForAll()
        }
        #expect(try await store.read { try $0.countUsers() } == 700)
        try await store.close()

        let attributes = try FileManager.default.attributesOfItem(atPath: copy)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let opened = try await SQLiteStore.open(path: copy)
        #expect(try await opened.check() == [])
        let count = try await opened.read { try $0.countUsers() }
        #expect((500...700).contains(count))
        #expect(try await opened.write { try $0.insert(user("after")) })
        try await opened.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
                == ["copy.sqlite", "store.sqlite"])
    }

    @Test
    func `A copy overwrites nothing`() async throws {
        let store = try await SQLiteStore.open(path: directory.database)
        let copy = directory.path + "/copy"
        try Data("precious".utf8).write(to: URL(fileURLWithPath: copy))
        await #expect(throws: StoreError.self) { try await store.backup(to: copy) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == Data("precious".utf8))
        try await store.close()
    }

    @Test
    func `A broken page is found`() async throws {
        let store = try await SQLiteStore.open(path: directory.database)
        try await store.write { transaction in
            for number in 0..<200 { _ = try transaction.insert(user("\(number)", email: "\(number)@example.org")) }
        }
        #expect(try await store.check() == [])
        try await store.close()

        let url = URL(fileURLWithPath: directory.database)
        var bytes = try Data(contentsOf: url)
        let pageSize = 4096
        bytes.replaceSubrange((bytes.count - pageSize)..., with: Data(repeating: 0, count: pageSize))
        try bytes.write(to: url)
        let damaged = try await SQLiteStore.open(path: directory.database)
        #expect(try await !damaged.check().isEmpty)
        try await damaged.close()
    }
}
