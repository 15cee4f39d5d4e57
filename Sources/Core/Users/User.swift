import Foundation

/// Names a user, in every dialect: Identity Toolkit's `localId`, the part of Guardian's `user_id` after the bar,
/// Entra's `oid`.
public struct UserID: StringName {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = PlainText.key(rawValue)
    }

    /// A fresh id: 28 alphanumeric characters, as Identity Toolkit makes them.
    public init(random: any RandomSource) {
        rawValue = random.string(28, of: .alphanumeric)
    }
}

/// A person of the realm. One realm, one user directory: all tenants, projects and applications share it.
public struct User: Sendable, Equatable {
    /// The user's id, unique in the realm and stable for the account's life.
    public let id: UserID
    /// Counts the changes; an update names the revision that it read.
    public internal(set) var revision: Int
    /// Nil for an anonymous user.
    public var email: EmailAddress?
    /// Whether an administrator has disabled the account.
    public private(set) var isSuspended: Bool
    /// From when on the account is to be removed, where its owner asked for that and may still think otherwise; nil else. Until then it
    /// is as disabled (``OwnAccount/requestDeletion(typedName:of:by:)``).
    public internal(set) var deletionDueAt: Date?
    /// Whether no sign-in succeeds: an administrator has disabled the account, or its owner wants it removed. Enabling withdraws both.
    public var isDisabled: Bool {
        get { isSuspended || deletionDueAt != nil }
        set {
            isSuspended = newValue
            if !newValue { deletionDueAt = nil }
        }
    }
    /// What is known of the user beside the address.
    public var profile: UserProfile
    /// Never later changed, but for a user who comes from another system.
    public internal(set) var createdAt: Date
    /// When a sign-in last succeeded, with every factor that was asked for.
    public var lastSignInAt: Date?
    /// When a refresh token of the user was last traded; nil where none was.
    public var lastRefreshAt: Date?
    /// When the password was last set; nil where there was never one, or that is not known.
    public var passwordChangedAt: Date?
    /// When tokens were last revoked, or the later instant that an administrator named; in whole seconds. Protocols tell
    /// it (`validSince`). Our own tokens are not judged by it, because it may be of another server's clock: see
    /// ``tokenEpoch`` and ``tokensRefusedBefore``.
    public private(set) var tokensValidAfter: Date
    /// Tokens issued before this instant no longer count: one that an administrator named, or the beginning of the account less
    /// what clocks may differ by; in whole seconds.
    public private(set) var tokensRefusedBefore: Date
    /// Counts the revocations. A token carries the epoch it was issued in, so that one revocation cuts exactly between
    /// two tokens of the same second.
    public private(set) var tokenEpoch: Int

    /// A user who was made just now, is not disabled, and has not signed in yet.
    public init(id: UserID, email: EmailAddress?, profile: UserProfile = UserProfile(), createdAt: Date) {
        self.init(
            id: id, revision: 0, email: email, isDisabled: false, profile: profile, createdAt: createdAt,
            lastSignInAt: nil, lastRefreshAt: nil, passwordChangedAt: nil,
            tokensValidAfter: Date(microseconds: createdAt.seconds * 1_000_000), tokenEpoch: 0,
            tokensRefusedBefore: Self.beginning(at: createdAt))
    }

    /// Before when tokens are refused of an account that begins to be here at an instant: one that had the same id before was in the same
    /// epochs, and its tokens are older.
    static func beginning(at instant: Date) -> Date {
        Date(microseconds: (instant.seconds - Int64(predecessorTolerance)) * 1_000_000)
    }

    /// For stores: a user as it was kept.
    public init(
        id: UserID, revision: Int, email: EmailAddress?, isDisabled: Bool, profile: UserProfile, createdAt: Date,
        lastSignInAt: Date?, lastRefreshAt: Date?, passwordChangedAt: Date?, tokensValidAfter: Date, tokenEpoch: Int,
        tokensRefusedBefore: Date = Date(microseconds: 0), deletionDueAt: Date? = nil
    ) {
        self.id = id
        self.revision = revision
        self.email = email
        isSuspended = isDisabled
        self.deletionDueAt = deletionDueAt
        self.profile = profile
        self.createdAt = createdAt
        self.lastSignInAt = lastSignInAt
        self.lastRefreshAt = lastRefreshAt
        self.passwordChangedAt = passwordChangedAt
        self.tokensValidAfter = tokensValidAfter
        self.tokenEpoch = tokenEpoch
        self.tokensRefusedBefore = tokensRefusedBefore
    }

