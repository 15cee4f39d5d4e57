import Foundation

/// Names a session: the `sid` of tokens. Resource servers read it, so it is no secret and opens nothing.
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

    /// Identity Toolkit: what Firebase Authentication speaks.
    public static let identityToolkit = Dialect(rawValue: "identity-toolkit")
    /// Guardian: what Auth0's authenticator apps speak.
    public static let guardian = Dialect(rawValue: "guardian")
    /// Native authentication: what Entra External ID's apps speak.
    public static let nativeAuth = Dialect(rawValue: "native-auth")
    /// MobileFirst's security framework.
    public static let securityChecks = Dialect(rawValue: "security-checks")
    /// Administration, by the API, commands and pages.
    public static let admin = Dialect(rawValue: "admin")
    /// OAuth 2.1 and OpenID Connect, with the pages that people sign in on.
    public static let oauth = Dialect(rawValue: "oauth")

    /// Those that sign tokens, each of which can have an algorithm of its own. A new one is a name here.
    public static let signing: [Dialect] = [.identityToolkit, .guardian, .nativeAuth, .securityChecks, .oauth]
}

/// A person's presence: what a user proved, when, and from where.
///
/// What an application got of it is a ``Grant``. A session of an application's own sign-in begins together with its
/// grant. A browser's session is made by no grant: it has a ``browserDigest`` and may have many grants or none. Ending a
/// session ends its grants; ending a grant leaves the session.
public struct Session: Sendable, Equatable {
    /// The session's id, unique in the realm and stable for the session's life.
    public let id: SessionID
    /// The user whose session it is.
    public let userID: UserID
    /// The protocol in which the session began.
    public let dialect: Dialect
    /// The user's token epoch when the session began; a session of an earlier epoch is over, and its grants with it.
    public internal(set) var tokenEpoch: Int
    /// When the session began.
    public let createdAt: Date
    /// When it is over at the latest, however often it is used.
    public let expiresAt: Date
    /// When it was ended before its time; nil where it was not.
    public var revokedAt: Date?
    /// The version of the row. A write that expects another one fails.
    public internal(set) var revision: Int
    /// What was proven, in the order in which it was given.
    public var proofs: [Proof]
    /// Where the sign-in came from.
    public let origin: SessionOrigin
    /// SHA-256 of the token in a browser's cookie; nil where no browser holds the session.
    public var browserDigest: Data?

    /// The row as stores read and write it. ``Sessions`` opens and ends sessions.
    public init(
        id: SessionID, userID: UserID, dialect: Dialect, tokenEpoch: Int, createdAt: Date, expiresAt: Date,
        revokedAt: Date? = nil, revision: Int = 0, proofs: [Proof], origin: SessionOrigin = SessionOrigin(),
        browserDigest: Data? = nil
    ) {
        self.id = id
        self.userID = userID
        self.dialect = dialect
        self.tokenEpoch = tokenEpoch
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.revision = revision
        self.proofs = proofs
        self.origin = origin
        self.browserDigest = browserDigest
    }

    /// Whether the session goes on: neither ended nor too old, nor of an epoch before the last revocation of the user's
    /// tokens.
    func isLiving(of user: User, at now: Date) -> Bool {
        userID == user.id && revokedAt == nil && expiresAt > now && tokenEpoch == user.tokenEpoch
    }
}

/// Where a sign-in came from, as far as the server knows.
public struct SessionOrigin: Sendable, Equatable {
    /// The network address, as the log has it.
    public let address: String?
    /// What the client calls itself (RFC 9110, section 10.1.5), cut after ``longestUserAgent`` characters.
    public let userAgent: String?

    /// Characters that are kept of a client's name.
    public static let longestUserAgent = 256

    /// Where a sign-in came from; a longer `userAgent` is cut.
    public init(address: String? = nil, userAgent: String? = nil) {
        self.address = address
        self.userAgent = userAgent.map { String($0.prefix(Self.longestUserAgent)) }
    }

    init(_ client: ClientContext) {
        self.init(address: client.source, userAgent: client.userAgent)
    }
}

/// What tokens of a grant say: what its session was proven with, and what the application got. It survives every
/// refresh.
public struct SessionEvidence: Sendable, Equatable, Codable {
    /// The protocol whose tokens say it.
    public var dialect: Dialect
    /// In the order they were given.
    public var proofs: [Proof]
    /// What the application got, or is to get.
    public var terms: GrantTerms

    /// The scopes of ``terms``.
    public var scopes: [String] { terms.scopes }
    /// The details of ``terms``.
    public var details: [String: JSONValue] { terms.details }

    /// What tokens of this protocol are to say.
    public init(dialect: Dialect, proofs: [Proof], terms: GrantTerms = GrantTerms()) {
        self.dialect = dialect
        self.proofs = proofs
        self.terms = terms
    }

    private enum CodingKeys: String, CodingKey { case dialect, proofs }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        dialect = try members.decode(Dialect.self, forKey: .dialect)
        proofs = try members.decode([Proof].self, forKey: .proofs)
        terms = try GrantTerms(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(dialect, forKey: .dialect)
        try members.encode(proofs, forKey: .proofs)
        try terms.encode(to: encoder)
    }

    /// When the user last proved anything: the `auth_time` of tokens (OpenID Connect Core, section 2).
    public var authenticatedAt: Date? { proofs.map(\.at).max() }

    /// The second factor that the session was proven with, the latest where there are several.
    public var secondFactor: Proof? { proofs.last { $0.isSecondFactor } }
}

/// One thing that was proven: with what, and when.
public struct Proof: Sendable, Equatable, Codable {
    /// The means of proof.
    public var kind: FactorKind
    /// Nil for what is no row: a mailed link, a custom token.
    public var factorID: FactorID?
    /// When it was given.
    public var at: Date
    /// Whether it was given beside a first proof.
    public var isSecondFactor: Bool
    /// How much it proves, where that is more or less than its kind says.
    public var assurance: Assurance?

    /// A proof that was given at that instant.
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

extension Dialect: StoredJSON {}
extension SessionID: StoredJSON {}
extension Proof: StoredJSON {
    package init(from json: inout JSONReader) throws { try self.init(from: &json, instant: Date.init(from:)) }
    package func write(to json: inout JSONWriter) throws { try write(to: &json) { try $0.write(to: &$1) } }

    /// - Parameter instant: reads instants in the form of the place: they have another in columns than in what is sealed.
    package init(from json: inout JSONReader, instant: (inout JSONReader) throws -> Date) throws {
        var kind: FactorKind?
        var at: Date?
        var isSecondFactor: Bool?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "kind": kind = try json.read()
            case "factorID": factorID = try json.readOptional()
            case "at": at = try instant(&json)
            case "isSecondFactor": isSecondFactor = try json.read()
            case "assurance": assurance = try json.readOptional()
            default: try json.skip()
            }
        }
        self.kind = try json.required(kind, "kind")
        self.at = try json.required(at, "at")
        self.isSecondFactor = try json.required(isSecondFactor, "isSecondFactor")
    }

    package func write(to json: inout JSONWriter, instant: (Date, inout JSONWriter) throws -> Void) throws {
        json.beginObject()
        try json.write("assurance", optional: assurance)
        json.name("at")
        try instant(at, &json)
        try json.write("factorID", optional: factorID)
        try json.write("isSecondFactor", isSecondFactor)
        try json.write("kind", kind)
        json.endObject()
    }
}
