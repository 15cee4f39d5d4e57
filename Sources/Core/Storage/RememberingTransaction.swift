import Foundation

/// A transaction in which each row is read once.
///
/// A transaction sees one snapshot and its own writes, so that what it has read stays what it was, until it writes it
/// itself. What it writes is remembered as the store keeps it: an update counts the revision up. Where that is not known –
/// an insert, which the store may refuse, rows that go with another row – the row is forgotten and read again.
///
/// The rules therefore ask for what they need where they need it, and hand no rows around to save statements
/// (`docs/decisions/0156`).
///
/// It belongs to one transaction, which runs on one thread. What it does for each entity stands in a file of its own, as in `SQLTransaction`.
final class RememberingTransaction: StoreTransaction {
    let base: any StoreTransaction
    let standing: StandingDocuments

    // Nil within is that there is no such row.
    var users: FewRows<UserID, User?> = [:]
    var factors: FewRows<FactorID, FactorRecord?> = [:]
    /// All factors of a user, in their order.
    var factorLists: FewRows<UserID, [FactorID]> = [:]
    var flows: FewRows<Data, FlowRecord?> = [:]
    var clientRecords: FewRows<ClientKey, ClientRecord?> = [:]
    var sessions: FewRows<SessionID, Session?> = [:]
    var grants: FewRows<GrantID, Grant?> = [:]
    var applications: FewRows<ClientID, Application?> = [:]
    var documents: FewRows<String, Data?> = [:]

    /// What others are told of the transaction.
    var notes = TransactionNotes()

    struct ClientKey: Hashable {
        let kind: ClientRecord.Kind
        let digest: Data
    }

    /// - Parameter standing: what documents say, decoded once for all transactions.
    init(_ base: any StoreTransaction, standing: StandingDocuments) {
        self.base = base
        self.standing = standing
    }

    /// The row under a key, read where it is not known.
    func row<Key: Hashable, Row>(
        _ rows: inout FewRows<Key, Row?>, _ key: Key, _ read: (any StoreTransaction) throws -> Row?
    ) rethrows -> Row? {
        if let known = rows[key] { return known }
        let row = try read(base)
        rows[key] = .some(row)
        return row
    }

    /// Forgets all rows that may go with another, or are written without being named.
    func forgetAll() {
        users = [:]
        factors = [:]
        factorLists = [:]
        flows = [:]
        clientRecords = [:]
        sessions = [:]
        grants = [:]
    }
}
