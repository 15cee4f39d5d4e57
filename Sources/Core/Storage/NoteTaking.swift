import Foundation

/// What a transaction is told that others have to hear of and no row says.
///
/// A store has nothing to do for it: transactions of a realm, which are put around those of its store, take the notes (`TransactionNotes`).
public protocol NoteTaking {
    /// Has pages woken that wait for the decision about an attempt.
    /// - Parameter attempt: the digest of its handle.
    func noteDecision(of attempt: Data)
    /// Has the application of a grant told that it ended, though its session goes on.
    /// - Parameter grant: as it was before.
    func announceEnd(of grant: Grant) throws
}

extension NoteTaking {
    public func noteDecision(of attempt: Data) {}
    public func announceEnd(of grant: Grant) throws {}
}
