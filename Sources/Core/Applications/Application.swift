import Foundation

/// Names an application: an OAuth client id, and what Firebase options call the API key.
public struct ClientID: StringName {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = PlainText.key(rawValue)
    }
}

/// An app that may ask people to sign in.
public struct Application: Sendable, Equatable {
    /// The application's id, unique in the realm. After a removal the id may be registered anew, for another
    /// application.
    public let id: ClientID
    /// The version of the row. A write that expects another one fails.
    public internal(set) var revision: Int
    /// When it was registered. Grants of before belong to an earlier application of the same id (``owns(_:)``).
    public let createdAt: Date
    /// What it was registered with.
    public var registration: ApplicationRegistration {
        _read { yield kept.wrappedValue }
        _modify { yield &kept.wrappedValue }
    }

    /// As it was registered, without the whole registration, which would be copied for a caller in another module.
    public var requiresSecondFactor: Bool { kept.wrappedValue.requiresSecondFactor }

    /// As it was registered; see ``requiresSecondFactor``.
    public var revealsAddresses: Bool { kept.wrappedValue.revealsAddresses }

    /// A request hands its application on a dozen times.
    private var kept: OneReference<ApplicationRegistration>

    /// The row as stores read and write it. ``Applications/add(id:_:by:)`` registers applications.
    public init(id: ClientID, revision: Int = 0, createdAt: Date, registration: ApplicationRegistration) {
        self.init(id: id, revision: revision, createdAt: createdAt, kept: OneReference(wrappedValue: registration))
    }

    /// The same with a registration that others have as well.
    package init(id: ClientID, revision: Int, createdAt: Date, kept: OneReference<ApplicationRegistration>) {
        self.id = id
        self.revision = revision
        self.createdAt = createdAt
        self.kept = kept
    }

    public static func == (one: Application, other: Application) -> Bool {
        one.id == other.id && one.revision == other.revision && one.createdAt == other.createdAt
            && (one.kept.isReference(of: other.kept) || one.registration == other.registration)
    }
}

/// What an application was registered with. Every member has a default; documents written before a member existed stay
/// readable.
public struct ApplicationRegistration: Sendable, Equatable, Codable {
    /// An attribute that the application asks for at sign-up.
    public struct Attribute: Sendable, Equatable, Codable {
        /// What applications, tokens and extensions call the attribute.
        public var name: String
        /// `string`, `integer` or `boolean`.
        public var type: String
        /// Whether a sign-up without a value is refused.
        public var isRequired: Bool
        /// What a text has to match, as ``AttributePattern`` takes it; nil where any will do.
        public var pattern: String?

        /// Describes an attribute. Nothing is judged here: ``AttributePattern`` judges the pattern.
        public init(name: String, type: String, isRequired: Bool, pattern: String? = nil) {
            self.name = name
            self.type = type
            self.isRequired = isRequired
            self.pattern = pattern
        }

        /// Whether a value of the attribute's type is in its form. A pattern that cannot be read admits nothing.
        public func admits(_ value: JSONValue) -> Bool {
            guard let pattern, case .string(let text) = value else { return true }
            return (try? AttributePattern(pattern))?.matches(text) ?? false
        }
    }

    /// What pages call the application; nil shows its id.
    public var displayName: String?
    /// SHA-256 of the client secret, Base64; nil for a public client. Client secrets are random, so one hash is enough.
    /// No dialect compares it: ``Applications/authenticate(_:expecting:by:)`` judges secrets.
    var secretDigest: String?
    /// Whether this server drew the secret: 256 random bits (`docs/decisions/0291`). Nil in registrations of before it was noted.
    var secretIsDrawn: Bool?
    /// The public keys with which it signs assertions of who it is; empty where it signs none.
    public var assertionKeys: [AssertionKey]
    /// Where browsers may be sent with answers, compared as texts (``RedirectURI``).
    public var redirectURIs: [String]
    /// The `challenge_type`s of native authentication that the application may use; empty for one that is no client of
    /// it.
    public var challengeTypes: [String]
    /// Scopes that the application may request. Which scopes need no entry here is each protocol's to say.
    public var scopes: [String]
    /// What access tokens may be issued for, beside the server's own APIs (``allowsAudience(_:)``). Nil in registrations of
    /// before there was a list.
    public var audiences: [String]?
    /// The attributes that the application asks for at sign-up.
    public var attributes: [Attribute]
    /// Whether a sign-in without a second factor is refused.
    public var requiresSecondFactor: Bool
    /// Whether answers may say that an address has no account. Weaker than the default, as an attacker can list accounts.
    public var revealsAddresses: Bool
    /// Whether no protocol knows it for now. Its registration, and what users allowed it, stay (`docs/decisions/0385`).
    public var isDisabled = false
    /// For administrators alone: who owns it, what it is for. Nil where nothing was noted.
    public var ownerNote: String?
    /// How to reach those who are responsible for it (RFC 7591, section 2), as an administrator says; ``shownContacts`` has what it said
    /// itself.
    public var contacts: [String] = []
    /// What it is as a client of OAuth 2.1 and OpenID Connect.
    public var oauth = OAuthRegistration()
    /// One document for each version of the application, as a module above the core writes them; the core keeps them with the
    /// registration and does not read them.
    package var versionDocuments: [JSONValue]

