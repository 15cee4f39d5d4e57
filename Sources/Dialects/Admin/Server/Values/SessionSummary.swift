import CountersignCore
import Foundation

/// A user's presence as administrators see it. Nothing in it opens anything: a grant has no name of its own here, because its id is
/// the first part of its refresh tokens.
public struct SessionSummary: Codable, Sendable, Equatable {
    /// What one application got of the session.
    public struct Grant: Codable, Sendable, Equatable {
        public let application: String
        public let dialect: String
        public let scopes: [String]
        /// The APIs that its access tokens are for, where there are others than the server's own.
        public let audiences: [String]
        public let isLiving: Bool
        public let createdAt: Timestamp
        /// When it ends if its refresh token is not used before.
        public let expiresAt: Timestamp
    }

    /// The `sid` of its tokens.
    public let id: String
    /// The protocol by which the user signed in.
    public let dialect: String
    /// The means of proof, in the order in which they were given.
    public let proofs: [String]
    public let createdAt: Timestamp
    public let authenticatedAt: Timestamp?
    /// When it ends if nothing that is listed of it is used before.
    public let expiresAt: Timestamp
    /// When it was ended before its time.
    public let endedAt: Timestamp?
    /// Whether it goes on.
    public let isLiving: Bool
    /// Whether a browser's cookie holds it.
    public let isBrowser: Bool
    public let address: String?
    public let userAgent: String?
    /// The newest first.
    public let grants: [Grant]

    init(_ listing: SessionListing, of user: User, on realm: Realm, _ settings: RealmSettings, at now: Date) {
        let session = listing.session
        id = session.id.rawValue
        dialect = session.dialect.rawValue
        proofs = session.proofs.map(\.kind.rawValue)
        createdAt = Timestamp(session.createdAt)
        authenticatedAt = session.proofs.map(\.at).max().map(Timestamp.init)
        expiresAt = Timestamp(realm.sessions.end(of: listing, settings))
        endedAt = session.revokedAt.map(Timestamp.init)
        let isLiving = listing.isLiving(of: user, at: now)
        self.isLiving = isLiving
        isBrowser = session.browserDigest != nil
        address = session.origin.address
        userAgent = session.origin.userAgent
        grants = listing.grants.map { grant in
            let end = realm.sessions.end(of: grant)
            return Grant(
                application: grant.clientID.rawValue, dialect: grant.dialect.rawValue, scopes: grant.terms.scopes,
                audiences: grant.terms.audiences, isLiving: isLiving && grant.revokedAt == nil && end > now,
                createdAt: Timestamp(grant.createdAt), expiresAt: Timestamp(end))
        }
    }
}
