import CountersignCore
import Foundation
import TestSupport
import Testing

@testable import StoreSQL
@testable import StoreSQLite

@Suite("Rows that the writes of one group share")
struct StandingRowsTests {
    private struct Refusal: Error {}

    /// Gives another number each time that it is run.
    private static let chance = SQLStatement("SELECT random(), $1", isStanding: true)
    private static let id = ClientID(rawValue: "c")
    private static let names = ["d", "e"]

    private typealias Body = @Sendable (SQLTransaction) throws -> Int64

    /// Runs writes as one group, in their order.
    /// - Returns: what each gave; nil for one that was refused.
    private func group(in store: SQLiteStore, _ bodies: [Body]) async throws -> [Int64?] {
        let (gate, held) = await Gate.holding(store)
        var writes: [Task<Int64?, any Error>] = []
        for (number, body) in bodies.enumerated() {
            writes.append(
                Task {
                    do {
                        return try await store.write { transaction in
                            guard let transaction = transaction as? SQLTransaction else { throw NotSQL() }
                            return try body(transaction)
                        }
                    } catch is Refusal {
                        return nil
                    }
                })
            try await eventually { store.statistics.waiting == number + 1 }
        }
        gate.open()
        try await held.value
        var found: [Int64?] = []
        for write in writes { found.append(try await write.value) }
        return found
    }

    private static func draw(_ value: String, _ transaction: SQLTransaction) throws -> Int64 {
        var drawn: Int64?
        try transaction.connection.query(chance, [.text(value)]) { drawn = try $0.integer(0) }
        return try #require(drawn)
    }

    /// The first byte of a document; 0 where there is none.
    private static func byte(_ transaction: SQLTransaction) throws -> Int64 {
        try transaction.documents(names)["d"]?.first.map { Int64($0) } ?? 0
    }

    /// How often an application was changed; -1 where there is none.
    private static func revision(_ transaction: SQLTransaction) throws -> Int64 {
        try transaction.application(id, beside: names).0.map { Int64($0.revision) } ?? -1
    }

    @Test
    func `From the second write of a group on, what is asked again is answered from what is kept`() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let bodies: [Body] = [
            { try Self.draw("a", $0) }, { try Self.draw("a", $0) }, { try Self.draw("a", $0) },
            { try Self.draw("b", $0) }, { try Self.draw("a", $0) },
        ]
        let found = try await group(in: store, bodies)
        #expect(found[0] != found[1])
        #expect(found[1] == found[2] && found[2] == found[4])
        #expect(found[3] != found[1])
        #expect(try await group(in: store, bodies)[1] != found[1], "another group")
    }

    @Test
    func `Each write of a group sees what those before it changed, and nothing of one that was undone`() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let found = try await group(
            in: store,
            [
                { try Self.byte($0) },
                { try Self.byte($0) },
                { transaction in
                    try transaction.putDocument("d", Data([1]))
                    return try Self.byte(transaction)
                },
                { try Self.byte($0) },
                { transaction in
                    _ = try Self.byte(transaction)
                    try transaction.putDocument("d", Data([2]))
                    guard try Self.byte(transaction) == 2 else { return 9 }
                    throw Refusal()
                },
                { try Self.byte($0) },
                { transaction in
                    try raw(transaction, "UPDATE documents SET body = x'07' WHERE name = 'd'")
                    return try Self.byte(transaction)
                },
                { try Self.byte($0) },
            ])
        #expect(found == [0, 0, 1, 1, nil, 1, 7, 7])
        #expect(try await store.read { try $0.document("d") } == Data([7]))
    }

    @Test
    func `An application that one write of a group adds, changes and removes is so for the next`() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let added = Application(
            id: Self.id, createdAt: Date(microseconds: 1), registration: ApplicationRegistration())
        let first = Int64(added.revision)
        let found = try await group(
            in: store,
            [
                { try Self.revision($0) },
                { try Self.revision($0) },
                { try $0.insert(added) ? Self.revision($0) : 99 },
                { try Self.revision($0) },
                { try $0.update(added) ? Self.revision($0) : 99 },
                { try Self.revision($0) },
                { try $0.deleteApplication(Self.id) ? Self.revision($0) : 99 },
                { try Self.revision($0) },
            ])
        #expect(found == [-1, -1, first, first, first + 1, first + 1, -1, -1])
    }

    @Test(arguments: [
        ("SELECT 1", false), ("UPDATE grants SET terms = '' WHERE id = $1", false),
        ("INSERT INTO audit_events (id) VALUES ($1)", false), ("INSERT INTO documents (name) VALUES ($1)", true),
        ("UPDATE applications SET revision = 1", true), ("DELETE FROM applications WHERE id = $1", true),
        ("INSERT OR REPLACE INTO documents (name) VALUES ($1)", true), ("UPDATE usersof SET id = 1", true),
        ("WITH one AS (SELECT 1) DELETE FROM documents", true), ("ROLLBACK", true),
    ])
    func `A statement may change what is kept unless its beginning says otherwise`(text: String, may: Bool) {
        #expect(SQLStatement.once(text).mayChangeStanding == may)
    }

    @Test
    func `No change of another table takes applications or documents with it`() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let found = try await store.read { transaction in
            try [
                "SELECT name FROM sqlite_master WHERE type = 'trigger'",
                "SELECT * FROM pragma_foreign_key_list('applications')",
                "SELECT * FROM pragma_foreign_key_list('documents')",
            ].map { try raw(transaction, $0).count }
        }
        #expect(found == [0, 0, 0])
    }
}
