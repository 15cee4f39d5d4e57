import CountersignCore

/// What a body gave, on its way to the caller that waits for it.
private struct Delivery {
    let deliver: () -> Void
}

/// A transaction that waits for its turn, with its type erased.
struct PendingTransaction: Sendable {
    enum Ending {
        /// It is over, well or badly. Resumes the waiting caller.
        case over(tell: () -> Void)
        case lostRace(PostgresFailure, for: ContestedRow?)
        case lostConnection(PostgresFailure)
        case readOnly(PostgresFailure)
    }

    /// Runs the body once.
    let attempt: @Sendable (PostgresLink) -> Ending
    /// Tells the waiting caller that it was not done.
    let fail: @Sendable (StoreError) -> Void

    init<T: Sendable>(
        _ mode: TransactionMode, _ body: @escaping @Sendable (any StoreTransaction) throws -> T,
        _ continuation: CheckedContinuation<T, any Error>
    ) {
        attempt = { link in
            // What the body gives goes to its caller from here: a value whose type is known only at run time would be copied at each step
            // of the way back.
            let outcome = mode.attempt(on: link) { transaction -> Delivery in
                let value = try body(transaction)
                return Delivery { continuation.resume(returning: value) }
            }
            switch outcome {
            case .done(let delivery): return .over(tell: delivery.deliver)
            case .failed(let error): return .over { continuation.resume(throwing: error) }
            case .lostRace(let failure, let row): return .lostRace(failure, for: row)
            case .lostConnection(let failure): return .lostConnection(failure)
            case .readOnly(let failure): return .readOnly(failure)
            }
        }
        fail = { continuation.resume(throwing: $0) }
    }
}
