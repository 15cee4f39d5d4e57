import Foundation
import KeychainTypes
import Synchronization

/// Runs providers on a thread of its own, one request after the other, while the asking thread waits. So a prompt never
/// takes a thread that other work needs to go on: the wait holds the caller's thread and no other.
final class PromptThread: Sendable {
    /// Serialises the providers' calls. Only threads of our own wait for it.
    private let turn = NSLock()
    /// Once is enough: a command-line program has no other thread to keep free.
    private static let hasWarned = Atomic(false)

    /// The answer that a caller waits for: the provider's, or that the caller no longer waits.
    final class Ticket: Sendable {
        private let outcome = Mutex<Result<LockedBytes, KeychainError>?>(nil)
        private let signal = DispatchSemaphore(value: 0)

        /// The first outcome counts.
        func settle(_ result: Result<LockedBytes, KeychainError>) {
            let isFirst = outcome.withLock { outcome in
                guard outcome == nil else { return false }
                outcome = result
                return true
            }
            if isFirst { signal.signal() }
        }

        fileprivate var isSettled: Bool { outcome.withLock { $0 != nil } }

        fileprivate func wait() throws(KeychainError) -> LockedBytes {
            signal.wait()
            // Taken out, so that the answer lives no longer than its use.
            return try outcome.withLock { outcome in
                let result = outcome ?? .failure(.cancelled)
                outcome = .failure(.cancelled)
                return result
            }.get()
        }
    }

    /// - Parameter context: Whose invalidation ends the wait.
    func ask(
        context: AuthenticationContext?, log: @Sendable (String) -> Void,
        _ question: @escaping @Sendable () -> Result<LockedBytes, KeychainError>
    ) throws(KeychainError) -> LockedBytes {
        if Thread.isMainThread, !Self.hasWarned.exchange(true, ordering: .relaxed) {
            log("a prompt blocks the main thread: a program with a user interface calls the keychain from another one")
        }
        let ticket = Ticket()
        try context?.begin(ticket)
        defer { context?.end(ticket) }
        let turn = turn
        let thread = Thread {
            turn.lock()
            defer { turn.unlock() }
            if !ticket.isSettled { ticket.settle(question()) }
        }
        thread.name = "keychain prompt"
        thread.start()
        return try ticket.wait()
    }
}
