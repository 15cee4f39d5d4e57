import CountersignCore
import Foundation
import StorePostgres
import TestSupport
import Testing

// Rows for many writes at once, each to its own, and what came of them.

struct NotDone: Error {}

/// A flow that nobody else has; its body names the next one.
func flow(_ number: Int, of user: UserID? = nil, body: Int? = nil) -> FlowRecord {
    FlowRecord(
        digest: Data("\(number)".utf8), userID: user, purpose: "p", createdAt: Date(microseconds: 1),
        expiresAt: Date(microseconds: 2), body: Data("\(body ?? number + 1)".utf8))
}

/// A store with flows from 0 on.
func seeded(_ count: Int, connections: Int, _ options: PostgresStore.Options = .patient) async throws
    -> (database: TestDatabase, store: PostgresStore)
{
    let database = try await PostgresCluster.shared().emptyDatabase()
    var options = options
    options.connections = connections
    let store = try await opened(database, options)
    // However little time the store gives its statements.
    try await eventuallyDone {
        try await store.write { transaction in
            for number in 0..<count {
                guard try transaction.insert(flow(number)) else { throw NotDone() }
            }
        }
    }
    return (database, store)
}

/// Reads, compares and sets.
/// - Returns: the count that is set.
@discardableResult
func add(_ number: Int, in transaction: any StoreTransaction) throws -> Int {
    let digest = flow(number).digest
    guard var flow = try transaction.flow(digest: digest), flow.digest == digest else { throw NotDone() }
    flow.attempts += 1
    guard try transaction.update(flow) else { throw NotDone() }
    return flow.attempts
}

func attempts(_ count: Int, in store: PostgresStore) async throws -> [Int] {
    try await store.read { transaction in
        try (0..<count).map { try transaction.flow(digest: flow($0).digest)?.attempts ?? -1 }
    }
}

func counts(_ count: Int, in store: PostgresStore) async throws -> [Int] {
    try await store.read { transaction in
        try (0..<count).map { try transaction.counter("c/\($0)")?.count ?? 0 }
    }
}

/// Does something that many times at once.
/// - Returns: what each was told, by its number.
func each<T: Sendable>(_ times: Int, _ body: @escaping @Sendable (Int) async throws -> T) async throws -> [T] {
    try await withThrowingTaskGroup(of: (number: Int, told: T).self) { group in
        for number in 0..<times {
            group.addTask { (number, try await body(number)) }
        }
        return try await group.reduce(into: [(number: Int, told: T)]()) { $0.append($1) }
            .sorted { $0.number < $1.number }.map(\.told)
    }
}

/// Keeps the thread busy.
func compute(for time: Duration) {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {}
}

enum Outcome: Equatable {
    case done, refused, unknown

    /// Whether a caller may be told so of a write that was done so often.
    func fits(_ times: Int) -> Bool {
        switch self {
        case .done: times == 1
        case .refused: times == 0
        case .unknown: times == 0 || times == 1
        }
    }
}

/// What a caller is told of a write whose connection may end. Any other error is passed on.
func outcome(_ write: () async throws -> Void) async throws -> Outcome {
    do {
        try await write()
        return .done
    } catch let error as StoreError where error.code == .unavailable {
        return .refused
    } catch let error as StoreError where error.code == .outcomeUnknown {
        return .unknown
    }
}

// MARK: Sessions beside the store's

/// Picks sessions of the store that wait for another's row.
let waitForLock = "application_name = current_schema() AND wait_event_type = 'Lock'"

extension TestDatabase {
    /// Waits until at least so many sessions are as the condition says, for a minute at most.
    func sees(_ count: Int, sessionsWhere condition: String) async throws {
        try await run(
            """
            DO $$ BEGIN FOR look IN 1..12000 LOOP \
            IF (SELECT count(*) FROM pg_stat_activity WHERE \(condition)) >= \(count) THEN RETURN; END IF; \
            PERFORM pg_stat_clear_snapshot(); PERFORM pg_sleep(0.005); END LOOP; \
            RAISE EXCEPTION 'too few sessions: \(condition.replacing("'", with: "''"))'; END $$
            """)
    }
}

/// A session of its own that locks flows until it is told to let them go, or for a minute: then it fails, and what waits
/// for it goes on.
struct LockHolder {
    private let database: TestDatabase
    private let session: Task<Void, any Error>

    /// - Parameter changing: counts a hundred attempts up, which is seen when it lets go.
    init(of numbers: [Int], changing: Bool = false, in database: TestDatabase) async throws {
        let digests = numbers.map { "convert_to('\($0)', 'UTF8')" }.joined(separator: ", ")
        let locking =
            changing
            ? "UPDATE flows SET attempts = attempts + 100 WHERE digest IN (\(digests))"
            : "SELECT FROM flows WHERE digest IN (\(digests)) FOR UPDATE"
        try await database.run("DROP TABLE IF EXISTS released; CREATE TABLE released (flag boolean)")
        self.database = database
        // Commands that are sent together are one transaction.
        session = Task {
            try await database.run(
                """
                SET application_name = 'holder of \(database.name)'; \(locking); \
                DO $$ BEGIN FOR look IN 1..12000 LOOP \
                IF EXISTS (SELECT FROM released) THEN RETURN; END IF; PERFORM pg_sleep(0.005); END LOOP; \
                RAISE EXCEPTION 'the rows were not let go'; END $$
                """)
        }
        try await database.sees(
            1, sessionsWhere: "application_name = 'holder of \(database.name)' AND wait_event = 'PgSleep'")
    }

    func release() async throws {
        try await database.run("INSERT INTO released VALUES (true)")
        try await session.value
    }
}
