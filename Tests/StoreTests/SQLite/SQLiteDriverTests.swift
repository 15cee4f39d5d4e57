import CountersignCore
import Foundation
import TestSupport
import Testing

@testable import StoreSQL
@testable import StoreSQLite

/// The driver of SQLite, statement by statement.
@Suite("SQLite's driver")
struct SQLiteDriverTests {
    private static let kept = SQLStatement(
        "SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10")
    private static let numbers = SQLStatement("VALUES (1), (2), (3)")
    private static let swapped = SQLStatement("SELECT $2, $1, $2")
    private static let taken = SQLStatement("INSERT INTO documents (name, body) VALUES ($1, $2)")
    private static let one = SQLStatement("SELECT $1")

    /// Runs the body in a transaction that writes, on a new database.
    private func run<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        defer { _ = store }
        let result = try await store.write { transaction in
            guard let transaction = transaction as? SQLTransaction else { throw NotSQL() }
            return try body(transaction.connection)
        }
        try await store.close()
        return result
    }

    private static func all(
        _ connection: any SQLConnection, _ statement: SQLStatement, _ parameters: [SQLValue] = []
    ) throws -> [SQLRow] {
        var rows: [SQLRow] = []
        try connection.query(statement, parameters) { columns in
            rows.append(SQLRow(try (0..<columns.count).map(columns.value)))
        }
        return rows
    }

    @Test
    func `Values of every kind come back as they went, the empty ones and large ones too`() async throws {
        let large = String(repeating: "猫 and dog, ", count: 20_000)
        let values: [SQLValue] = [
            .null, .integer(.min), .integer(.max), .text(""), .text("fifteen bytes !"), .text(large), .blob(Data()),
            .blob(Data(0...255)), .blob(Data(repeating: 7, count: 300_000)), .text("猫\u{1}"),
        ]
        let rows = try await run { connection in
            // The second time with what is prepared, and after values of other lengths.
            try Self.all(connection, Self.kept, values)
                + Self.all(connection, Self.kept, Array(values.reversed()))
                + Self.all(connection, Self.kept, values)
        }
        #expect(rows == [SQLRow(values), SQLRow(values.reversed()), SQLRow(values)])
    }

    @Test
    func `A blob of a slice is what the slice shows`() async throws {
        let slice = Data(0...99)[10..<20]
        #expect(try await run { try Self.all($0, Self.one, [.blob(slice)]) } == [SQLRow([.blob(Data(10...19))])])
    }

    @Test
    func `Parameters go by their numbers, wherever they stand`() async throws {
        let rows = try await run { try Self.all($0, Self.swapped, [.integer(1), .text("two")]) }
        #expect(rows == [SQLRow([.text("two"), .integer(1), .text("two")])])
    }

    @Test(arguments: [[], [SQLValue.null, .null]])
    func `Another number of values than parameters is an error`(values: [SQLValue]) async throws {
        await #expect(throws: StoreError.self) { try await run { try Self.all($0, Self.one, values) } }
    }

    @Test
    func `A column of another kind than asked for is an error, and null is nil`() async throws {
        @Sendable func judge(_ columns: any SQLColumns) throws {
            #expect(try columns.integer(0) == 1)
            #expect(try columns.text(1) == "text")
            #expect(try columns.blob(2) == Data([0]))
            #expect(try columns.integer(3) == nil)
            #expect(try columns.text(3) == nil)
            #expect(try columns.blob(3) == nil)
            for wrong in [1, 2, 4] { #expect(throws: SQLKindMismatch.self) { try columns.integer(wrong) } }
            for wrong in [0, 2, 4] { #expect(throws: SQLKindMismatch.self) { try columns.text(wrong) } }
            for wrong in [0, 1, 4] { #expect(throws: SQLKindMismatch.self) { try columns.blob(wrong) } }
        }
        try await run { try $0.query(.once("SELECT 1, 'text', x'00', NULL, 1.5"), [], judge) }
    }

    @Test
    func `A statement that failed is used again, and has nothing left of the values before`() async throws {
        let rows = try await run { connection in
            let values: [SQLValue] = [.text("a"), .blob(Data("first".utf8))]
            #expect(try connection.execute(Self.taken, values) == 1)
            let error = #expect(throws: StoreError.self) { try connection.execute(Self.taken, values) }
            #expect(error?.description.hasPrefix("SQLite 1555: UNIQUE constraint failed") == true, "\(error as Any)")
            #expect(throws: StoreError.self) { try connection.execute(Self.taken, [.text("b"), .null]) }
            #expect(try connection.execute(Self.taken, [.text("b"), .blob(Data("second".utf8))]) == 1)
            return try connection.rows("SELECT body FROM documents ORDER BY name", [])
        }
        #expect(rows == [SQLRow([.blob(Data("first".utf8))]), SQLRow([.blob(Data("second".utf8))])])
    }

    @Test
    func `A statement may run inside the reading of its own rows, and a reader may stop by an error`() async throws {
        let pairs = try await run { connection -> [[Int64?]] in
            var pairs: [[Int64?]] = []
            try connection.query(Self.numbers, []) { outer in
                try connection.query(Self.numbers, []) { inner in
                    pairs.append([try outer.integer(0), try inner.integer(0)])
                }
            }
            var seen = 0
            #expect(throws: NotSQL.self) {
                try connection.query(Self.numbers, []) { _ in
                    seen += 1
                    throw NotSQL()
                }
            }
            #expect(seen == 1)
            #expect(try Self.all(connection, Self.numbers).count == 3)
            return pairs
        }
        #expect(pairs == [[1, 1], [1, 2], [1, 3], [2, 1], [2, 2], [2, 3], [3, 1], [3, 2], [3, 3]])
    }

    @Test
    func `Changes are counted without those of a cascade`() async throws {
        let counts = try await run { connection -> [Int] in
            let user = """
                INSERT INTO users (\(User.columns)) \
                VALUES ('u', 0, NULL, 0, '{}', 0, 0, 0, 0, 0, 0, NULL, 0, NULL, NULL)
                """
            let factor = """
                INSERT INTO factors (\(FactorRecord.columns)) VALUES ($1, 'u', 'totp', '', 0, 0, 0, x'', NULL)
                """
            return [
                try connection.execute(user), try connection.execute(factor, [.text("f")]),
                try connection.execute(factor, [.text("g")]),
                try connection.execute("UPDATE factors SET name = 'x' WHERE id = 'missing'"),
                try connection.execute("UPDATE factors SET name = 'x'"),
                try connection.execute("DELETE FROM users"),
            ]
        }
        #expect(counts == [1, 1, 1, 0, 2, 1])
    }

    @Test
    func `Reads that come together wait for the few connections, and those beyond the bound are refused`() async throws
    {
        var options = SQLiteStore.Options()
        (options.readers, options.waitingReads) = (1, 1)
        let store = try await SQLiteStore.temporary(in: TestRun.directory(), options: options)
        let (gate, began) = (DispatchSemaphore(value: 0), AsyncStream<Void>.makeStream())
        async let first = store.read { transaction in
            began.continuation.yield()
            gate.wait()
            return try transaction.countUsers()
        }
        for await _ in began.stream { break }
        // Two more, of which one may wait.
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<2 {
                group.addTask { (try? await store.read { try $0.countUsers() }) == 0 }
            }
            var outcomes: [Bool] = []
            for await outcome in group {
                outcomes.append(outcome)
                // The first to end is the one that was refused.
                if outcomes.count == 1 { gate.signal() }
            }
            return outcomes
        }
        #expect(outcomes == [false, true])
        #expect(try await first == 0)
        try await store.close()
    }
}
