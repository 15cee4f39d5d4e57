import CountersignCore

/// What a body gave, on its way to the caller that waits for it.
struct Delivery {
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
    /// Makes it one of several that a thread runs together, behind the commit of another or not; nil for what runs by itself.
    let stage: (@Sendable (PostgresLink, _ isBehind: Bool) -> StagedTransaction)?
    /// Tells the waiting caller that it was not done.
    let fail: @Sendable (StoreError) -> Void

    init<T: Sendable>(
        _ mode: TransactionMode, _ body: @escaping @Sendable (any StoreTransaction) throws -> T,
        _ continuation: CheckedContinuation<T, any Error>
    ) {
        // What the body gives goes to its caller from here: a value whose type is known only at run time would be copied at each step of the
        // way back.
        let delivering: @Sendable (any StoreTransaction) throws -> Delivery = { transaction in
            let value = try body(transaction)
            return Delivery { continuation.resume(returning: value) }
        }
        let throwing: @Sendable (any Error) -> Void = { continuation.resume(throwing: $0) }
        attempt = { link in Ending(mode.attempt(on: link, delivering), throwing) }
        if mode.isByRows {
            stage = { link, isBehind in
                StagedTransaction(mode, on: link, isBehind: isBehind, delivering, throwing)
            }
        } else {
            stage = nil
        }
        fail = { continuation.resume(throwing: $0) }
    }
}

extension PendingTransaction.Ending {
    /// - Parameter fail: tells the waiting caller of an error.
    init(_ outcome: TransactionOutcome<Delivery>, _ fail: @escaping @Sendable (any Error) -> Void) {
        self =
            switch outcome {
            case .done(let delivery): .over(tell: delivery.deliver)
            case .failed(let error): .over { fail(error) }
            case .lostRace(let failure, let row): .lostRace(failure, for: row)
            case .lostConnection(let failure): .lostConnection(failure)
            case .readOnly(let failure): .readOnly(failure)
            }
    }
}