    /// A registration with these members and the defaults of all others: a public client, enabled.
    public init(
        displayName: String? = nil, redirectURIs: [String] = [],
        challengeTypes: [String] = [], scopes: [String] = [], audiences: [String]? = [], attributes: [Attribute] = [],
        requiresSecondFactor: Bool = false, revealsAddresses: Bool = false, assertionKeys: [AssertionKey] = []
    ) {
        self.displayName = displayName
        self.assertionKeys = assertionKeys
        self.redirectURIs = redirectURIs
        self.challengeTypes = challengeTypes
        self.scopes = scopes
        self.audiences = audiences
        self.attributes = attributes
        self.requiresSecondFactor = requiresSecondFactor
        self.revealsAddresses = revealsAddresses
        versionDocuments = []
    }

    private enum CodingKeys: String, CodingKey {
        case displayName, secretDigest, secretIsDrawn, redirectURIs, challengeTypes, scopes, audiences, attributes
        case requiresSecondFactor, revealsAddresses, assertionKeys, oauth, isDisabled, ownerNote, contacts
        case versionDocuments = "versions"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        displayName = try members.decodeIfPresent(String.self, forKey: .displayName)
        secretDigest = try members.decodeIfPresent(String.self, forKey: .secretDigest)
        secretIsDrawn = try members.decodeIfPresent(Bool.self, forKey: .secretIsDrawn)
        assertionKeys = try members.decodeIfPresent([AssertionKey].self, forKey: .assertionKeys) ?? []
        redirectURIs = try members.decodeIfPresent([String].self, forKey: .redirectURIs) ?? []
        challengeTypes = try members.decodeIfPresent([String].self, forKey: .challengeTypes) ?? []
        scopes = try members.decodeIfPresent([String].self, forKey: .scopes) ?? []
        audiences = try members.decodeIfPresent([String].self, forKey: .audiences)
        attributes = try members.decodeIfPresent([Attribute].self, forKey: .attributes) ?? []
        requiresSecondFactor = try members.decodeIfPresent(Bool.self, forKey: .requiresSecondFactor) ?? false
        revealsAddresses = try members.decodeIfPresent(Bool.self, forKey: .revealsAddresses) ?? false
        oauth = try members.decodeIfPresent(OAuthRegistration.self, forKey: .oauth) ?? OAuthRegistration()
        isDisabled = try members.decodeIfPresent(Bool.self, forKey: .isDisabled) ?? false
        ownerNote = try members.decodeIfPresent(String.self, forKey: .ownerNote)
        contacts = try members.decodeIfPresent([String].self, forKey: .contacts) ?? []
        versionDocuments = try members.decodeIfPresent([JSONValue].self, forKey: .versionDocuments) ?? []
    }

    /// Whether the application can show that it is the one that it says: it has a secret or keys (RFC 6749, section 2.1).
    public var isConfidential: Bool { secretDigest != nil || hasKeys }

    /// Characters of ``ownerNote``.
    public static let longestOwnerNote = 500
    /// How many ``contacts`` there are at most.
    public static let mostContacts = 8
    /// Characters of one of them.
    public static let longestContact = 255

    /// How to reach those who are responsible for it: what an administrator said, else what it said of itself, which no one checked.
    public var shownContacts: [String] {
        guard contacts.isEmpty else { return contacts }
        guard case .array(let told)? = oauth.selfRegistration?.told["contacts"] else { return [] }
        return told.prefix(Self.mostContacts).compactMap(\.stringValue)
    }

    /// The protocols that something of the registration is for. Identity Toolkit and Guardian take every application, so that nothing tells
    /// of them before they are used.
    public var registeredDialects: [Dialect] {
        var dialects: [Dialect] = []
        if oauth.kind != nil || oauth.grantTypes != nil || !redirectURIs.isEmpty { dialects.append(.oauth) }
        if !challengeTypes.isEmpty { dialects.append(.nativeAuth) }
        if !versionDocuments.isEmpty { dialects.append(.securityChecks) }
        return dialects
    }

    /// Whether it has keys to sign with.
    public var hasKeys: Bool { !assertionKeys.isEmpty || oauth.jwksURI != nil }
}

extension Application {
    /// Whether a grant was given to this registration, and not to one of the same id that was removed before. A third party owns nothing
    /// that it got by the protocol with pages while it was the operator's own, when its users were not asked (`docs/decisions/0560`).
    public func owns(_ grant: Grant) -> Bool {
        guard grant.clientID == id, grant.createdAt >= createdAt else { return false }
        guard grant.dialect == .oauth, !registration.oauth.isFirstParty, let since = registration.oauth.asksSince
        else { return true }
        return grant.createdAt >= since
    }
}

extension ClientID: StoredJSON {}

extension ApplicationRegistration: StoredJSON {
    package func write(to json: inout JSONWriter) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        json.write(text: try encoder.encode(self))
    }
}
