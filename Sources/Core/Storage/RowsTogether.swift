import Foundation

/// Rows that requests want together, asked for in one statement.
public protocol RowsTogether {
    /// A grant with its session and its user, whether they go on or not.
    func heldGrant(_ id: GrantID) throws -> HeldGrant?
    /// An application, with documents by their names; those that are not there are missing.
    func application(_ id: ClientID, beside documents: [String]) throws -> (Application?, documents: [String: Data])
    /// Documents by their names; those that are not there are missing.
    func documents(_ names: [String]) throws -> [String: Data]
}

/// A grant with what it hangs on.
public struct HeldGrant: Sendable, Equatable {
    public let grant: Grant
    public let session: Session
    public let user: User

    public init(grant: Grant, session: Session, user: User) {
        self.grant = grant
        self.session = session
        self.user = user
    }
}
