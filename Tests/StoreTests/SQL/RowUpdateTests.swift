import CountersignCore
import Foundation
import StoreSQLite
import Synchronization
import TestSupport
import Testing

@testable import StoreSQL

/// What SQLite does to indexes when a row is changed.
@Suite("Changes of rows, and indexes")
struct RowUpdateTests {
    private static let (id, instant) = (UserID(rawValue: "u"), Date(microseconds: 1_000_000))
    private static let flow = FlowRecord(
        digest: Data([1]), userID: id, purpose: "", createdAt: instant, expiresAt: instant, body: Data())
    private static let session = Session(
        id: SessionID(rawValue: "s"), userID: id, dialect: .admin, tokenEpoch: 0, createdAt: instant,
        expiresAt: instant, proofs: [])
    private static let grant = Grant(
        id: GrantID(rawValue: "g"), sessionID: session.id, userID: id, clientID: ClientID(rawValue: "c"),
        dialect: .admin, createdAt: instant, expiresAt: instant, refresh: RefreshTokenState(currentDigest: Data()))
    private static let records = ClientRecord.Kind.allCases.map { kind in
        ClientRecord(
            kind: kind, digest: Data([2]), userID: id, createdAt: instant, expiresAt: instant, body: Data())
    }
    private static let counters = ["k", "l"].map { AttemptCounter(key: $0, since: instant) }

    /// Runs changes of the rows above.
    /// - Returns: of each statement that changed something, whether it takes rows out of indexes.
    private func run(_ changes: @escaping @Sendable (SQLTransaction) throws -> Void) async throws -> [Bool] {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let statements = Mutex<[Bool]>([])
        try await store.write { transaction in
            guard let plain = transaction as? SQLTransaction else { throw NotSQL() }
            _ = try plain.insert(user("u"))
            _ = try plain.insert(Self.flow)
            for record in Self.records { _ = try plain.insert(record) }
            _ = try plain.insert(Self.session)
            _ = try plain.insert(Self.grant)
            for counter in Self.counters { try plain.put(counter) }
            try plain.writeCounters()
            let explaining = Explaining(connection: plain.connection) { isTakenOut in
                statements.withLock { $0.append(isTakenOut) }
            }
            let noted = SQLTransaction(explaining)
            try changes(noted)
            try noted.writeCounters()
        }
        return statements.withLock { $0 }
    }

    @Test
    func `A change that leaves what seldom changes is one statement, which leaves its indexes alone`() async throws {
        let statements = try await run { transaction in
            #expect(try transaction.update(Self.flow))
            for record in Self.records { #expect(try transaction.update(record)) }
            #expect(try transaction.update(Self.grant))
            try transaction.readCounters(Self.counters.map(\.key))
            for counter in Self.counters {
                var counted = try #require(try transaction.counter(counter.key))
                counted.count += 1
                try transaction.put(counted)
            }
        }
        // A statement each, and one for both counters. What a client has moves its end each time.
        #expect(statements == [false, true, true, true, false, false])
    }

    @Test
    func `What is indexed is found by the index where it changes`() async throws {
        let later = Self.instant + 60
        let statements = try await run { transaction in
            var flow = Self.flow
            flow.expiresAt = later
            #expect(try transaction.update(flow))
            #expect(try transaction.deleteFlows(expiredBefore: later, limit: 9) == 0)
            var counter = try #require(try transaction.counter("k"))
            counter.since = later
            try transaction.put(counter)
            try transaction.writeCounters()
            #expect(try transaction.deleteCounters(idleBefore: later, limit: 9) == 1)
            #expect(try transaction.counter("k")?.since == later)
        }
        #expect(Array(statements.prefix(2)) == [false, true])
    }

    @Test
    func `A change from a revision that is gone changes nothing`() async throws {
        _ = try await run { transaction in
            let (first, second) = (try transaction.update(Self.grant), try transaction.update(Self.grant))
            #expect(first && !second)
            #expect(try transaction.grant(Self.grant.id)?.revision == 1)
        }
    }
}

/// Looks at the program that SQLite makes of each statement before it is run.
private struct Explaining: SQLConnection {
    let connection: any SQLConnection
    let note: (_ isTakenOut: Bool) -> Void

    func query(_ statement: SQLStatement, _ parameters: [SQLValue], _ read: (any SQLColumns) throws -> Void) throws {
        try connection.query(statement, parameters, read)
    }

    func execute(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Int {
        let program = try connection.rows("EXPLAIN \(statement.text)", parameters)
        note(program.contains { $0.values.contains(.text("IdxDelete")) })
        return try connection.execute(statement, parameters)
    }
}
