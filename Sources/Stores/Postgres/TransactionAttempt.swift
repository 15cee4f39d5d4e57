import CountersignCore
import StoreSQL

/// How one run of a transaction ended.
enum TransactionOutcome<Value> {
    case done(Value)
    /// Undone, because of what others committed meanwhile: run it again.
    /// - Parameter for: the row that it was about; nil where it may be about any.
    case lostRace(PostgresFailure, for: ContestedRow?)
    /// The connection ended before `COMMIT` was sent, so that nothing was written: run it again on a fresh one.
    case lostConnection(PostgresFailure)
    /// A write on a connection that takes none. Nothing was written; a fresh connection may lead elsewhere.
    case readOnly(PostgresFailure)
    /// The body threw, PostgreSQL refused for good, or did not answer in time. Nothing was written – but where the
    /// connection ended, or the time was up, while a `COMMIT` was under way: then the outcome is unknown.
    case failed(any Error)
}

/// How a transaction is run.
enum TransactionMode: Sendable {
    case read
    case write(Isolation, Durability)

    var kind: TransactionKind { if case .read = self { .read } else { .write } }

    /// Runs the body in a transaction on the connection: once where changes do what the body was told that they do, and
    /// otherwise again with exact answers. One isolated by rows that goes beyond them runs again, fully isolated.
    func attempt<T>(
        on link: PostgresLink, _ body: (any StoreTransaction) throws -> T
    ) -> TransactionOutcome<T> {
        var mode = self
        var foresees = true
        while true {
            switch mode.attempt(on: link, foreseeing: foresees, body) {
            case .ended(let outcome): return outcome
            case .unforeseen where foresees: foresees = false
            case .unforeseen: return .failed(PostgresFailure.unforeseen.storeError)
            case .beyondRows: mode = .write(.full, durability)
            }
        }
    }

    enum Attempted<Value> {
        case ended(TransactionOutcome<Value>)
        /// Something was not as it was foreseen; nothing was done.
        case unforeseen
        /// Its rules are about more than rows; nothing was done.
        case beyondRows
    }

    private func attempt<T>(
        on link: PostgresLink, foreseeing: Bool, _ body: (any StoreTransaction) throws -> T
    ) -> Attempted<T> {
        do {
            for command in beginning { try link.begin(command) }
        } catch {
            return .ended(outcome(of: error))
        }
        let connection = PostgresConnection(link, foresees: foreseeing, keepsToRows: isByRows)
        let result = Result { try SQLTransaction.run(on: connection, body) }
        // Neither what the body gives nor what it throws counts before it is certain that it was told the truth.
        // What is only to read may not have written either.
        if case .success = result, connection.commitsAlong {
            // The commit finds out.
        } else {
            connection.settle(all: kind == .read)
        }
        if let failure = connection.failure {
            link.rollBack()
            return attempted(failure, giving: result)
        }
        switch result {
        case .failure(let error):
            link.rollBack()
            return .ended(.failed(error))
        case .success(let value):
            return kind == .write ? commit(value, on: link) : .ended(end(value, on: link))
        }
    }

    /// How it ends where something of it failed.
    /// - Parameter result: what the body gave, or threw, by then.
    func attempted<T>(_ failure: PostgresFailure, giving result: Result<T, any Error>) -> Attempted<T> {
        if failure.consequence == .unforeseen { return .unforeseen }
        if failure.consequence == .beyondRows { return .beyondRows }
        // What the body threw because of a lost race, or made of it, counts as little as what it read.
        switch (result, outcome(of: failure) as TransactionOutcome<T>) {
        case (.failure(let error), .failed): return .ended(.failed(error))
        case (_, let outcome): return .ended(outcome)
        }
    }

    /// Whether one thread may run it together with others (``StagedTransaction``).
    var isByRows: Bool { if case .write(.rows, _) = self { true } else { false } }

    private var durability: Durability { if case .write(_, let durability) = self { durability } else { .atOnce } }

    /// SERIALIZABLE for what writes: bodies read, decide and write, and are written as if each were alone. Those that keep to
    /// rows have one snapshot in which the second to change a row loses, and no reads that PostgreSQL would have to
    /// remember (docs/decisions/0192-writes-that-keep-to-their-rows.md). A read needs one snapshot, which never waits and never
    /// fails (docs/decisions/0020-postgres-isolation.md).
    ///
    /// A lock on the table of documents tells those that keep to rows from the one that excludes them. It is taken before the
    /// snapshot, and conflicts with nothing else.
    ///
    /// A write does not insist on writing: a database that was made read-only stays it.
    var beginning: [SQLStatement] {
        switch self {
        case .read: [Statements.read]
        case .write(let isolation, .withNext): Self.write(isolation, .atOnce).beginning + [Statements.withoutWaiting]
        case .write(.full, _): [Statements.serializable]
        case .write(.rows, _): [Statements.repeatableRead, Statements.besideOthers]
        case .write(.exclusive, _): [Statements.serializable, Statements.withoutOthers]
        }
    }

