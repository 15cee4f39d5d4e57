import CountersignCore
import Testing

@testable import StorePostgres

@Suite("What the pool of connections knows")
struct PoolStateTests {
    private typealias State = ConnectionThreads.State
    private typealias News = ConnectionThreads.News
    private typealias Report = ConnectionThreads.Report

    private static let deadline = ContinuousClock.now + .seconds(1000)

    @Test
    func `Only what was run to its end counts as a transaction, and what is to run again as a lost race`() async throws
    {
        var (state, news) = (try await pool(waiting: 3), News())
        let taken = (0..<3).compactMap { _ in state.queue.take() }
        try #require(taken.count == 3)
        state.note(Report(entry: taken[0], verdict: .over, roundTrips: 2, statements: 3), in: &news)
        state.note(Report(entry: taken[1], verdict: .refused, roundTrips: 2, statements: 3), in: &news)
        state.note(Report(entry: taken[2], verdict: .lostRace(nil), roundTrips: 2, statements: 3), in: &news)
        var expected = PostgresStore.Statistics()
        (expected.transactions, expected.lostRaces, expected.roundTrips, expected.statements) = (1, 1, 6, 9)
        #expect(state.statistics == expected)
        #expect(state.queue.waiting == 1, "the one that is to run again")
    }

    @Test(arguments: [true, false])
    func `One that waits again is refused in time, also where the sweep of its arrival found it running`(_ loses: Bool)
        async throws
    {
        var (state, news) = (try await pool(waiting: 2), News())
        state.queue.room = 2
        let taken = (0..<2).compactMap { _ in state.queue.takeTogether() }
        try #require(taken.count == 2)
        #expect(state.nextSweep == nil && state.queue.nextDeadline(in: nil) == nil)
        state.note(Report(entry: taken[0], verdict: loses ? .lostRace(nil) : .single), in: &news)
        #expect(news.nextSweep == Self.deadline && state.nextSweep == Self.deadline)
        news = News()
        state.note(Report(entry: taken[1], verdict: loses ? .lostRace(nil) : .single), in: &news)
        #expect(news.nextSweep == nil, "the one that is planned comes in time for both")
    }

    @Test
    func `A write that wakes two threads gets the one a connection, whichever of them is faster`() async throws {
        var state = try await pool(waiting: 2)
        (state.sleepers, state.multiplexerSleeps) = (2, true)
        #expect(wakes(&state) == [true, true])
        let taken = [state.queue.take(), state.queue.take()].compactMap { $0 }
        try #require(taken.count == 2)
        #expect(!state.wantsLink, "nothing waits any more")
        let (first, second) = (state.claimsLink(), state.claimsLink())
        #expect([first, second] == [true, false])
        // It sleeps again, and another write comes.
        state.multiplexerSleeps = true
        let next = try await write()
        _ = state.queue.add(next, .write, at: .now, deadline: Self.deadline, goesTogether: true)
        #expect(wakes(&state) == [true, false], "one is being made")
    }

    @Test
    func `A thread that makes a connection is one of those that closing waits for, and none is begun for nothing then`()
        async throws
    {
        var state = try await pool(waiting: 1)
        let before = state.livingThreads
        let claimed = state.claimsLink()
        #expect(claimed && state.livingThreads == before + 1)
        let again = state.claimsLink()
        #expect(!again && state.livingThreads == before + 1)

        var closed = try await pool(waiting: 1)
        closed.multiplexerSleeps = true
        #expect(wakes(&closed) == [false, true], "it wants a connection")
        let taken = closed.queue.take()
        closed.queue.close()
        let claimedLate = closed.claimsLink()
        #expect(taken != nil && !claimedLate && closed.livingThreads == before)
    }

    private func wakes(_ state: inout State) -> [Bool] {
        let wakes = state.wakes()
        return [wakes.sleeper, wakes.multiplexer]
    }

    /// - Parameter waiting: writes that may be run together.
    private func pool(waiting: Int) async throws -> State {
        var queue = TransactionQueue<PendingTransaction>(threads: 4, capacity: 9)
        for _ in 0..<waiting {
            let admission = queue.add(
                try await write(), .write, at: .now, deadline: Self.deadline, goesTogether: true)
            #expect(admission == .waits)
        }
        return State(queue: queue, livingThreads: 5)
    }

    /// A write that is only queued: its caller has its answer.
    private func write() async throws -> PendingTransaction {
        try await withCheckedThrowingContinuation { continuation in
            continuation.resume(
                returning: PendingTransaction(.write(.rows, .atOnce), { _ in throw NotRun() }, continuation))
        }
    }
}

private struct NotRun: Error {}
