import CountersignCore

/// A write that waits for its turn, with its type erased.
struct PendingWrite: Sendable {
    /// Runs the body. What comes back tells the caller the result, and is called only once that is committed.
    let run: @Sendable (any StoreTransaction) throws -> @Sendable () -> Void
    /// Tells the caller that the write did not happen.
    let fail: @Sendable (any Error) -> Void
    /// When it has to be on the disk.
    let durability: Durability

    init<T: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (any StoreTransaction) throws -> T,
        _ continuation: UnsafeContinuation<T, any Error>
    ) {
        run = { transaction in
            let value = try body(transaction)
            return { continuation.resume(returning: value) }
        }
        fail = { continuation.resume(throwing: $0) }
        self.durability = durability
    }

    init(
        run: @escaping @Sendable (any StoreTransaction) throws -> @Sendable () -> Void,
        fail: @escaping @Sendable (any Error) -> Void, durability: Durability = .atOnce
    ) {
        self.run = run
        self.fail = fail
        self.durability = durability
    }
}
