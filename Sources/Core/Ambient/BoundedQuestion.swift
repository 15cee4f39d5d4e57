import Synchronization

/// A question whose callers wait no longer than a bound, and that is asked once for all concurrent callers.
///
/// Work that cannot be cancelled – a transaction on a database that is frozen – continues in the background until it
/// ends. Until then no other is started, and a caller that comes later than the bound does not wait at all.
public final class BoundedQuestion<Answer: Sendable>: Sendable {
    private struct UnderWay: Sendable {
        let number: Int
        let begin: ContinuousClock.Instant
        let task: Task<Answer, any Error>
    }

    private struct State: Sendable {
        var asked = 0
        /// Callers who wait for the end of a question that was asked before they came.
        var waiting = 0
        var underWay: UnderWay?
    }

    private let patience: Duration
    private let state = Mutex(State())

    /// - Parameter patience: how long to wait for an answer, from when its question was asked.
    public init(patience: Duration) {
        self.patience = patience
    }

    /// The answer, maybe of a question that was asked before the call.
    /// - Parameter ask: called if no other question is under way.
    /// - Returns: nil where there is none in time.
    /// - Throws: what `ask` throws in time.
    public func answer(_ ask: @escaping @Sendable () async throws -> Answer) async throws -> Answer? {
        let underWay = state.withLock { state in
            if let present = state.underWay { return present }
            state.asked += 1
            let number = state.asked
            let fresh = UnderWay(
                number: number, begin: .now,
                task: Task {
                    defer { self.end(number) }
                    return try await ask()
                })
            state.underWay = fresh
            return fresh
        }
        return try await Self.wait(for: underWay.task, until: underWay.begin + patience)
    }

    /// The answer of a question that is asked after the call, so that it has what was committed before. Callers who come while one is
    /// under way wait for its end, and then share the next.
    /// - Parameter ask: called if no other such question is under way.
    /// - Returns: nil where there is none in time.
    /// - Throws: what `ask` throws in time.
    public func presentAnswer(_ ask: @escaping @Sendable () async throws -> Answer) async throws -> Answer? {
        let earlier: UnderWay? = state.withLock { state in
            if state.underWay != nil { state.waiting += 1 }
            return state.underWay
        }
        guard let earlier else { return try await answer(ask) }
        defer { state.withLock { $0.waiting -= 1 } }
        do {
            guard try await Self.wait(for: earlier.task, until: earlier.begin + patience) != nil else { return nil }
        } catch {
            // That one failed; this one may not.
        }
        return try await answer(ask)
    }

    /// How many callers wait for the end of a question that was asked before they came.
    var waiting: Int { state.withLock { $0.waiting } }

    private func end(_ number: Int) {
        state.withLock { state in
            if state.underWay?.number == number { state.underWay = nil }
        }
    }

    private static func wait(
        for task: Task<Answer, any Error>, until deadline: ContinuousClock.Instant
    ) async throws -> Answer? {
        guard deadline > .now else { return nil }
        let (results, told) = AsyncStream<Result<Answer, any Error>>.makeStream(bufferingPolicy: .bufferingNewest(1))
        Task {
            told.yield(await task.result)
            told.finish()
        }
        let timer = Task {
            try? await Task.sleep(until: deadline, clock: .continuous)
            told.finish()
        }
        defer { timer.cancel() }
        for await result in results { return try result.get() }
        return nil
    }
}

/// What was read from the store last, for what has to be answered also while the store does not answer.
public final class Remembered<Value: Sendable>: Sendable {
    private let question: BoundedQuestion<Value>
    private let last = Mutex<Value?>(nil)

    /// - Parameter patience: how long to wait for the present value, where there is one of before.
    public init(patience: Duration = .seconds(1)) {
        question = BoundedQuestion(patience: patience)
    }

    /// The present value; the one of before where the store does not give it in time, or fails.
    /// - Throws: what `read` throws, where there is none of before.
    public func value(_ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard let known = last.withLock({ $0 }) else {
            let first = try await read()
            remember(first)
            return first
        }
        guard let fresh = try? await question.presentAnswer(read) else { return known }
        remember(fresh)
        return fresh
    }

    private func remember(_ value: Value) {
        last.withLock { $0 = value }
    }
}
