import CountersignCore

/// What a group commit needs of a connection.
protocol GroupTransaction {
    /// Runs the body of a write.
    func run<T>(_ body: (any StoreTransaction) throws -> T) throws -> T
    /// False when the database has ended the transaction by itself.
    var isOpen: Bool { get }
    /// How many rows were ever changed, also by what was undone.
    var totalChanges: Int { get }

    /// - Parameter isDurable: whether the commit waits for the disk.
    func begin(isDurable: Bool) throws
    func commit() throws
    /// Does nothing where no transaction is open.
    func rollBack() throws

    func setSavepoint() throws
    func releaseSavepoint() throws
    func rollBackToSavepoint() throws
}

/// Commits a group of writes together.
///
/// A body that throws before it has changed anything, as bodies should, leaves nothing to undo. Where one has changed something and
/// throws, the group is undone and run again with a savepoint for each write, so that it undoes only itself. Nothing else has
/// savepoints: within one SQLite keeps a second copy of every page that is changed (`docs/decisions/0290`).
///
/// No caller gets its result before the commit, neither success nor failure: a body may have thrown because of what its
/// neighbour wrote. Where the group cannot be committed, each of its writes is run again in a transaction of its own,
/// so that one that fills the disk takes no other with it.
///
/// The commit waits for the disk unless every write of the group is ``Durability/withNext``, one that throws included: it may have thrown
/// because of what its neighbour wrote.
struct GroupCommit {
    /// Commits that were made.
    private(set) var commits = 0
    /// Writes that they hold.
    private(set) var writes = 0
    private let database: any GroupTransaction
    private var answers: [@Sendable () -> Void] = []

    /// Runs and commits the writes; afterwards every one of them has an answer.
    init(_ group: [PendingWrite], on database: any GroupTransaction) {
        self.database = database
        var attempt = attempt(group)
        if case .undone(_ as HalfDone) = attempt { attempt = self.attempt(group, withSavepoints: true) }
        switch attempt {
        case .done: break
        case .notBegun(let error): refuse(group, error)
        case .undone(let error): group.count == 1 ? refuse(group, error) : runSingly(group)
        }
    }

    /// Tells the callers what became of their writes.
    func answer() {
        for answer in answers { answer() }
    }

    private enum Attempt {
        case done
        /// The database did not let a transaction begin: it is locked beyond the time-out, or gone.
        case notBegun(any Error)
        case undone(any Error)
    }

    /// A body changed rows and threw: what it changed is undone with all else of its transaction.
    private struct HalfDone: Error {}

    private mutating func attempt(_ group: [PendingWrite], withSavepoints: Bool = false) -> Attempt {
        do {
            try database.begin(isDurable: !group.allSatisfy { $0.durability == .withNext })
        } catch {
            return .notBegun(error)
        }
        do {
            let (answers, written) =
                try group.count == 1
                ? runAlone(group[0]) : withSavepoints ? runInSavepoints(group) : runTogether(group)
            if written > 0 {
                try database.commit()
                commits += 1
            } else {
                try database.rollBack()
            }
            writes += written
            self.answers += answers
            return .done
        } catch {
            // A failure to roll back is a failure to begin next time, and reported then.
            try? database.rollBack()
            return .undone(error)
        }
    }

    private func runAlone(_ write: PendingWrite) throws -> (answers: [@Sendable () -> Void], written: Int) {
        do {
            let answer = try database.run(write.run)
            guard database.isOpen else { throw StoreError(.unavailable, "the transaction was rolled back by SQLite") }
            return ([answer], 1)
        } catch {
            guard database.isOpen else { throw error }
            return ([{ write.fail(error) }], 0)
        }
    }

    private func runTogether(_ group: [PendingWrite]) throws
        -> (answers: [@Sendable () -> Void], written: Int)
    {
        var answers: [@Sendable () -> Void] = []
        var written = 0
        for write in group {
            let changes = database.totalChanges
            do {
                let answer = try database.run(write.run)
                guard database.isOpen else {
                    throw StoreError(.unavailable, "the transaction was rolled back by SQLite")
                }
                answers.append(answer)
                written += 1
            } catch {
                guard database.isOpen else { throw error }
                guard database.totalChanges == changes else { throw HalfDone() }
                answers.append { write.fail(error) }
            }
        }
        return (answers, written)
    }

    private func runInSavepoints(_ group: [PendingWrite]) throws -> (answers: [@Sendable () -> Void], written: Int) {
        var answers: [@Sendable () -> Void] = []
        var written = 0
        for write in group {
            try database.setSavepoint()
            do {
                answers.append(try database.run(write.run))
                written += 1
            } catch {
                guard database.isOpen else { throw error }
                try database.rollBackToSavepoint()
                answers.append { write.fail(error) }
            }
            try database.releaseSavepoint()
        }
        return (answers, written)
    }

    private mutating func runSingly(_ group: [PendingWrite]) {
        for (index, write) in group.enumerated() {
            switch attempt([write]) {
            case .done: break
            case .undone(let error): refuse([write], error)
            case .notBegun(let error):
                // The next would wait for the same lock just as long.
                refuse(group[index...], error)
                return
            }
        }
    }

    private mutating func refuse(_ group: some Sequence<PendingWrite>, _ error: any Error) {
        for write in group {
            answers.append { write.fail(error) }
        }
    }
}
