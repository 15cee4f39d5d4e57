import Foundation
import OneTimePassword

/// An account on its way from one system to another, with the password and the authenticator that its owner has.
///
/// What moves in is one (``Accounts/importAccounts(_:overwrites:rehearses:by:)``), and what moves out
/// (``Accounts/exportAccounts(after:limit:run:by:)``).
public struct PortableAccount: Sendable {
    public var id: UserID
    public var email: EmailAddress?
    /// Its phone number is in the form of ``PhoneNumber``.
    public var profile: UserProfile
    public var isDisabled: Bool
    /// Nil means now.
    public var createdAt: Date?
    public var lastSignInAt: Date?
    public var lastRefreshAt: Date?
    /// Nil means that it is not known; then it counts as set when the account was made.
    public var passwordChangedAt: Date?
    public var password: PortablePassword?
    public var secondFactors: [PortableTOTP]
    /// What only this program knows: devices that answer requests, recovery codes.
    public var otherFactors: [PortableFactor] = []

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

/// A password as another system gives it away, or as it is given to another.
public enum PortablePassword: Sendable {
    /// What a ``PasswordImporter`` made of a hash.
    case hash(KeptPasswordHash)
    case text(Secret<String>)
}

/// A TOTP authenticator that is enrolled elsewhere, with its secret.
public struct PortableTOTP: Sendable {
    /// Nil makes a fresh one.
    public var id: FactorID?
    public var name: String
    /// Nil means now.
    public var enrolledAt: Date?
    public var lastUsedAt: Date?
    let payload: TOTPFactor.Payload

    /// Nil where no code can be made of it, or none that a user could type in time: an empty secret or one of more than
    /// 128 bytes, digits outside of 6 to 8, a period outside of 15 to 300 seconds.
    /// - Parameter lastStep: the time step of the last code that counted; it and all before it are used up.
    public init?(
        id: FactorID?, name: String, enrolledAt: Date?, lastUsedAt: Date? = nil, secret: Secret<[UInt8]>,
        algorithm: OTPAlgorithm = .sha1, digits: Int = 6, period: Int = 30, lastStep: UInt64? = nil
    ) {
        guard (1...128).contains(secret.reveal().count), (6...8).contains(digits), (15...300).contains(period) else {
            return nil
        }
        self.id = id
        self.name = name
        self.enrolledAt = enrolledAt
        self.lastUsedAt = lastUsedAt
        payload = TOTPFactor.Payload(
            secret: Data(secret.reveal()), algorithm: algorithm, digits: digits, period: period, lastStep: lastStep)
    }

    /// A factor of the realm, opened.
    init(_ record: FactorRecord, _ payload: TOTPFactor.Payload) {
        id = record.id
        name = record.name
        enrolledAt = record.createdAt
        lastUsedAt = record.lastUsedAt
        self.payload = payload
    }

    public var secret: Secret<[UInt8]> { Secret(Array(payload.secret)) }
    public var algorithm: OTPAlgorithm { payload.algorithm }
    public var digits: Int { payload.digits }
    /// Seconds.
    public var period: Int { payload.period }
    public var lastStep: UInt64? { payload.lastStep }
}

/// A factor of a kind that other systems do not have, with what is kept of it.
public struct PortableFactor: Sendable {
    public let id: FactorID
    public let kind: FactorKind
    public var name: String
    /// Nil means now.
    public var enrolledAt: Date?
    public var lastUsedAt: Date?
    /// JSON, as its own type writes it. It holds secrets.
    let payload: Secret<Data>

    /// Nil where the kind is not one of these, or what is kept is not in a shape of the kind.
    public init?(
        id: FactorID, kind: FactorKind, name: String, enrolledAt: Date?, lastUsedAt: Date?, content: Secret<JSONValue>
    ) {
        guard let json = try? JSONEncoder().encode(content.reveal()) else { return nil }
        let decoder = JSONDecoder()
        let payload: Data?
        switch kind {
        case .push:
            payload = (try? decoder.decode(PushFactor.Payload.self, from: json)).flatMap {
                try? JSONEncoder().encode($0)
            }
        case .email:
            payload = (try? decoder.decode(MailboxFactor.Payload.self, from: json)).flatMap {
                try? JSONEncoder().encode($0)
            }
        case .recoveryCode:
            payload =
                (try? decoder.decode(RecoveryCodeFactor.Payload.self, from: json))
                .flatMap { try? JSONEncoder().encode($0) }
        default: return nil
        }
        guard let payload else { return nil }
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
