import CountersignCore
import Foundation
import TestSupport
import Testing

@testable import StoreSQL
@testable import StoreSQLite

@Suite("Rows that reads of SQLite keep for the next reads")
struct KeptRowsTests {
    /// Gives another number each time that it is run.
    private static let chance = SQLStatement("SELECT random(), $1")
    private static let chanceAtOnce = SQLStatement.once("SELECT random(), $1")
    private static let large = SQLStatement("SELECT random(), hex(zeroblob($1))")
    private static let composed = "\u{E9}"
    private static let decomposed = "e\u{301}"

    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
    }

    /// A store with one connection that reads.
    private func store() async throws -> SQLiteStore {
        var options = SQLiteStore.Options()
        options.readers = 1
        return try await SQLiteStore.open(path: directory.database, options: options)
    }

    /// The first column of the first row that a statement gives, in a read of its own.
    private func read(_ store: SQLiteStore, _ statement: SQLStatement, _ value: SQLValue) async throws -> Int64? {
        try await store.read { transaction in
            guard let transaction = transaction as? SQLTransaction else { throw NotSQL() }
            var first: Int64?
            try transaction.connection.query(statement, [value]) { first = try $0.integer(0) }
            return first
        }
    }

    /// So that nothing was committed between the last two reads.
    private func rest(_ store: SQLiteStore) async throws {
        for _ in 0..<2 { _ = try await store.read { try $0.countUsers() } }
    }

    @Test
    func `Reads between which nothing is committed are answered from what is kept`() async throws {
        let store = try await store()
        try await rest(store)
        let first = try await read(store, Self.chance, .text("a"))
        #expect(try await read(store, Self.chance, .text("a")) == first)
        #expect(try await read(store, Self.chance, .text("b")) != first)
        #expect(try await read(store, Self.chance, .text("a")) == first)
        try await store.close()
    }

    @Test
    func `Statements that are made up while the program runs are run each time`() async throws {
        let store = try await store()
        try await rest(store)
        let first = try await read(store, Self.chanceAtOnce, .text("a"))
        #expect(try await read(store, Self.chanceAtOnce, .text("a")) != first)
        try await store.close()
    }

    @Test
    func `A commit of this store ends what is kept, and so does one of another`() async throws {
        let store = try await store()
        let other = try await SQLiteStore.open(path: directory.database)
        for (number, writer) in [store, other, store].enumerated() {
            try await rest(store)
            let first = try await read(store, Self.chance, .text("a"))
            #expect(try await read(store, Self.chance, .text("a")) == first)
            #expect(try await writer.write { try $0.insert(user("\(number)")) })
            #expect(try await read(store, Self.chance, .text("a")) != first)
        }
        try await other.close()
        try await store.close()
    }

    @Test
    func `Each read sees the last write, of rows that were there and of those that were not`() async throws {
        let store = try await store()
        let id = UserID(rawValue: "u")
        for round in 0..<4 {
            for _ in 0..<3 { #expect(try await store.read { try $0.user(id) } == nil, "round \(round)") }
            #expect(try await store.write { try $0.insert(user("u")) })
            for _ in 0..<3 { #expect(try await store.read { try $0.user(id) } == user("u"), "round \(round)") }
            #expect(try await store.write { try $0.deleteUser(id) })
        }
        try await store.close()
    }

    @Test
    func `Within one read, what another commits is not seen`() async throws {
        let store = try await store()
        let writer = try await SQLiteStore.open(path: directory.database)
        #expect(try await writer.write { try $0.insert(user("u")) })
        try await rest(store)
        let gate = Gate()
        async let seen = store.read { transaction in
            let before = try transaction.user(UserID(rawValue: "u"))
            try gate.pass()
            return (before, try transaction.user(UserID(rawValue: "v")), try transaction.user(UserID(rawValue: "u")))
        }
        await gate.isReached()
        #expect(try await writer.write { try $0.insert(user("v")) })
        gate.open()
        let (before, other, after) = try await seen
        #expect(before == user("u") && after == before && other == nil)
        #expect(try await store.read { try $0.user(UserID(rawValue: "v")) } == user("v"))
        try await writer.close()
        try await store.close()
    }

    @Test
    func `Two spellings of one text are two keys`() async throws {
        let store = try await store()
        try await rest(store)
        #expect(Self.composed == Self.decomposed)
        let first = try await read(store, Self.chance, .text(Self.composed))
        #expect(try await read(store, Self.chance, .text(Self.decomposed)) != first)
        #expect(try await read(store, Self.chance, .text(Self.composed)) == first)
        try await store.close()
    }

    @Test
    func `An answer that is large is not kept`() async throws {
        let store = try await store()
        try await rest(store)
        let (small, large) = (SQLValue(100), SQLValue(KeptRows.largestAnswer))
        let first = try await read(store, Self.large, small)
        #expect(try await read(store, Self.large, small) == first)
        let second = try await read(store, Self.large, large)
        #expect(try await read(store, Self.large, large) != second)
        try await store.close()
    }

    @Test
    func `Answers that are kept are bounded in number and bytes`() {
        var kept = KeptRows()
        for _ in 0..<2 {
            _ = kept.begin()
            kept.see(1)
            kept.end()
        }
        for number in 0..<Self.many { kept.keep([], 0, [SQLValue(number)]) }
        let found = (0..<Self.many).filter { kept.rows(0, [SQLValue($0)]) != nil }
        #expect(found == Array((Self.many - KeptRows.answersOfStatement)..<Self.many))
        let row = SQLRow([.blob(Data(repeating: 1, count: 30_000))])
        for number in 1...Self.many { kept.keep([row], number, []) }
        let bytes = (1...Self.many).count { kept.rows($0, []) != nil } * KeptRows.size(of: row.values)
        #expect(bytes > 0 && bytes <= KeptRows.capacity)
    }

    private static let many = 100

    @Test
    func `Where SQLite does not tell what a read sees, nothing is kept`() {
        var kept = KeptRows()
        for _ in 0..<3 {
            let isWorthAsking = kept.begin()
            #expect(!isWorthAsking)
            kept.see(nil)
            #expect(!kept.isInUse)
            kept.end()
        }
    }
}
