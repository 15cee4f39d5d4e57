import CountersignCore
import StoreSQL

/// How one run of a transaction ended.
enum TransactionOutcome<Value> {
    case done(Value)
    /// Undone, because of what others committed meanwhile: run it again.
    case lostRace(PostgresFailure)
    /// The connection ended before `COMMIT` was sent, so that nothing was written: run it again on a fresh one.
    case lostConnection(PostgresFailure)
    /// The body threw, or PostgreSQL refused for good. Nothing was written – but where the connection ended while a
    /// `COMMIT` was under way: then nobody knows.
    case failed(any Error)
}

extension TransactionKind {
    /// Runs the body once, in a transaction on the connection.
    func attempt<T>(
        on link: PostgresLink, _ body: (any StoreTransaction) throws -> T
    ) -> TransactionOutcome<T> {
        do {
            try link.run(beginning)
        } catch {
            return outcome(of: error)
        }
        let connection = PostgresConnection(link)
        let result = Result { try body(SQLTransaction(connection)) }
        if let failure = connection.failure {
            rollBack(link)
            // What the body threw because of a lost race, or made of it, counts as little as what it read.
            switch (result, outcome(of: failure) as TransactionOutcome<T>) {
            case (.failure(let error), .failed): return .failed(error)
            case (_, let outcome): return outcome
            }
        }
        switch result {
        case .failure(let error):
            rollBack(link)
            return .failed(error)
        case .success(let value):
            return self == .write ? commit(value, on: link) : end(value, on: link)
        }
    }

    /// SERIALIZABLE for what writes: bodies read, decide and write, and are written as if each were alone. A read
    /// needs one snapshot, which never waits and never fails (docs/decisions/0020-postgres-isolation.md).
    private var beginning: String {
        switch self {
        case .read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        case .write: "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE"
        }
    }

    private func commit<T>(_ value: T, on link: PostgresLink) -> TransactionOutcome<T> {
        // While it is certain that nothing was committed: afterwards it no longer is.
        if link.isLost() { return .lostConnection(PostgresFailure(lost: "the connection ended before the commit")) }
        do {
            let tag = try link.run("COMMIT")
            // The server answers so where the transaction had failed before.
            guard tag == "COMMIT" else {
                return .failed(StoreError(.unavailable, "PostgreSQL: \(tag) was the answer to COMMIT"))
            }
            return .done(value)
        } catch let failure as PostgresFailure where failure.consequence == .reconnect {
            return .failed(
                StoreError(
                    .outcomeUnknown,
                    "the connection ended while a commit was under way, and it is not known whether it was done: "
                        + failure.description))
        } catch {
            return outcome(of: error)
        }
    }

    /// A read has what it wanted, however its transaction ends.
    private func end<T>(_ value: T, on link: PostgresLink) -> TransactionOutcome<T> {
        _ = try? link.run("COMMIT")
        return .done(value)
    }

    /// Where it fails, the connection is of no use any more, and the server rolls back by itself.
    private func rollBack(_ link: PostgresLink) {
        _ = try? link.run("ROLLBACK")
    }

    private func outcome<T>(of error: any Error) -> TransactionOutcome<T> {
        guard let failure = error as? PostgresFailure else { return .failed(error) }
        return switch (failure.consequence, self) {
        case (.runAgain, _): .lostRace(failure)
        case (.reconnect, _), (.readOnly, .write): .lostConnection(failure)
        case (.readOnly, .read), (.giveUp, _): .failed(failure.storeError)
        }
    }
}
