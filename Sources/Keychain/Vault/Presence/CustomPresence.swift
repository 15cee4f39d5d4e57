import Dispatch
import KeychainTypes
import Synchronization

/// Asks in an application's own way: a dialogue, a request to another program.
public struct CustomPresence: PresenceProvider {
    public let asksPerson: Bool
    private let ask: @Sendable (PresenceRequest) throws -> LockedBytes

    /// - Parameter ask: runs on a thread of the vault's and may block it. What it throws beside a ``PresenceError`` reads
    ///   as ``PresenceError/unavailable(_:)``, a `CancellationError` as ``PresenceError/cancelled``.
    public init(asksPerson: Bool = true, _ ask: @escaping @Sendable (PresenceRequest) throws -> LockedBytes) {
        (self.asksPerson, self.ask) = (asksPerson, ask)
    }

    /// Runs `ask` in a task, and waits for it on the vault's thread.
    ///
    /// - Parameter timeout: when it is over the task is cancelled, what it still answers is wiped, and the request fails
    ///   with ``PresenceError/timedOut``.
    public init(
        asksPerson: Bool = true, timeout: Duration = .seconds(300),
        async ask: @escaping @Sendable (PresenceRequest) async throws -> LockedBytes
    ) {
        self.init(asksPerson: asksPerson) { request in
            // A task that waits for another can wait for ever: the other may need its thread.
            guard withUnsafeCurrentTask(body: { $0 == nil }) else {
                throw PresenceError.unavailable("an asynchronous provider was called from within a task")
            }
            let box = AnswerBox()
            let task = Task {
                let answer: Result<LockedBytes, any Error>
                do { answer = .success(try await ask(request)) } catch { answer = .failure(error) }
                box.put(answer)
            }
            guard let answer = box.take(within: timeout) else {
                task.cancel()
                throw PresenceError.timedOut
            }
            return try answer.get()
        }
    }

    public func credential(for request: PresenceRequest) throws(PresenceError) -> LockedBytes {
        do {
            return try ask(request)
        } catch let error as PresenceError {
            throw error
        } catch is CancellationError {
            throw .cancelled
        } catch {
            // Its text is the application's, and may say what was typed.
            throw .unavailable("the application's prompt failed (\(type(of: error)))")
        }
    }
}

/// Carries one answer from a task to a thread that waits for it.
private final class AnswerBox: Sendable {
    private let answer = Mutex<Result<LockedBytes, any Error>?>(nil)
    private let arrived = DispatchSemaphore(value: 0)

    func put(_ result: Result<LockedBytes, any Error>) {
        answer.withLock { $0 = result }
        arrived.signal()
    }

    func take(within timeout: Duration) -> Result<LockedBytes, any Error>? {
        let milliseconds = Int(clamping: timeout.components.seconds).multipliedReportingOverflow(by: 1000)
        let fraction = Int(timeout.components.attoseconds / 1_000_000_000_000_000)
        let limit =
            milliseconds.overflow
            ? DispatchTime.distantFuture : .now() + .milliseconds(milliseconds.partialValue + fraction)
        guard arrived.wait(timeout: limit) == .success else { return nil }
        return answer.withLock { $0.take() }
    }
}

extension PresenceProvider where Self == CustomPresence {
    /// Asks by a closure that may block: `.custom { request in … }`.
    public static func custom(
        asksPerson: Bool = true, _ ask: @escaping @Sendable (PresenceRequest) throws -> LockedBytes
    ) -> Self {
        CustomPresence(asksPerson: asksPerson, ask)
    }

    /// Asks by an asynchronous closure: `.custom(async: { request in … })`.
    public static func custom(
        asksPerson: Bool = true, timeout: Duration = .seconds(300),
        async ask: @escaping @Sendable (PresenceRequest) async throws -> LockedBytes
    ) -> Self {
        CustomPresence(asksPerson: asksPerson, timeout: timeout, async: ask)
    }
}
