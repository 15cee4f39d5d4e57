/// A completion handler for a result. Handlers run on the main actor.
///
/// On Linux that is the main dispatch queue: it runs while an asynchronous `main` waits, and in `RunLoop.main.run()`
/// and `dispatchMain()` (only in the second of the three is it the thread that the program began on). A program that
/// blocks its main thread, with a semaphore say, blocks its handlers too; the `async` twin of each method needs no
/// main thread.
public typealias AuthCompletion<Value> = @MainActor @Sendable (Value?, (any Error)?) -> Void

/// A completion handler where there is no result but success. See ``AuthCompletion``.
public typealias AuthVoidCompletion = @MainActor @Sendable ((any Error)?) -> Void

/// Runs the asynchronous form of a method for the sake of its completion form.
func complete<Value: Sendable>(
    _ completion: AuthCompletion<Value>?, with work: @escaping @Sendable () async throws -> Value
) {
    Task {
        do {
            let value = try await work()
            await completion?(value, nil)
        } catch {
            await completion?(nil, error)
        }
    }
}

func complete(_ completion: AuthVoidCompletion?, with work: @escaping @Sendable () async throws -> Void) {
    Task {
        do {
            try await work()
            await completion?(nil)
        } catch {
            await completion?(error)
        }
    }
}
