import CHugePages
import CountersignCore
import Dispatch
import Foundation
import Synchronization

/// Threads that do nothing but hash.
///
/// They are real threads because a hash keeps a core busy for tens of milliseconds: on Swift's cooperative pool, which
/// has one thread a core, a burst of sign-ins would stop everything else in the process.
/// Their priority is lower than that of the threads that serve, so that a cheap request does not wait for a hash.
final class HashingThreads: Sendable {
    private struct Job: Sendable {
        let run: @Sendable () -> Void
        let cancel: @Sendable () -> Void
    }

    private let queue: Mutex<HashingQueue<Job>>
    /// Signalled once for each admitted job, and once a thread at the end. Only these threads wait for it.
    private let wake = DispatchSemaphore(value: 0)
    private let count: Int

    /// Seconds that an admitted request waits, at the pace of the hashes before. Clients give up after a minute.
    private static let longestWait = 60.0

    /// - Parameter seconds: what one hash took.
    /// - Throws: ``OwnThread/Shortage``; those that were started end.
    init(
        count: Int, queueLimit: Int, seconds: Double, start: OwnThread.Starter = { try OwnThread.start($0, $1) }
    ) throws(OwnThread.Shortage) {
        self.count = count
        queue = Mutex(
            HashingQueue(threads: count, limit: queueLimit, longestWait: Self.longestWait, seconds: seconds))
        do {
            for number in 1...count { try start("password-\(number)") { self.work() } }
        } catch {
            close()
            throw error
        }
    }

    /// Runs `body` on one of the threads. A task that is cancelled while it waits leaves the queue, so that clients
    /// that went away do not keep those who stayed waiting; once `body` runs, it runs to its end.
    /// - Throws: ``PasswordHashingOverload``, ``PasswordHashingError`` (`closed`), `CancellationError`, and what `body`
    ///   throws.
    func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try Task.checkCancellation()
        let number = Mutex<Int?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
                let job = Job(
                    run: { continuation.resume(with: Result(catching: body)) },
                    cancel: { continuation.resume(throwing: CancellationError()) })
                switch queue.withLock({ $0.admit(job) }) {
                case .admitted(let admitted):
                    number.withLock { $0 = admitted }
                    wake.signal()
                case .refused(let retryAfter):
                    continuation.resume(throwing: PasswordHashingOverload(retryAfter: retryAfter))
                case .closed:
                    continuation.resume(
                        throwing: PasswordHashingError(.closed, "password hashing was shut down"))
                }
            }
        } onCancel: {
            // Cancelled in the instant before it has its number, a job is still done, and its result is ignored.
            guard let number = number.withLock({ $0 }) else { return }
            queue.withLock { $0.withdraw(number) }?.cancel()
        }
    }

    /// Jobs that run or wait.
    var load: Int { queue.withLock { $0.load } }

    /// Admits no more; what was admitted is done, then the threads end. Calling it again does nothing.
    func close() {
        let first = queue.withLock { queue in
            defer { queue.close() }
            return !queue.isClosed
        }
        guard first else { return }
        for _ in 0..<count { wake.signal() }
    }

    /// How much nicer than the threads that serve: a request that takes microseconds does not wait for a hash's turn to
    /// end (docs/decisions/0167-hashes-yield-to-requests.md).
    private static let niceness: Int32 = 10

    private static func yieldToOthers() {
        #if os(Linux)
            // On Linux this is the calling thread's alone.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
        #endif
    }

    private func work() {
        Self.yieldToOthers()
        // Half of a hash is otherwise the system's, which fills and frees 4,864 pages for it (docs/decisions/0554).
        countersign_thread_maps_huge_pages()
        let clock = ContinuousClock()
        while true {
            wake.wait()
            // A signal without a job belongs to one that was withdrawn, or to the end.
            guard let job = queue.withLock({ $0.take() }) else {
                if queue.withLock({ $0.isFinished }) { return }
                continue
            }
            let duration = clock.measure { job.run() }
            queue.withLock { $0.finished(after: duration / .seconds(1)) }
        }
    }
}
