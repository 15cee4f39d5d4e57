import Foundation

/// A value protected by a lock, for client modules: `Mutex` needs systems newer than those that they run on.
///
/// The body must be short and must not wait for anything.
public final class Locked<Value: Sendable>: @unchecked Sendable {
    // Proof: `value` is read and written only in `withLock`, while `lock` is held, and what leaves it is Sendable or
    // was the caller's own.
    private var value: Value
    private let lock = NSLock()

    public init(_ value: Value) { self.value = value }

    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }

    /// A copy of the value as it is now.
    public var current: Value { withLock { $0 } }
}
