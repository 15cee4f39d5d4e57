import CountersignCore
import Foundation
import StoreSQLite
import TestSupport
import Testing

@testable import StoreSQL

/// The one order in which all transactions lock rows, as builds for development see to it.
@Suite("The order of locks", .enabled(if: ProcessInfo.processInfo.environment["CHECK_LOCK_ORDER"] != nil))
struct RowLockTests {
    private typealias Body = @Sendable (any StoreTransaction) throws -> Void

    private static let (id, instant) = (UserID(rawValue: "u"), Date(microseconds: 1))
    private static func flow(_ digest: String) -> FlowRecord {
        FlowRecord(
            digest: Data(digest.utf8), userID: nil, purpose: "p", createdAt: instant, expiresAt: instant, body: Data())
    }
    private static let factor = FactorRecord(
        id: FactorID(rawValue: "f"), userID: id, kind: .totp, name: "", createdAt: instant, payload: Data())

    private static let session = Session(
        id: SessionID(rawValue: "s"), userID: id, dialect: .admin, tokenEpoch: 0, createdAt: instant,
        expiresAt: instant, proofs: [])
    private static let grant = Grant(
        id: GrantID(rawValue: "g"), sessionID: session.id, userID: id, clientID: ClientID(rawValue: "c"),
        dialect: .admin, createdAt: instant, expiresAt: instant, refresh: RefreshTokenState(currentDigest: Data()))

    private func run(_ body: @escaping Body) async throws {
        let store = try await SQLiteStore.temporary(in: TestRun.directory())
        try await store.write(body)
    }

    @Test
    func `Users, factors, flows, and what is only added, may follow each other`() async throws {
        try await run { transaction in
            _ = try transaction.insert(user("u"))
            _ = try transaction.insert(Self.factor)
            _ = try transaction.update(Self.factor)
            _ = try transaction.update(Self.flow("1"))
            _ = try transaction.update(Self.flow("2"))
            // What was written once may be written again.
            _ = try transaction.update(Self.flow("1"))
            try transaction.touch(Self.id, signedInAt: nil, refreshedAt: Self.instant)
            _ = try transaction.insert(Self.flow("0"))
            _ = try transaction.insert(Self.session)
            _ = try transaction.insert(Self.grant)
            _ = try transaction.update(Self.session)
            _ = try transaction.update(Self.grant)
            try transaction.put(AttemptCounter(key: "b", since: Self.instant))
            try transaction.put(AttemptCounter(key: "a", since: Self.instant))
        }
    }

    private static let wrong: [(String, Body)] = [
        (
            "a user after a factor",
            { transaction in
                _ = try transaction.update(factor)
                try transaction.touch(id, signedInAt: nil, refreshedAt: instant)
            }
        ),
        (
            "a factor after a flow",
            { transaction in
                _ = try transaction.update(flow("1"))
                _ = try transaction.update(factor)
            }
        ),
        (
            "flows by falling keys",
            { transaction in
                _ = try transaction.update(flow("2"))
                _ = try transaction.update(flow("1"))
            }
        ),
        (
            "a reference to a user after a flow",
            { transaction in
                _ = try transaction.update(flow("2"))
                _ = try transaction.insert(factor)
            }
        ),
        (
            "a session after a grant",
            { transaction in
                _ = try transaction.update(grant)
                _ = try transaction.update(session)
            }
        ),
        (
            "a grant after an authorization code",
            { transaction in
                _ = try transaction.deleteAuthorizationCode(digest: Data())
                _ = try transaction.update(grant)
            }
        ),
        (
            "a grant on a session after an authorization code",
            { transaction in
                _ = try transaction.insert(user("u"))
                _ = try transaction.deleteAuthorizationCode(digest: Data())
                _ = try transaction.insert(grant)
            }
        ),
        (
            "a reservation after a write",
            { transaction in
                _ = try transaction.update(flow("2"))
                try transaction.reserve([.user(id)])
            }
        ),
    ]

    @Test(arguments: wrong.indices)
    func `A transaction that locks in another order is undone`(_ place: Int) async throws {
        let (name, body) = Self.wrong[place]
        let error = await #expect(throws: StoreError.self, "\(name)") { try await run(body) }
        #expect(error?.description.contains("RowReservation") == true, "\(name)")
    }

    @Test
    func `Counters are written at the end, in the order of their names, and only those that changed`() {
        let changes = CounterChanges()
        let kept = AttemptCounter(key: "m", count: 1, since: Self.instant)
        #expect(changes.counter("m") { kept } == kept)
        #expect(changes.counter("absent") { nil } == nil)
        changes.put(AttemptCounter(key: "z", since: Self.instant))
        changes.put(AttemptCounter(key: "a", since: Self.instant))
        changes.delete("k")
        changes.delete("absent")
        changes.put(kept)
        #expect(changes.counter("k") { Self.unread() } == nil)
        let names = changes.takeChanges().map { change in
            switch change {
            case .put(let counter, _): "put \(counter.key)"
            case .delete(let key): "delete \(key)"
            }
        }
        #expect(names == ["put a", "delete k", "put z"])
        #expect(changes.takeChanges().isEmpty)
    }

    private static func unread() -> AttemptCounter? {
        Issue.record("read what is known")
        return nil
    }
}
