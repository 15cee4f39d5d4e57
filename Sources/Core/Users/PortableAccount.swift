import Foundation

/// An account on its way from one system to another, with the password and the authenticator that its owner has.
///
/// Imports take it (``Accounts/importAccounts(_:overwrites:rehearses:rights:run:by:)``), and exports return it
/// (``Accounts/exportAccounts(after:limit:run:by:)``).
public struct PortableAccount: Sendable {
    /// The user's id, which the account keeps in the other system.
    public var id: UserID
    /// The address; nil for an account without one.
    public var email: EmailAddress?
    /// Its phone number is in the form of ``PhoneNumber``.
    public var profile: UserProfile
    /// Whether the account is disabled.
    public var isDisabled: Bool
    /// Nil means now; of a user who is replaced, when that user was made.
    public var createdAt: Date?
    /// When a sign-in last succeeded; nil where that is not known, and a user who is replaced keeps the instant.
    public var lastSignInAt: Date?
    /// When a refresh token was last traded; nil where that is not known, and a user who is replaced keeps the instant.
    public var lastRefreshAt: Date?
    /// Nil means that it is not known; then it counts as set when the account was made.
    public var passwordChangedAt: Date?
    /// The password; nil where the account has none, or it cannot be moved.
    public var password: PortablePassword?
    /// The authenticator apps.
    public var secondFactors: [PortableTOTP]
    /// What only this program knows: devices that answer requests, recovery codes.
    public var otherFactors: [PortableFactor] = []
    /// The groups that the user is in; nil leaves them as they are.
    public var groups: Set<GroupName>?
    /// What the user may administer; nil leaves it as it is.
    public var role: AdministratorRole?

    /// An account with this id.
    public init(
        id: UserID, email: EmailAddress? = nil, profile: UserProfile = UserProfile(), isDisabled: Bool = false,
        createdAt: Date? = nil, lastSignInAt: Date? = nil, lastRefreshAt: Date? = nil, passwordChangedAt: Date? = nil,
        password: PortablePassword? = nil, secondFactors: [PortableTOTP] = []
    ) {
        self.id = id
        self.email = email
        self.profile = profile
        self.isDisabled = isDisabled
        self.createdAt = createdAt
        self.lastSignInAt = lastSignInAt
        self.lastRefreshAt = lastRefreshAt
        self.passwordChangedAt = passwordChangedAt
        self.password = password
        self.secondFactors = secondFactors
    }
}

/// A factor of a kind that other systems do not have, with what is kept of it.
public struct PortableFactor: Sendable {
    /// The factor's id, which it keeps in the other system.
    public let id: FactorID
    /// The factor's kind.
    public let kind: FactorKind
    /// What the user calls it.
    public var name: String
    /// Nil means now.
    public var enrolledAt: Date?
    /// When an answer by it was last right; nil where that is not known.
    public var lastUsedAt: Date?
    /// JSON, as its own type writes it. It holds secrets.
    let payload: Secret<Data>

    /// Nil where the kind is not one of these, or what is kept is not in a shape of the kind.
    public init?(
        id: FactorID, kind: FactorKind, name: String, enrolledAt: Date?, lastUsedAt: Date?, content: Secret<JSONValue>
    ) {
        guard let method = ProofRegistry.standard.method(kind), method.traits.movesAsIs,
            let json = try? JSONEncoder().encode(content.reveal()), let payload = method.normalized(payload: json)
        else { return nil }
        self.id = id
        self.kind = kind
        self.name = name
        self.enrolledAt = enrolledAt
        self.lastUsedAt = lastUsedAt
        self.payload = Secret(payload)
    }

    /// A factor of the realm, opened.
    init(_ record: FactorRecord, payload: Data) {
        id = record.id
        kind = record.kind
        name = record.name
        enrolledAt = record.createdAt
        lastUsedAt = record.lastUsedAt
        self.payload = Secret(payload)
    }

    /// What is kept; nil where it is no JSON.
    public var content: Secret<JSONValue>? {
        (try? JSONDecoder().decode(JSONValue.self, from: payload.reveal())).map { Secret($0) }
    }
}
