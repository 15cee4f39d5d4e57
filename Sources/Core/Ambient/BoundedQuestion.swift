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
        var underWay: UnderWay?
    }

    private let patience: Duration
    private let state = Mutex(State())

    /// - Parameter patience: how long to wait for an answer, from when its question was asked.
    public init(patience: Duration) {
        self.patience = patience
    }

    /// The answer.
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
        guard let fresh = try? await question.answer(read) else { return known }
        remember(fresh)
        return fresh
    }

    private func remember(_ value: Value) {
        last.withLock { $0 = value }
    }
}
