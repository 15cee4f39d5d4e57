/// What is looked at before a refresh token is traded: the grant that it says to be of, and the APIs that there are. Whether the token counts shows
/// when it is traded.
public struct RefreshTokenLook: Sendable {
    /// Nil where there is no such grant, and where it is another owner's.
    public let grant: Grant?
    /// The APIs that are registered, by identifier; none where there is no grant.
    public let resources: [Resource]

    init(_ text: Secret<String>, of owner: HandleOwner, in transaction: any StoreTransaction) throws {
        let named = try RefreshToken(text.reveal()).flatMap { try transaction.grant($0.grantID) }
        let own = named.flatMap { owner.owns($0) ? $0 : nil }
        grant = own
        resources = own == nil ? [] : try transaction.resources()
    }
}

extension Sessions {
    /// Looks at a refresh token before it is traded.
    /// - Parameter owner: whose it has to be.
    public func look(atRefreshToken text: Secret<String>, of owner: HandleOwner) async throws -> RefreshTokenLook {
        try await realm.store.read { try RefreshTokenLook(text, of: owner, in: $0) }
    }
}

extension Applications.Companion where Answer == RefreshTokenLook {
    /// A refresh token of the application, which is looked at before it is traded.
    public static func looking(atRefreshToken text: Secret<String>, of dialect: Dialect) -> Self {
        Self(writes: false) { transaction, application, _ in
            try RefreshTokenLook(text, of: .application(application.id, of: dialect), in: transaction)
        }
    }
}
