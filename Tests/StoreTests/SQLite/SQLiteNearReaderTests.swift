import CountersignCore
import Foundation
import TestSupport
import Testing

@testable import StoreSQLite

/// Rows that are read on the caller's thread.
@Suite("SQLite's near reader")
struct SQLiteNearReaderTests {
    private func withStore<T>(_ body: (SQLiteStore) async throws -> T) async throws -> T {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let result = try await body(store)
        try await store.close()
        return result
    }

    @Test
    func `Rows are read as the last write left them, wherever they are read`() async throws {
        try await withStore { store in
            for number in 0..<200 {
                let body = Data("\(number)".utf8)
                try await store.write { try $0.putDocument("number", body) }
                #expect(try await store.read(.rows) { try $0.document("number") } == body)
            }
            // The first reads found the connection not open yet; all are counted, near or not.
            #expect(store.statistics.statements >= 400)
        }
    }

    @Test
    func `Many readers at once all get their rows, and one that throws leaves the next its turn`() async throws {
        try await withStore { store in
            try await store.write { try $0.putDocument("a", Data("b".utf8)) }
            let found = await withThrowingTaskGroup(of: Data?.self) { group in
                for number in 0..<400 {
                    group.addTask {
                        try await store.read(.rows) { transaction in
                            if number.isMultiple(of: 7) { throw Stopped() }
                            return try transaction.document("a")
                        }
                    }
                }
                var found = 0
                while let result = await group.nextResult() {
                    switch result {
                    case .success(let body): found += body == Data("b".utf8) ? 1 : 0
                    case .failure(let error): #expect(error is Stopped)
                    }
                }
                return found
            }
            #expect(found == 342)
        }
    }

    @Test
    func `What reads rows cannot write, and a closed store is read no more`() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        for _ in 0..<50 {
            await #expect(throws: StoreError.self) {
                try await store.read(.rows) { try $0.putDocument("a", Data()) }
            }
        }
        #expect(try await store.read(.rows) { try $0.document("a") } == nil)
        try await store.close()
        await #expect(throws: StoreError.self) { try await store.read(.rows) { try $0.document("a") } }
    }

    private struct Stopped: Error {}
}
