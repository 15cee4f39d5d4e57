import ClientHTTP
import Dispatch
import Foundation

/// Runs what may wait for a person or a chip, one after another, on a thread that nothing else needs: neither the main one
/// nor one of Swift's pool.
enum SigningQueue {
    /// How many may wait; one more is refused.
    static let limit = 64

    private static let queue = DispatchQueue(label: "guardian-signing")
    private static let waiting = Locked(0)

    static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
        let isTaken = waiting.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isTaken else { throw GuardianError.unsupported("More than \(limit) signatures at once") }
        defer { waiting.withLock { $0 -= 1 } }
        return await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }
}
