import CoreTestSupport
import Foundation
import TestSupport
import Testing

@testable import CountersignCore
@testable import SecurityChecks
@testable import StoreSQL
@testable import StoreSQLite

/// What earlier programs kept of clients as flows works after the migration to tables of their own.
@Suite("Rows of clients from earlier programs")
struct EarlierRowsTests {
    private static let version = ApplicationVersion(maxTokenExpiration: 300, refreshTokens: true)
    private static let checks = [CheckStage.pin(), CheckStage.login(remembered: 600)]

    /// Columns of the tables that are carried over, as version 10 of the schema had them.
    private static let tables = [
        "users": """
        id, revision, email, is_disabled, profile, created_at, last_sign_in_at, last_refresh_at, password_changed_at, \
        tokens_valid_after, token_epoch, phone_number, tokens_refused_before
        """,
        "applications": "id, revision, created_at, registration",
        "documents": "name, body",
        "attempt_counters": "name, attempts, began_at, blocked_until, open_charges",
    ]

    /// A database as the program before the migration left it, with what the present program wrote into another.
    private static func database(with present: any Store) async throws -> String {
        let directory = try TestRun.place(for: "earlier").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let path = directory + "/store.sqlite"
        let steps = Array(Migrations.all.steps.prefix { $0.name != "records of clients" })
        let old = try await SQLiteStore.open(path: path, options: .init(), migrations: Migrations(steps))
        @Sendable func connection(_ transaction: any StoreTransaction) throws -> any SQLConnection {
            let transaction = try sql(transaction)
            return transaction.connection
        }
        for (table, columns) in tables {
            let rows = try await present.read { try connection($0).rows("SELECT \(columns) FROM \(table)", []) }
            try await old.write { transaction in
                for row in rows {
                    let parameters = row.values.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
                    _ = try connection(transaction).execute(
                        "INSERT INTO \(table) (\(columns)) VALUES (\(parameters))", row.values)
                }
            }
        }
        let purposes: [(ClientRecord.Kind, String)] = [
            (.registration, "client-registration"), (.checkState, "security-check"), (.refreshFamily, "client-refresh"),
        ]
        for (kind, purpose) in purposes {
            let records = try await present.read { try $0.clientRecords(kind, after: nil, limit: 100) }
            #expect(!records.isEmpty)
            try await old.write { transaction in
                for record in records {
                    let flow = FlowRecord(
                        digest: record.digest, userID: record.userID, purpose: purpose, revision: record.revision,
                        createdAt: record.createdAt, expiresAt: record.expiresAt, body: record.body)
                    guard try transaction.insert(flow) else { throw TestFailure() }
                }
            }
        }
        try await old.close()
        return path
    }

    @Test
    func `Registrations, states of checks and refresh tokens of before are good after`() async throws {
        let before = try await CheckStage.make(version: Self.version, Self.checks)
        let client = try await before.client()
        #expect(try await before.decide(client, "Pin", ["Pin": .pin("1234")]).isGranted)
        #expect(try await before.decide(client, "Login", ["Login": .login("ada", "ada", remember: true)]).isGranted)
        let blocked = try await before.client()
        for _ in 0..<3 { _ = try await before.decide(blocked, "Pin", ["Pin": .pin("0000")]) }
        let grants = before.test.realm.grants(by: before.checks)
        guard case .granted(let grant) = try await grants.grant(to: client, scope: ["Pin"]),
            let token = try await grants.beginRefreshing(grant)
        else { throw TestFailure() }
        // Their bodies open where flows' do, which is how earlier programs sealed them.
        let sealer = before.test.realm.sealer
        for kind in ClientRecord.Kind.allCases {
            let records = try await before.test.store.read { try $0.clientRecords(kind, after: nil, limit: 100) }
            for record in records { _ = try sealer.open(record.body, for: .flow(record.digest)) }
        }

        let path = try await Self.database(with: before.test.store)
        let store = try await SQLiteStore.open(path: path)
        let test = try TestRealm.make(keptIn: store, clock: before.test.clock, seed: 2)
        let after = CheckStage(test: test, checks: before.checks)
        #expect(try await store.read { try $0.clientRecords(.registration, ListRange(limit: 9)) }.count == 2)
        #expect(try await after.isGranted(client, "Pin Login"))
        #expect(
            try await after.decide(blocked, "Pin", ["Pin": .pin("1234")]).failures["Pin"]
                == ["failure": .string("Account blocked")])
        // The user who was remembered is recognised when the success is over.
        test.clock.advance(90)
        #expect(try await after.decide(client, "Login").successes["Login"]?["user"]?["id"] == .string("ada"))
        guard
            case .granted(let refreshed) = try await after.test.realm.grants(by: after.checks).refresh(
                token, by: client, from: test.client)
        else {
            Issue.record("the refresh token of before is not good")
            return
        }
        #expect(refreshed.grant.scope == ["Pin"])
        // Traded twice, long after: the family ends.
        test.clock.advance(3600)
        #expect(
            try await after.test.realm.grants(by: after.checks).refresh(token, by: client, from: test.client) == nil)
        #expect(
            try await after.test.realm.grants(by: after.checks).refresh(
                refreshed.token, by: client, from: test.client) == nil)
        #expect(try await test.events(.refreshTokenReused).count == 1)
        try await store.close()
    }

    @Test
    func `Attempts that were counted before the migration count after it`() async throws {
        let before = try await CheckStage.make(version: Self.version, Self.checks)
        let client = try await before.client()
        for _ in 0..<2 { _ = try await before.decide(client, "Pin", ["Pin": .pin("0000")]) }
        let other = try await before.client()
        #expect(try await before.decide(other, "Pin", ["Pin": .pin("1234")]).isGranted)
        let grants = before.test.realm.grants(by: before.checks)
        guard case .granted(let grant) = try await grants.grant(to: other, scope: ["Pin"]),
            try await grants.beginRefreshing(grant) != nil
        else { throw TestFailure() }
        let store = try await SQLiteStore.open(path: Self.database(with: before.test.store))
        let after = CheckStage(
            test: try TestRealm.make(keptIn: store, clock: before.test.clock, seed: 2), checks: before.checks)
        #expect(try await after.decide(client, "Pin").challenges["Pin"]?["remainingAttempts"] == .integer(1))
        let last = try await after.decide(client, "Pin", ["Pin": .pin("0000")])
        #expect(last.failures["Pin"] == ["failure": .string("Account blocked")])
        try await store.close()
    }
}
