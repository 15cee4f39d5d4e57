import CountersignCore

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
            switch mode.attempt(on: link, body) {
            case .done(let value): .over { continuation.resume(returning: value) }
            case .failed(let error): .over { continuation.resume(throwing: error) }
            case .lostRace(let failure, let row): .lostRace(failure, for: row)
            case .lostConnection(let failure): .lostConnection(failure)
            case .readOnly(let failure): .readOnly(failure)
            }
        }
        fail = { continuation.resume(throwing: $0) }
    }
}
