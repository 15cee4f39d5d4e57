import CountersignCore
import StoreSQL

/// A write that keeps to its rows, as a thread runs it that runs several: it waits for nothing (`docs/decisions/0558`).
///
/// Where its body would wait, what it asks is sent and the body let go; when the answer is there, it is run again, and told what it was not told
/// before; what it had changed is not sent again. A body that is another one then is undone, and run by itself.
final class StagedTransaction {
    enum Step {
        /// It waits for the database, whose answer is looked for at ``link``.
        case waits
        /// All is said up to the commit, which goes by itself (``StagedTransaction/commitAlone()``) or with the beginning of another
        /// (``StagedTransaction/lead()``).
        case commits
        case over(PendingTransaction.Ending)
        /// Nothing was done: it has to be run by itself.
        case single

        /// Whether it is for a fresh connection to go on: this one is lost, a statement of it is, or nothing may be written on it any more.
        var needsFreshLink: Bool {
            switch self {
            case .over(.lostConnection), .over(.readOnly): true
            case .over, .waits, .commits, .single: false
            }
        }
    }

    private enum Stage {
        case fresh
        case asking
        case committing(Delivery)
        /// Another was begun behind the commit.
        case leading(Delivery)
        /// What was sent is to be answered before it can be undone.
        case undoing(Step)
    }

    /// Times that a body is let go.
    private static let mostRounds = 12

    let link: PostgresLink
    private let mode: TransactionMode
    private let isBehind: Bool
    private let body: (any StoreTransaction) throws -> Delivery
    private let fail: @Sendable (any Error) -> Void
    private var stage = Stage.fresh
    private var rounds = 0

    /// - Parameters:
    ///   - isBehind: whether it begins behind the commit of another, which ends first (`docs/decisions/0580`).
    ///   - fail: tells the waiting caller of an error.
    init(
        _ mode: TransactionMode, on link: PostgresLink, isBehind: Bool,
        _ body: @escaping (any StoreTransaction) throws -> Delivery, _ fail: @escaping @Sendable (any Error) -> Void
    ) {
        (self.mode, self.link, self.isBehind, self.body, self.fail) = (mode, link, isBehind, body, fail)
    }

    /// Goes on, when it is new or its answer is there, as far as it comes without waiting.
    func advance() -> Step {
        do {
            switch stage {
            case .fresh:
                for command in isBehind ? mode.beginningBehind : mode.beginning { try link.begin(command) }
            case .asking: try link.collect()
            case .committing(let delivery): return step(mode.ended(delivery, on: link) { try link.committed() })
            case .leading(let delivery): return step(mode.ended(delivery, on: link) { try link.leadingCommitted() })
            case .undoing(let step): return undone(step)
            }
        } catch let failure as PostgresFailure where failure.consequence == .unforeseen {
            return undone(.single)
        } catch {
            link.rollBack()
            return .over(ending(mode.outcome(of: error)))
        }
        // Others may have held it up.
        if link.isOverdue { return undo(.single) }
        return run()
    }

    private func run() -> Step {
        let connection = StagedConnection(link)
        let result = Result { try SQLTransaction.run(on: connection, body) }
        if let failure = connection.failure { return undo(step(mode.attempted(failure, giving: result))) }
        switch connection.rerun {
        case .fickle: return undo(.single)
        case .letGo:
            rounds += 1
            return rounds > Self.mostRounds ? undo(.single) : ask()
        case .repeating, .onward: break
        }
        switch result {
        // What it changed may not be as it was told, and that the reason.
        case .failure where connection.hasChanged: return undo(.single)
        case .failure(let error): return undo(.over(ending(.failed(error))))
        // What was sent for it before would be committed with it.
        case .success where connection.rerun == .repeating: return undo(.single)
        case .success(let delivery): return commit(delivery)
        }
    }

    private func ask() -> Step {
        do {
            try link.post()
            stage = .asking
            return .waits
        } catch {
            link.rollBack()
            return .over(ending(mode.outcome(of: error)))
        }
    }

    private func commit(_ delivery: Delivery) -> Step {
        if let refused = mode.refused(on: link) as TransactionMode.Attempted<Delivery>? { return step(refused) }
        do {
            try link.sendCommit()
            stage = .committing(delivery)
            return .commits
        } catch {
            return step(mode.ended(delivery, on: link) { throw error })
        }
    }

    /// Sends the commit, with nothing behind it.
    func commitAlone() -> Step {
        guard case .committing(let delivery) = stage else { preconditionFailure("it has not ended") }
        do {
            try link.post()
            return .waits
        } catch {
            return step(mode.ended(delivery, on: link) { throw error })
        }
    }

    /// Has another begin behind the commit, which is sent with what that one asks.
    func lead() {
        guard case .committing(let delivery) = stage else { preconditionFailure("it has not ended") }
        stage = .leading(delivery)
        link.beginFollowing()
    }

    /// How it ends where the connection did before the commit in front was answered, with which its own was sent: both may have been done.
    /// - Returns: nil where nothing of it was done.
    func endedUnanswered() -> Step? {
        guard case .committing(let delivery) = stage, let loss = link.lostBehind else { return nil }
        return step(mode.ended(delivery, on: link) { throw loss })
    }

    /// Undoes what was sent. A statement among it may wait for a row that another transaction of this very thread has locked, so that its
    /// answer is waited for with those of all others.
    private func undo(_ step: Step) -> Step {
        guard link.postUndone() else { return undone(step) }
        stage = .undoing(step)
        return .waits
    }

    private func undone(_ step: Step) -> Step {
        link.rollBack()
        return step
    }

    private func step(_ attempted: TransactionMode.Attempted<Delivery>) -> Step {
        switch attempted {
        case .ended(let outcome): .over(ending(outcome))
        case .unforeseen, .beyondRows: .single
        }
    }

    private func ending(_ outcome: TransactionOutcome<Delivery>) -> PendingTransaction.Ending {
        PendingTransaction.Ending(outcome, fail)
    }
}
