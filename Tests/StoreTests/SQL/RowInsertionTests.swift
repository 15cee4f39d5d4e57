import CountersignCore
import Foundation
import StoreSQLite
import Synchronization
import TestSupport
import Testing

@testable import StoreSQL

@Suite("Inserts of rows that refer to others")
struct RowInsertionTests {
    private static let instant = Date(microseconds: 1_000_000)

    private static func session(_ id: String, of user: String) -> Session {
        Session(
            id: SessionID(rawValue: id), userID: UserID(rawValue: user), dialect: .admin, tokenEpoch: 0,
            createdAt: instant, expiresAt: instant, proofs: [])
    }

    private static func grant(_ id: String, on session: String, of user: String) -> Grant {
        Grant(
            id: GrantID(rawValue: id), sessionID: SessionID(rawValue: session), userID: UserID(rawValue: user),
            clientID: ClientID(rawValue: "c"), dialect: .admin, createdAt: instant, expiresAt: instant,
            refresh: RefreshTokenState(currentDigest: Data()))
    }

    private static func flow(_ byte: UInt8, of user: String?) -> FlowRecord {
        FlowRecord(
            digest: Data([byte]), userID: user.map { UserID(rawValue: $0) }, purpose: "", createdAt: instant,
            expiresAt: instant, body: Data())
    }

    /// Inserts rows, some of which are taken and some of which refer to nothing.
    /// - Parameter failsAlone: whether the connection tells that a failing statement leaves the transaction as it was.
    /// - Returns: what each insert said, and the statements that were run for them.
    private func insert(failsAlone: Bool) async throws -> (said: [Bool], statements: [String]) {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let statements = Mutex<[String]>([])
        let said = try await store.write { transaction -> [Bool] in
            guard let plain = transaction as? SQLTransaction else { throw NotSQL() }
            let noted = SQLTransaction(
                Noting(connection: plain.connection, failsAlone: failsAlone) { text in
                    statements.withLock { $0.append(text) }
                })
            for id in ["u", "v"] { _ = try noted.insert(user(id)) }
            statements.withLock { $0 = [] }
            return [
                try noted.insert(Self.session("s", of: "u")), try noted.insert(Self.session("s", of: "u")),
                try noted.insert(Self.session("orphan", of: "nobody")),
                try noted.insert(Self.grant("g", on: "s", of: "u")),
                try noted.insert(Self.grant("g", on: "s", of: "u")),
                try noted.insert(Self.grant("orphan", on: "gone", of: "u")),
                try noted.insert(Self.grant("foreign", on: "s", of: "v")),
                try noted.insert(Self.flow(1, of: "u")), try noted.insert(Self.flow(1, of: "u")),
                try noted.insert(Self.flow(2, of: "nobody")), try noted.insert(Self.flow(3, of: nil)),
                // Nothing before has harmed the transaction.
                try noted.insert(Self.session("t", of: "u")),
            ]
        }
        #expect(store.statistics.commits == 1)
        let kept = try await store.read { transaction in
            try ["sessions", "grants", "flows"].map { try raw(transaction, "SELECT 1 FROM \($0)").count }
        }
        #expect(kept == [2, 1, 2])
        return (said, statements.withLock { $0 })
    }

    private static let expected = [
        true, false, false, true, false, false, false, true, false, false, true, true,
    ]

    @Test
    func `SQLite inserts one row by a statement without a condition, and a missing reference is a refusal`()
        async throws
    {
        let (said, statements) = try await insert(failsAlone: true)
        #expect(said == Self.expected)
        #expect(statements.count == said.count && statements.allSatisfy { $0.contains(" VALUES (") })
    }

    @Test
    func `NULL is a refusal in the column that stands for a missing row, and a fault in any other`() async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        let cases: [(columns: [String], isFault: Bool)] = [
            (["flows.purpose"], false), (["flows.body"], true), ([], true),
        ]
        for (columns, isFault) in cases {
            do {
                let isInserted = try await store.write { transaction -> Bool? in
                    guard let plain = transaction as? SQLTransaction else { throw NotSQL() }
                    return try plain.connection.insertsReferring(
                        SQLStatement("INSERT INTO flows (digest, purpose, body) VALUES (x'01', NULL, x'')"), [],
                        refusing: columns)
                }
                #expect(!isFault && isInserted == false, "\(columns)")
            } catch {
                #expect(isFault && error is StoreError, "\(columns): \(error)")
            }
        }
    }

    @Test
    func `Where a failure would end the transaction, a condition decides the same`() async throws {
        let (said, statements) = try await insert(failsAlone: false)
        #expect(said == Self.expected)
        #expect(statements.count == said.count && statements.allSatisfy { $0.contains(" WHERE ") })
    }
}

/// Notes the statements that insert rows.
private struct Noting: SQLConnection {
    let connection: any SQLConnection
    let failsAlone: Bool
    let note: (String) -> Void

    func query(_ statement: SQLStatement, _ parameters: [SQLValue], _ read: (any SQLColumns) throws -> Void) throws {
        try connection.query(statement, parameters, read)
    }

    func execute(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Int {
        note(statement.text)
        return try connection.execute(statement, parameters)
    }

    func insertsReferring(
        _ statement: SQLStatement, _ parameters: [SQLValue], refusing columns: [String]
    ) throws -> Bool? {
        guard failsAlone else { return nil }
        note(statement.text)
        return try connection.insertsReferring(statement, parameters, refusing: columns)
    }
}
