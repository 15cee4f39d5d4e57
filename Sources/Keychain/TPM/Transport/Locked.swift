import Foundation

/// A value protected by a lock: `Mutex` needs systems newer than those that client modules run on. The lock is held
/// while a TPM works, which is its purpose: one exchange at a time.
final class Locked<Value: Sendable>: @unchecked Sendable {
    // Proof: `value` is read and written only in `withLock`, while `lock` is held, and what leaves it is Sendable or
    // was the caller's own.
    private var value: Value
    private let lock = NSLock()

    init(_ value: Value) { self.value = value }

    func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