    /// Makes every token and refresh token issued so far worthless: by the epoch, so that neither a token of the same
    /// second nor one of a server whose clock differs is taken for another.
    /// - Parameter instant: for those who ask since when tokens count; cut to whole seconds, never earlier than before.
    public mutating func revokeTokens(at instant: Date) {
        tokenEpoch += 1
        tokensValidAfter = max(tokensValidAfter, instant.wholeSecond)
    }

    /// Makes what was issued before an instant that an administrator named worthless, and nothing else.
    /// - Parameter instant: cut to whole seconds, never earlier than before.
    mutating func refuseTokens(issuedBefore instant: Date) {
        tokensRefusedBefore = max(tokensRefusedBefore, instant.wholeSecond)
        tokensValidAfter = max(tokensValidAfter, tokensRefusedBefore)
    }

    /// Whether what was issued then is refused for an instant that an administrator named. The epoch is another question.
    func refuses(issuedAt instant: Date) -> Bool { instant.seconds < tokensRefusedBefore.seconds }

    /// When a token that is issued now says that it was issued, or that its owner signed in.
    ///
    /// Verifiers elsewhere, which do not know the epoch, compare this with ``tokensValidAfter``. A server whose clock is
    /// behind that of the server which revoked would make tokens that look older than the revocation; so they say the
    /// second of the revocation, where that is no more than a minute ahead. An instant that an administrator
    /// named is left as it is.
    public func issueTime(_ instant: Date) -> Date {
        guard tokensValidAfter > tokensRefusedBefore, instant < tokensValidAfter,
            tokensValidAfter <= instant + Self.clockTolerance
        else { return instant }
        return tokensValidAfter
    }

    /// Seconds before its beginning from which an account takes tokens: what a server's clock may be behind by, and how long a
    /// token of an account that had the same id lives on at most.
    static let predecessorTolerance: TimeInterval = 300
    /// Seconds that another server's clock may be ahead.
    static let clockTolerance: TimeInterval = 60
}

/// What is known of a user beside the address: kept as one JSON document, so that a new attribute needs no migration.
///
/// Every member has a default, and a document written before the member existed stays readable.
public struct UserProfile: Sendable, Equatable, Codable {
    /// Whether the user has proven to read the account's mail.
    public var emailVerified: Bool
    /// What people call the user; nil where nothing was said.
    public var displayName: String?
    /// The address of a picture; nil where there is none. The server does not fetch it.
    public var photoURL: String?
    /// A ``PhoneNumber``; unique.
    public var phoneNumber: String?
    /// Claims that a developer's back end put on the account; they appear at the top level of its ID tokens.
    public var customClaims: [String: JSONValue] {
        didSet { hasCustomClaims = true }
    }
    /// Whether an administrator put custom claims on the account, even if there are none left: Identity Toolkit reads
    /// them back as `{}` then.
    public private(set) var hasCustomClaims: Bool
    /// Attributes that an application defines (native authentication).
    public var attributes: [String: JSONValue]
    /// How the account came to be: `password`, `emailLink`, `anonymous`, `custom`; the ways in that Identity Toolkit lists.
    public var providers: Set<String>
    /// The user's own language, a language tag (BCP 47); nil where it was never said. Pages and mails are in it where they have it.
    public var locale: String?
    /// The terms of use that the user has agreed to, in that order.
    public internal(set) var acceptedTerms: [AcceptedTerms] = []
    /// What the user has put off of enrolling a second factor; nil where that never was.
    public internal(set) var putOffEnrolment: PutOffEnrolment?

