import Foundation

/// A row that several writers may want at the same time.
public enum ReservedRow: Sendable, Hashable {
    /// A user, by id.
    case user(UserID)
    /// A factor, by id.
    case factor(FactorID)
    /// By the digest of its handle.
    case flow(Data)
    /// By its digest.
    case client(ClientRecord.Kind, Data)
    /// A session, by id.
    case session(SessionID)
    /// A grant, by id.
    case grant(GrantID)
}

/// Locks rows before they are written.
///
/// Every transaction locks rows in one order, so that no two wait for each other: users, factors, flows, records of clients,
/// sessions, grants, authorization codes, then what belongs to the realm, then counters; within a table by key. Writing a
/// row locks it; counters are written last by the
/// store itself. A transaction that cannot write in this order reserves what it is going to write, and may then write it in
/// any. Stores check the order in tests (`docs/decisions/0124`).
public protocol RowReservation {
    /// Locks the rows, those that are there, in the order that all transactions keep.
    func reserve(_ rows: Set<ReservedRow>) throws
}
