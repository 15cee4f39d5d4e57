import CountersignCore
import StoreSQL

/// How one run of a transaction ended.
enum TransactionOutcome<Value> {
    case done(Value)
    /// Undone, because of what others committed meanwhile: run it again.
    case lostRace(PostgresFailure)
    /// The connection ended before `COMMIT` was sent, so that nothing was written: run it again on a fresh one.
    case lostConnection(PostgresFailure)
    /// A write on a connection that takes none. Nothing was written; a fresh connection may lead elsewhere.
    case readOnly(PostgresFailure)
    /// The body threw, PostgreSQL refused for good, or did not answer in time. Nothing was written – but where the
    /// connection ended, or the time was up, while a `COMMIT` was under way: then the outcome is unknown.
    case failed(any Error)
}

extension TransactionKind {
    /// Runs the body in a transaction on the connection: once where changes do what the body was told that they do, and
    /// otherwise again with exact answers.
    func attempt<T>(
        on link: PostgresLink, _ body: (any StoreTransaction) throws -> T
    ) -> TransactionOutcome<T> {
        attempt(on: link, foreseeing: true, body) ?? attempt(on: link, foreseeing: false, body)
            ?? .failed(PostgresFailure.unforeseen.storeError)
    }

    /// - Returns: nil where something was not as it was foreseen; then nothing was done.
    private func attempt<T>(
        on link: PostgresLink, foreseeing: Bool, _ body: (any StoreTransaction) throws -> T
    ) -> TransactionOutcome<T>? {
        do {
            try link.begin(beginning)
        } catch {
            return outcome(of: error)
        }
        let connection = PostgresConnection(link, foresees: foreseeing)
        let result = Result { try SQLTransaction.run(on: connection, body) }
        // Neither what the body gives nor what it throws counts before it is certain that it was told the truth.
        // What is only to read may not have written either.
        connection.settle(all: self == .read)
        if let failure = connection.failure {
            link.rollBack()
            if failure.consequence == .unforeseen { return nil }
            // What the body threw because of a lost race, or made of it, counts as little as what it read.
            switch (result, outcome(of: failure) as TransactionOutcome<T>) {
            case (.failure(let error), .failed): return .failed(error)
            case (_, let outcome): return outcome
            }
        }
        switch result {
        case .failure(let error):
            link.rollBack()
            return .failed(error)
        case .success(let value):
            return self == .write ? commit(value, on: link) : end(value, on: link)
        }
    }

    /// SERIALIZABLE for what writes: bodies read, decide and write, and are written as if each were alone. A read
    /// needs one snapshot, which never waits and never fails (docs/decisions/0020-postgres-isolation.md).
    ///
    /// A write does not insist on writing: a database that was made read-only stays it.
    private var beginning: String {
        switch self {
        case .read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        case .write: "BEGIN ISOLATION LEVEL SERIALIZABLE"
        }
    }

    private func commit<T>(_ value: T, on link: PostgresLink) -> TransactionOutcome<T> {
        // While it is certain that nothing was committed: afterwards it no longer is.
        if link.isLost() { return .lostConnection(PostgresFailure(lost: "the connection ended before the commit")) }
        if link.isOverdue {
            let failure = link.overdue
            link.rollBack()
            return outcome(of: failure)
        }
        // A statement that was sent along may have failed, and the commit been passed over.
        defer { if link.isFailed { link.rollBack() } }
        do {
            let tag = try link.commit()
            // The server answers so where the transaction had failed before.
            guard tag == "COMMIT" else {
                return .failed(StoreError(.unavailable, "PostgreSQL: \(tag) was the answer to COMMIT"))
            }
            return .done(value)
        } catch let failure as PostgresFailure where [.reconnect, .silence].contains(failure.consequence) {
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
        _ = try? link.commit()
        return .done(value)
    }

    private func outcome<T>(of error: any Error) -> TransactionOutcome<T> {
        guard let failure = error as? PostgresFailure else { return .failed(error) }
        return switch (failure.consequence, self) {
        case (.runAgain, _): .lostRace(failure)
        case (.reconnect, _): .lostConnection(failure)
        case (.readOnly, .write): .readOnly(failure)
        case (.readOnly, .read), (.silence, _), (.unforeseen, _), (.giveUp, _): .failed(failure.storeError)
        }
    }
}
