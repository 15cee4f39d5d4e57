import CountersignCore
import Foundation

/// One user in a file of users: a JSON object on a line of its own.
///
/// Its shape is the user object of Identity Toolkit's `accounts:batchCreate` (identity-toolkit 2.5), with the way in
/// which the password was hashed beside the hash, under the names that the whole request has there, and with what the
/// protocol has no member for: secrets of authenticators, attributes, the form of passwords.
struct UserRow: Codable, Sendable {
    var localId: String?
    var email: String?
    var emailVerified: Bool?
    var displayName: String?
    var photoUrl: String?
    var phoneNumber: String?
    /// Ours: the user's language (BCP 47).
    var locale: String?
    /// Ours: the terms of use that the user has agreed to.
    var acceptedTerms: [Terms]?
    var disabled: Bool?
    /// A JSON object in a string.
    var customAttributes: String?
    /// Ours: what applications define.
    var attributes: [String: JSONValue]?
    var providerUserInfo: [Identity]?
    var emailLinkSignin: Bool?
    var customAuth: Bool?
    /// Ours: how the account came to be, where the members before do not say it: `anonymous`.
    var providers: [String]?
    /// Milliseconds since 1970.
    var createdAt: String?
    var lastLoginAt: String?
    /// What `firebase auth:export` calls `lastLoginAt`.
    var lastSignedInAt: String?
    /// RFC 3339.
    var lastRefreshAt: String?
    /// Milliseconds since 1970.
    var passwordUpdatedAt: Double?

    /// Base64.
    var passwordHash: String?
    /// Base64.
    var salt: String?
    var hashAlgorithm: String?
    /// Base64.
    var signerKey: String?
    /// Base64.
    var saltSeparator: String?
    var rounds: Int?
    var memoryCost: Int?
    var cpuMemCost: Int?
    var parallelization: Int?
    var blockSize: Int?
    var dkLen: Int?
    var passwordHashOrder: String?
    var argon2Parameters: PasswordHashSettings.Argon2?
    /// Ours: `NFC` where passwords are brought into Unicode's normal form C before they are hashed.
    var passwordForm: String?
    /// A password unencrypted.
    var rawPassword: String?

    var mfaInfo: [SecondFactor]?
    /// Ours: devices that answer requests, and recovery codes.
    var factors: [OwnFactor]?
    /// Ours: names of groups; left out, they stay as they are.
    var groups: [String]?
    /// Ours: `owner`, `operator`, `support` or `auditor`; left out, it stays as it is.
    var role: String?

    // Understood and of no use here: they are about tokens and tenants of the other system.
    var validSince: String?
    var tenantId: String?
    var version: Int?
    var initialEmail: String?
    var kind: String?

    /// A version of the terms of use, and when the user agreed to it (RFC 3339).
    struct Terms: Codable, Sendable {
        var version: String
        var at: String
    }

    /// An identity under which the account can be signed in.
    struct Identity: Codable, Sendable {
        var providerId: String?
        var rawId: String?
        var federatedId: String?
        var email: String?
        var displayName: String?
        var photoUrl: String?
        var phoneNumber: String?
        var screenName: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case providerId, rawId, federatedId, email, displayName, photoUrl, phoneNumber, screenName
        }
    }

    struct SecondFactor: Codable, Sendable {
        var mfaEnrollmentId: String?
        var displayName: String?
        /// RFC 3339.
        var enrolledAt: String?
        var totpInfo: TOTP?
        /// Phones are no factors here; see ``UserRow/account(_:)``.
        var phoneInfo: String?
        var unobfuscatedPhoneInfo: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case mfaEnrollmentId, displayName, enrolledAt, totpInfo, phoneInfo, unobfuscatedPhoneInfo
        }
    }

    struct TOTP: Codable, Sendable {
        /// Base32.
        var sharedSecretKey: String?
        /// `SHA1`, `SHA256` or `SHA512`; absent means `SHA1`.
        var algorithm: String?
        /// Absent means 6.
        var digits: Int?
        /// Seconds; absent means 30.
        var period: Int?
        /// Ours: the time step of the last code that counted, so that it does not count once more.
        var lastUsedStep: UInt64?
        /// Ours. RFC 3339.
        var lastUsedAt: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case sharedSecretKey, algorithm, digits, period, lastUsedStep, lastUsedAt
        }
    }

    /// A factor of a kind that the protocol does not have.
    struct OwnFactor: Codable, Sendable {
        var id: String?
        /// `push` or `recovery-code`.
        var kind: String?
        var name: String?
        /// RFC 3339.
        var enrolledAt: String?
        var lastUsedAt: String?
        /// As the factor's own type keeps it.
        var content: JSONValue?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case id, kind, name, enrolledAt, lastUsedAt, content
        }
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case localId, email, emailVerified, displayName, photoUrl, phoneNumber, locale, acceptedTerms, disabled
        case customAttributes, attributes
        case providerUserInfo, emailLinkSignin, customAuth, providers, createdAt, lastLoginAt, lastSignedInAt
        case lastRefreshAt, passwordUpdatedAt, passwordHash, salt, hashAlgorithm, signerKey, saltSeparator, rounds
        case memoryCost, cpuMemCost, parallelization, blockSize, dkLen, passwordHashOrder, argon2Parameters
        case passwordForm, rawPassword, mfaInfo, factors, groups, role, validSince, tenantId, version, initialEmail,
            kind
    }

    /// Bytes that a line may have: fifty devices fit.
    static let longestLine = 256 * 1024
}

/// Why a row is refused: a sentence for the owner of the file, without any of its secrets.
struct UserRowFault: Error, Sendable, Equatable {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }
}
