import ClientHTTP

/// A result that comes later, once, for one caller.
final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiter: CheckedContinuation<Value, any Error>?
    }

    private let state = Locked(State())

    /// The first result counts.
    func fulfil(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state in
            guard state.result == nil else { return nil as CheckedContinuation<Value, any Error>? }
            state.result = result
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(with: result)
    }

    /// Waits for the result; ends early with `CancellationError` where the task is cancelled. Only one may wait.
    func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state in
                    if state.result == nil { state.waiter = continuation }
                    return state.result
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            fulfil(.failure(CancellationError()))
        }
    }
}

extension Task where Failure == any Error {
    /// The task's value; ends early where the waiting caller is cancelled, and leaves the task alone.
    func valueUnlessCancelled() async throws -> Success {
        let promise = Promise<Success>()
        Task<Void, Never> { promise.fulfil(await self.result) }
        return try await promise.value()
    }
}
