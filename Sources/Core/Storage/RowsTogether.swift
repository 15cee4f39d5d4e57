import Foundation

/// Rows that requests want together, asked for in one statement.
public protocol RowsTogether {
    /// A grant with its session and its user, whether they go on or not; and documents by their names, those that are not
    /// there missing.
    func heldGrant(_ id: GrantID, beside documents: [String]) throws -> (HeldGrant?, documents: [String: Data])
    /// An application, with documents by their names; those that are not there are missing.
    func application(_ id: ClientID, beside documents: [String]) throws -> (Application?, documents: [String: Data])
    /// A flow by its digest with its user, and documents by their names; those that are not there are missing.
    func flow(digest: Data, beside documents: [String]) throws -> HeldFlow
    /// Documents by their names; those that are not there are missing.
    func documents(_ names: [String]) throws -> [String: Data]
    /// Reads counters that are going to be asked for.
    func readCounters(_ keys: [String]) throws
    /// Whether ``expect(_:)`` does anything: where each answer costs a way there and back.
    var asksAhead: Bool { get }
    /// Says what the transaction is going to ask for. A store may ask at once; what the transaction is told is the same.
    func expect(_ rows: ExpectedRows) throws
}

/// What a transaction is going to ask for by keys that are known before it begins (`docs/decisions/0569`).
public enum ExpectedRows: Sendable {
    /// A grant with its session and its user, where the standing documents come with another row.
    case heldGrant(GrantID)
    /// A flow with its user, where the standing documents come with another row.
    case flow(digest: Data)
    /// A factor.
    case factor(FactorID)
    /// Counters, in the order in which they are read together.
    case counters([String])
    /// The database's present time.
    case presentTime

    /// Whether it would be asked for together with the standing documents if it were the first thing that the transaction asks for.
    var wouldBringDocuments: Bool {
        switch self {
        case .heldGrant, .flow: true
        case .factor, .counters, .presentTime: false
        }
    }
}

extension RowsTogether {
    /// A grant with its session and its user, whether they go on or not.
    public func heldGrant(_ id: GrantID) throws -> HeldGrant? { try heldGrant(id, beside: []).0 }
}

/// A flow with what it hangs on, and what is wanted with it.
public struct HeldFlow: Sendable, Equatable {
    /// The flow; nil where there is none.
    public let flow: FlowRecord?
    /// Nil also where the flow knows none.
    public let user: User?
    /// The documents that are there, by name.
    public let documents: [String: Data]

    /// Who is asked for in place of the user whom the flow does not know, so that such a flow shows by nothing that it knows none. There is no
    /// such user, and the store has already taken as long as reading one takes; nil where a user came, or no flow.
    var standIn: UserID? { flow != nil && user == nil ? .placeholder : nil }

    /// What a store found.
    public init(flow: FlowRecord?, user: User?, documents: [String: Data]) {
        self.flow = flow
        self.user = user
        self.documents = documents
    }
}

/// A grant with what it hangs on.
public struct HeldGrant: Sendable, Equatable {
    /// The grant.
    public let grant: Grant
    /// The grant's session.
    public let session: Session
    /// The session's user.
    public let user: User

    /// What a store found.
    public init(grant: Grant, session: Session, user: User) {
        self.grant = grant
        self.session = session
        self.user = user
    }
}