    /// What is known of a user; without arguments, nothing.
    public init(
        emailVerified: Bool = false, displayName: String? = nil, photoURL: String? = nil, phoneNumber: String? = nil,
        customClaims: [String: JSONValue] = [:], attributes: [String: JSONValue] = [:], providers: Set<String> = [],
        locale: String? = nil
    ) {
        self.locale = locale
        self.emailVerified = emailVerified
        self.displayName = displayName
        self.photoURL = photoURL
        self.phoneNumber = phoneNumber
        self.customClaims = customClaims
        hasCustomClaims = !customClaims.isEmpty
        self.attributes = attributes
        self.providers = providers
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        emailVerified = try members.decodeIfPresent(Bool.self, forKey: .emailVerified) ?? false
        displayName = try members.decodeIfPresent(String.self, forKey: .displayName)
        photoURL = try members.decodeIfPresent(String.self, forKey: .photoURL)
        phoneNumber = try members.decodeIfPresent(String.self, forKey: .phoneNumber)
        customClaims = try members.decodeIfPresent([String: JSONValue].self, forKey: .customClaims) ?? [:]
        hasCustomClaims =
            try members.decodeIfPresent(Bool.self, forKey: .hasCustomClaims) ?? !customClaims.isEmpty
        attributes = try members.decodeIfPresent([String: JSONValue].self, forKey: .attributes) ?? [:]
        providers = try members.decodeIfPresent(Set<String>.self, forKey: .providers) ?? []
        locale = try members.decodeIfPresent(String.self, forKey: .locale)
        acceptedTerms = try members.decodeIfPresent([AcceptedTerms].self, forKey: .acceptedTerms) ?? []
        putOffEnrolment = try members.decodeIfPresent(PutOffEnrolment.self, forKey: .putOffEnrolment)
    }
}

/// A version of the terms of use that a user has agreed to.
public struct AcceptedTerms: Sendable, Equatable, Codable {
    /// The version, as the operator calls it.
    public let version: String
    /// When the user agreed.
    public let at: Date

    /// A version that a user agreed to.
    public init(version: String, at: Date) {
        self.version = version
        self.at = at
    }
}

extension AcceptedTerms: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var version: String?
        var at: Date?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "version": version = try json.read()
            case "at": at = try json.read()
            default: try json.skip()
            }
        }
        self.version = try json.required(version, "version")
        self.at = try json.required(at, "at")
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("at", at)
        try json.write("version", version)
        json.endObject()
    }
}

extension UserProfile: StoredJSON {
    package init(from json: inout JSONReader) throws {
        self.init()
        var hadCustomClaims: Bool?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "emailVerified": emailVerified = try json.readOptional() ?? false
            case "displayName": displayName = try json.readOptional()
            case "photoURL": photoURL = try json.readOptional()
            case "phoneNumber": phoneNumber = try json.readOptional()
            case "customClaims": customClaims = json.isNull() ? [:] : try json.object()
            case "hasCustomClaims": hadCustomClaims = try json.readOptional()
            case "attributes": attributes = json.isNull() ? [:] : try json.object()
            case "providers": providers = Set(try json.readOptional([String].self) ?? [])
            case "locale": locale = try json.readOptional()
            case "acceptedTerms": acceptedTerms = try json.readOptional() ?? []
            case "putOffEnrolment": putOffEnrolment = try json.readOptional()
            default: try json.skip()
            }
        }
        hasCustomClaims = hadCustomClaims ?? !customClaims.isEmpty
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        // Left out where there are none: rows stay as they were for most users.
        if !acceptedTerms.isEmpty { try json.write("acceptedTerms", acceptedTerms) }
        json.name("attributes")
        try json.write(attributes)
        json.name("customClaims")
        try json.write(customClaims)
        try json.write("displayName", optional: displayName)
        try json.write("emailVerified", emailVerified)
        try json.write("hasCustomClaims", hasCustomClaims)
        try json.write("locale", optional: locale)
        try json.write("phoneNumber", optional: phoneNumber)
        try json.write("photoURL", optional: photoURL)
        try json.write("providers", providers.sorted())
        if let putOffEnrolment { try json.write("putOffEnrolment", putOffEnrolment) }
        json.endObject()
    }
}
