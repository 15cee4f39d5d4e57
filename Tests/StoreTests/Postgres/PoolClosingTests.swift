import CountersignCore
import Dispatch
import Logging
import Synchronization
import Testing

@testable import StorePostgres

/// The pool where no connection is made: without a database.
@Suite("The pool of connections while there is none", .timeLimit(.minutes(20)))
struct PoolClosingTests {
    /// Look-ups of the host's name, which end when the test says so.
    private final class LookUps: Sendable {
        private let begun = AsyncStream<Void>.makeStream()
        private let gate = DispatchSemaphore(value: 0)

        /// What the pool makes its connections by.
        func connect() throws -> PostgresLink {
            begun.continuation.yield()
            gate.wait()
            gate.signal()
            throw PostgresFailure(lost: "there is no such host")
        }

        func isBegun() async { for await _ in begun.stream { break } }

        /// Ends those that are under way and those that follow.
        func end() { gate.signal() }
    }

    private func pool(
        _ connections: Int, _ lookUps: LookUps, patience: Duration = .seconds(1000),
        start: @escaping OwnThread.Starter = { try OwnThread.start($0, $1) }
    ) throws -> ConnectionThreads {
        var options = PostgresStore.Options()
        options.connections = connections
        options.patience = patience
        (options.connectTimeout, options.statementTimeout) = (.milliseconds(1), .milliseconds(1))
        options.outagePatience = .milliseconds(1)
        return try ConnectionThreads(
            url: DatabaseURL(Secret("postgres://db.example/countersign")), options: options, random: SystemRandom(),
            logger: Logger(label: "pool") { _ in SwiftLogNoOpLogHandler() },
            connect: { _, _ in try lookUps.connect() }, start: start)
    }

    /// Why a transaction was not done.
    private func refusal(_ pool: ConnectionThreads, _ mode: TransactionMode = .read) async -> StoreError.Code? {
        do {
            try await pool.run(mode) { _ in }
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test
    func `Closing does not wait for a look-up that does not end, and what waits for its connection is refused`()
        async throws
    {
        let lookUps = LookUps()
        let pool = try pool(1, lookUps)
        async let refused = refusal(pool)
        await lookUps.isBegun()
        pool.close()
        await pool.ended()
        #expect(await refused == .unavailable)
        lookUps.end()
    }

    @Test
    func `A transaction is refused when its time is over, also while the host's name is looked up`() async throws {
        let lookUps = LookUps()
        let pool = try pool(1, lookUps, patience: .milliseconds(100))
        // The other is that of one that no thread has taken by then.
        let code = await refusal(pool)
        #expect(code == .unavailable || code == .overloaded)
        pool.close()
        lookUps.end()
        await pool.ended()
    }

    @Test func `A thread for a connection that the system does not start is not waited for`() async throws {
        let lookUps = LookUps()
        let (requests, request) = AsyncStream<Void>.makeStream()
        let pool = try pool(6, lookUps) { name, body throws(OwnThread.Shortage) in
            guard name == "postgres-connect" else { return try OwnThread.start(name, body) }
            request.yield()
            throw OwnThread.Shortage()
        }
        // Two threads may write at a time. The third write is for the thread that runs several, which has no connection.
        async let first = refusal(pool, .write(.rows, .atOnce))
        async let second = refusal(pool, .write(.rows, .atOnce))
        async let third = refusal(pool, .write(.rows, .atOnce))
        for await _ in requests { break }
        pool.close()
        lookUps.end()
        await pool.ended()
        #expect(await [first, second, third] == [.unavailable, .unavailable, .unavailable])
    }

    @Test
    func `A pool that the system starts too few threads for says so, and those that it started end`() async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let refusal = #expect(throws: StoreError.self) {
            try pool(3, LookUps()) { name, body throws(OwnThread.Shortage) in
                if name == "postgres-3" { throw OwnThread.Shortage() }
                try OwnThread.start(name) {
                    body()
                    end.yield()
                }
            }
        }
        #expect(refusal?.code == .unavailable && refusal?.sentence.contains("ulimit -u") == true)
        var started = 2
        for await _ in ends {
            started -= 1
            if started == 0 { break }
        }
    }
}
