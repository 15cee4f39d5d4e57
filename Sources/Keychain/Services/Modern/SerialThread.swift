import Foundation
import KeychainTypes

/// A thread that runs one job after another, for calls that block: a prompt waits for a person, a key is derived for a
/// second. On Swift's cooperative pool they would stop everything else in the process.
///
/// Unchecked because `waiting`, `lastNumber` and `isStarted` are touched with `condition` locked alone.
final class SerialThread: @unchecked Sendable {
    private struct Job: Sendable {
        let number: Int
        let run: @Sendable () -> Void
        let withdraw: @Sendable () -> Void
    }

    private let condition = NSCondition()
    private let name: String
    private let limit: Int
    private var waiting: [Job] = []
    private var lastNumber = 0
    private var isStarted = false

    /// - Parameter limit: How many jobs may wait; one more is refused.
    init(name: String, limit: Int = 256) {
        self.name = name
        self.limit = limit
    }

    /// Runs `body` on the thread. A task that is cancelled while it waits leaves the queue; when `body` runs already,
    /// `interrupt` is called, and may make it end sooner.
    ///
    /// - Throws: `cancelled` where the task is cancelled before `body` began, `notAvailable` where too many wait, and what
    ///   `body` throws.
    func run<T: Sendable>(
        interrupt: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable () throws(KeychainError) -> T
    ) async throws(KeychainError) -> T {
        let ticket = Ticket()
        let result: Result<T, KeychainError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enqueue(
                    ticket,
                    run: { continuation.resume(returning: Result(catching: body)) },
                    refuse: { continuation.resume(returning: .failure($0)) })
            }
        } onCancel: {
            cancel(ticket, interrupt)
        }
        return try result.get()
    }

    /// Which job is a task's.
    ///
    /// Unchecked because its members are touched with the thread's `condition` locked alone.
    private final class Ticket: @unchecked Sendable {
        var number: Int?
        var isCancelled = false
    }

    private func enqueue(
        _ ticket: Ticket, run: @escaping @Sendable () -> Void, refuse: @escaping @Sendable (KeychainError) -> Void
    ) {
        condition.lock()
        let refusal: KeychainError? =
            if ticket.isCancelled {
                .cancelled
            } else if waiting.count >= limit {
                .notAvailable("more than \(limit) calls wait for the keychain: call again later")
            } else {
                nil
            }
        if let refusal {
            condition.unlock()
            return refuse(refusal)
        }
        lastNumber += 1
        ticket.number = lastNumber
        waiting.append(Job(number: lastNumber, run: run, withdraw: { refuse(.cancelled) }))
        if !isStarted {
            isStarted = true
            let thread = Thread { self.work() }
            thread.name = name
            thread.start()
        }
        condition.signal()
        condition.unlock()
    }

    private func cancel(_ ticket: Ticket, _ interrupt: @Sendable () -> Void) {
        condition.lock()
        ticket.isCancelled = true
        let index = waiting.firstIndex { $0.number == ticket.number }
        let job = index.map { waiting.remove(at: $0) }
        let hasBegun = job == nil && ticket.number != nil
        condition.unlock()
        job?.withdraw()
        if hasBegun { interrupt() }
    }

    private func work() {
        while true {
            condition.lock()
            while waiting.isEmpty { condition.wait() }
            let job = waiting.removeFirst()
            condition.unlock()
            job.run()
        }
    }
}
