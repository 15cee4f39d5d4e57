import Foundation

/// Names a grant: the first part of its refresh tokens. No other token carries it, so only the client and the server
/// know it.
public struct GrantID: StringName {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// What one application got of a session: scopes, and a family of refresh tokens.
///
/// A grant is over when it expires, is revoked, or when its session is over.
public struct Grant: Sendable, Equatable {
    public let id: GrantID
    public let sessionID: SessionID
    /// The session's user.
    public let userID: UserID
    public let clientID: ClientID
    /// The protocol that gave it out.
    public let dialect: Dialect
    public let createdAt: Date
    /// Not after the session's.
    public let expiresAt: Date
    public var revokedAt: Date?
    public internal(set) var revision: Int
    /// The present refresh token and the one before.
    public var refresh: RefreshTokenState
    /// What the application may do.
    public var terms: GrantTerms

    public init(
        id: GrantID, sessionID: SessionID, userID: UserID, clientID: ClientID, dialect: Dialect, createdAt: Date,
        expiresAt: Date, revokedAt: Date? = nil, revision: Int = 0, refresh: RefreshTokenState,
        terms: GrantTerms = GrantTerms()
    ) {
        self.id = id
        self.sessionID = sessionID
        self.userID = userID
        self.clientID = clientID
        self.dialect = dialect
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.revision = revision
        self.refresh = refresh
        self.terms = terms
    }

    /// Whether the grant goes on by itself; its session has to go on too.
    func isLiving(at now: Date) -> Bool { revokedAt == nil && expiresAt > now }
}

/// A session with a grant of it.
public struct GrantedSession: Sendable {
    public let session: Session
    public let grant: Grant

    /// What tokens of the grant say.
    public var evidence: SessionEvidence { SessionEvidence(session, grant) }
}

extension SessionEvidence {
    init(_ session: Session, _ grant: Grant) {
        self.init(dialect: grant.dialect, proofs: session.proofs, terms: grant.terms)
    }
}

/// The state of a grant's refresh token. Tokens are kept as digests; the present one is also kept sealed for the few
/// seconds in which it may have to be given out once more because its answer was lost.
public struct RefreshTokenState: Sendable, Equatable {
    public var currentDigest: Data
    public var previousDigest: Data?
    public var rotatedAt: Date?
    public var sealedCurrent: Data?

    public init(
        currentDigest: Data, previousDigest: Data? = nil, rotatedAt: Date? = nil, sealedCurrent: Data? = nil
    ) {
        self.currentDigest = currentDigest
        self.previousDigest = previousDigest
        self.rotatedAt = rotatedAt
        self.sealedCurrent = sealedCurrent
    }
}
