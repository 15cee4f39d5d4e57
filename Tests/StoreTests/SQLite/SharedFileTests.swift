import CountersignCore
import Foundation
import Testing

@testable import StoreSQLite

@Suite("Several stores on one file, as several processes have them")
struct SharedFileTests {
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
    }

    @Test
    func `All that open a new file at once succeed`() async throws {
        let path = directory.database
        let stores = try await withThrowingTaskGroup(of: SQLiteStore.self) { group in
            for _ in 0..<6 {
                group.addTask { try await SQLiteStore.open(path: path) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for (number, store) in stores.enumerated() {
            #expect(try await store.write { try $0.insert(user("\(number)")) })
        }
        #expect(try await stores[0].read { try $0.countUsers() } == 6)
        #expect(try await stores[0].check() == [])
        for store in stores { try await store.close() }
    }

    @Test
    func `Increments through two stores at once are all counted`() async throws {
        let stores = [
            try await SQLiteStore.open(path: directory.database), try await SQLiteStore.open(path: directory.database),
        ]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await stores[number % 2].write { transaction in
                        var counter =
                            try transaction.counter("k")
                            ?? AttemptCounter(key: "k", since: Date(microseconds: 0))
                        counter.count += 1
                        try transaction.put(counter)
                    }
                }
            }
            try await group.waitForAll()
        }
        for store in stores {
            #expect(try await store.read { try $0.counter("k") }?.count == 200)
            try await store.close()
        }
    }

    @Test
    func `Writes that another process keeps waiting too long are unavailable, and the next ones are done`() async throws
    {
        let holder = try await SQLiteStore.open(path: directory.database)
        var options = SQLiteStore.Options()
        options.busyTimeout = .milliseconds(20)
        let store = try await SQLiteStore.open(path: directory.database, options: options)
        let (gate, held) = await Gate.holding(holder)
        let error = await #expect(throws: StoreError.self) { try await store.write { try $0.insert(user("u")) } }
        #expect(error?.code == .unavailable)
        #expect(try await store.read { try $0.countUsers() } == 0, "reading goes on")
        gate.open()
        try await held.value
        #expect(try await store.write { try $0.insert(user("u")) })
        try await store.close()
        try await holder.close()
    }
}
