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
    /// The grant's id, unique in the realm and stable for the grant's life.
    public let id: GrantID
    /// The session that it is of.
    public let sessionID: SessionID
    /// The session's user.
    public let userID: UserID
    /// The application that got it.
    public let clientID: ClientID
    /// The protocol that gave it out.
    public let dialect: Dialect
    /// When the application got it.
    public let createdAt: Date
    /// Not after the session's.
    public let expiresAt: Date
    /// When it was ended before its time; nil where it was not.
    public var revokedAt: Date?
    /// The version of the row. A write that expects another one fails.
    public internal(set) var revision: Int
    /// The present refresh token and the one before.
    public var refresh: RefreshTokenState
    /// What the application may do.
    public var terms: GrantTerms
    /// What the session had been proven with when the application got the grant, where the session may be proven with more
    /// later: a browser's. Nil where the session's own proofs are those of the grant, and in rows of before, until their session is raised.
    public internal(set) var proofs: [Proof]?
    /// Whether it was ended by what its application did, which is no news to it: it gave the grant back, or showed a token or a code once
    /// more. Who is signed in there stays so, and the application is told when the session ends.
    public internal(set) var endedByApplication: Bool

    /// The row as stores read and write it. ``Sessions`` and ``Grants`` open grants.
    public init(
        id: GrantID, sessionID: SessionID, userID: UserID, clientID: ClientID, dialect: Dialect, createdAt: Date,
        expiresAt: Date, revokedAt: Date? = nil, revision: Int = 0, refresh: RefreshTokenState,
        terms: GrantTerms = GrantTerms(), proofs: [Proof]? = nil, endedByApplication: Bool = false
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
        self.proofs = proofs
        self.endedByApplication = endedByApplication
    }

    /// Whether the grant goes on by itself; its session has to go on too.
    func isLiving(at now: Date) -> Bool { revokedAt == nil && expiresAt > now }

    /// Whether its application is told when its session ends.
    var isToldOfEnd: Bool { dialect == .oauth && (revokedAt == nil || endedByApplication) }
}

/// A session with a grant of it.
public struct GrantedSession: Sendable {
    /// The session.
    public let session: Session
    /// The grant of it.
    public let grant: Grant

    /// What tokens of the grant say.
    public var evidence: SessionEvidence { SessionEvidence(session, grant) }
}

extension SessionEvidence {
    /// Of the grant's own authentication: a step-up of its session says nothing in tokens that were granted before it (OpenID
    /// Connect Core 1.0, section 12.2).
    init(_ session: Session, _ grant: Grant) {
        self.init(dialect: grant.dialect, proofs: grant.proofs ?? session.proofs, terms: grant.terms)
    }
}

/// The state of a grant's refresh token. Tokens are kept as digests; the present one is also kept sealed for the few
/// seconds in which it may have to be given out once more because its answer was lost.
public struct RefreshTokenState: Sendable, Equatable {
    /// SHA-256 of the present refresh token.
    public var currentDigest: Data
    /// SHA-256 of the one before; nil before the first trade.
    public var previousDigest: Data?
    /// When the present one took its place; nil before the first trade.
    public var rotatedAt: Date?
    /// The present one, sealed, while it may have to be given out once more; nil afterwards.
    public var sealedCurrent: Data?

    /// The state as stores read and write it.
    public init(
        currentDigest: Data, previousDigest: Data? = nil, rotatedAt: Date? = nil, sealedCurrent: Data? = nil
    ) {
        self.currentDigest = currentDigest
        self.previousDigest = previousDigest
        self.rotatedAt = rotatedAt
        self.sealedCurrent = sealedCurrent
    }
}