    /// How one begins behind the commit of another, whose answer is not to wait for it: where one that excludes others is under way, it fails.
    var beginningBehind: [SQLStatement] {
        beginning.map { $0 === Statements.besideOthers ? Self.withoutWaitingForOthers : $0 }
    }

    static let withoutWaitingForOthers = SQLStatement("LOCK TABLE documents IN ROW SHARE MODE NOWAIT", isByRow: true)

    private enum Statements {
        static let read = SQLStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", isByRow: true)
        static let serializable = SQLStatement("BEGIN ISOLATION LEVEL SERIALIZABLE", isByRow: true)
        static let repeatableRead = SQLStatement("BEGIN ISOLATION LEVEL REPEATABLE READ", isByRow: true)
        static let besideOthers = SQLStatement("LOCK TABLE documents IN ROW SHARE MODE", isByRow: true)
        /// The commit does not wait for the log: the next one that does has this one in it (docs/decisions/0556).
        static let withoutWaiting = SQLStatement("SET LOCAL synchronous_commit = off", isByRow: true)
        static let withoutOthers = SQLStatement("LOCK TABLE documents IN EXCLUSIVE MODE", isByRow: true)
    }

    /// Commits, and finds out with it what was not looked at before.
    private func commit<T>(_ value: T, on link: PostgresLink) -> Attempted<T> {
        refused(on: link) ?? ended(value, on: link) { try link.commit() }
    }

    /// How it ends where it is not to be committed; nil where it is.
    func refused<T>(on link: PostgresLink) -> Attempted<T>? {
        // While it is certain that nothing was committed: afterwards it no longer is.
        if link.isLost() {
            return .ended(.lostConnection(PostgresFailure(lost: "the connection ended before the commit")))
        }
        if link.isOverdue {
            let failure = link.overdue
            link.rollBack()
            return .ended(outcome(of: failure))
        }
        return nil
    }

    /// How it ends with the commit.
    /// - Parameter commit: gives the tag of the answer to it.
    func ended<T>(_ value: T, on link: PostgresLink, _ commit: () throws -> String) -> Attempted<T> {
        // A statement that was sent along may have failed, and the commit been passed over.
        defer { if link.isFailed { link.rollBack() } }
        do {
            let tag = try commit()
            // The server answers so where the transaction had failed before.
            guard tag == "COMMIT" else {
                return .ended(.failed(StoreError(.unavailable, "PostgreSQL: \(tag) was the answer to COMMIT")))
            }
            return .ended(.done(value))
        } catch let failure as PostgresFailure where failure.consequence == .unforeseen {
            return .unforeseen
        } catch let failure as PostgresFailure where failure.consequence == .reconnect && failure.isBeforeLast {
            return .ended(outcome(of: failure))
        } catch let failure as PostgresFailure where [.reconnect, .silence].contains(failure.consequence) {
            return .ended(
                .failed(
                    StoreError(
                        .outcomeUnknown,
                        "the connection ended while a commit was under way, and it is not known whether it was done: "
                            + failure.description)))
        } catch {
            return .ended(outcome(of: error))
        }
    }

    /// A read has what it wanted, however its transaction ends.
    private func end<T>(_ value: T, on link: PostgresLink) -> TransactionOutcome<T> {
        try? link.endReading()
        return .done(value)
    }

    func outcome<T>(of error: any Error) -> TransactionOutcome<T> {
        guard let failure = error as? PostgresFailure else { return .failed(error) }
        return switch (failure.consequence, kind) {
        // A serialization failure shows at whichever statement comes next, and says nothing of that one's row.
        case (.runAgain, _): .lostRace(failure, for: isByRows ? failure.row : nil)
        case (.reconnect, _): .lostConnection(failure)
        case (.readOnly, .write): .readOnly(failure)
        case (.readOnly, .read), (.silence, _), (.unforeseen, _), (.beyondRows, _), (.giveUp, _):
            .failed(failure.storeError)
        }
    }
}
