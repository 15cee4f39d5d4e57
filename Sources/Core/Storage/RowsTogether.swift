import Foundation

/// Rows that requests want together: in one statement, where the store can.
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

/// One by one.
extension StoreTransaction {
    public func heldGrant(_ id: GrantID) throws -> HeldGrant? {
        guard let grant = try grant(id), let session = try session(grant.sessionID), let user = try user(grant.userID)
        else { return nil }
        return HeldGrant(grant: grant, session: session, user: user)
    }

    public func application(
        _ id: ClientID, beside documents: [String]
    ) throws -> (Application?, documents: [String: Data]) {
        (try application(id), try self.documents(documents))
    }

    public func documents(_ names: [String]) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in names { found[name] = try document(name) }
        return found
    }
}
