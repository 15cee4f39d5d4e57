import Foundation

/// Names a session: the family that a refresh token and its successors belong to. Known only to the server and, inside
/// the refresh token, to the client.
public struct SessionID: StringName {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = PlainText.key(rawValue)
    }
}

/// Which protocol something belongs to; chooses life times and algorithms, and appears in the log.
public struct Dialect: StringName {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let identityToolkit = Dialect(rawValue: "identity-toolkit")
    public static let guardian = Dialect(rawValue: "guardian")
    public static let nativeAuth = Dialect(rawValue: "native-auth")
    public static let securityChecks = Dialect(rawValue: "security-checks")
    public static let admin = Dialect(rawValue: "admin")

    /// Those that sign tokens, each of which can have an algorithm of its own. A new one is a name here.
    public static let signing: [Dialect] = [.identityToolkit, .guardian, .nativeAuth, .securityChecks]
}

/// A signed-in user on one device: what was proven, and the state of its refresh token.
public struct Session: Sendable, Equatable {
    public let id: SessionID
    public let userID: UserID
    public let clientID: ClientID
    /// The user's token epoch when the session began; a session of an earlier epoch is over.
    public let tokenEpoch: Int
    public let createdAt: Date
    public let expiresAt: Date
    public var revokedAt: Date?
    public internal(set) var revision: Int
    public var refresh: RefreshTokenState
    public var evidence: SessionEvidence

    public init(
        id: SessionID, userID: UserID, clientID: ClientID, tokenEpoch: Int, createdAt: Date, expiresAt: Date,
        revokedAt: Date? = nil, revision: Int = 0, refresh: RefreshTokenState, evidence: SessionEvidence
    ) {
        self.id = id
        self.userID = userID
        self.clientID = clientID
        self.tokenEpoch = tokenEpoch
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.revision = revision
        self.refresh = refresh
        self.evidence = evidence
    }
}

/// What a session was proven with. It survives every refresh.
public struct SessionEvidence: Sendable, Equatable, Codable {
    public var dialect: Dialect
    /// In the order they were given.
    public var proofs: [Proof]
    /// OAuth scopes granted, where the dialect has them.
    public var scopes: [String]
    /// What else the dialect wants back at a refresh: `sign_in_provider`, claims of a custom token.
    public var details: [String: JSONValue]

    public init(
        dialect: Dialect, proofs: [Proof], scopes: [String] = [], details: [String: JSONValue] = [:]
    ) {
        self.dialect = dialect
        self.proofs = proofs
        self.scopes = scopes
        self.details = details
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        dialect = try members.decode(Dialect.self, forKey: .dialect)
        proofs = try members.decode([Proof].self, forKey: .proofs)
        scopes = try members.decodeIfPresent([String].self, forKey: .scopes) ?? []
        details = try members.decodeIfPresent([String: JSONValue].self, forKey: .details) ?? [:]
    }

    /// When the user last proved anything: the `auth_time` of tokens (OpenID Connect Core, section 2).
    public var authenticatedAt: Date? { proofs.map(\.at).max() }

    /// The second factor that the session was proven with, the latest where there are several.
    public var secondFactor: Proof? { proofs.last { $0.isSecondFactor } }
}

/// One thing that was proven: with what, and when.
public struct Proof: Sendable, Equatable, Codable {
    public var kind: FactorKind
    /// Nil for what is no row: a mailed link, a custom token.
    public var factorID: FactorID?
    public var at: Date
    /// Whether it was given beside a first proof.
    public var isSecondFactor: Bool
    /// How much it proves, where that is more or less than its kind says.
    public var assurance: Assurance?

    public init(
        kind: FactorKind, factorID: FactorID? = nil, at: Date, isSecondFactor: Bool = false,
        assurance: Assurance? = nil
    ) {
        self.kind = kind
        self.factorID = factorID
        self.at = at
        self.isSecondFactor = isSecondFactor
        self.assurance = assurance
    }
}

/// The state of a session's refresh token. Tokens are kept as digests; the present one is also kept sealed for the few
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
