import Foundation

/// What administrators change while the server runs; kept in the database, so that all servers agree.
///
/// Every member has a default, and a document written before the member existed stays readable.
///
/// **How the files of this folder meet.** This is the document that administrators change, with `LinkSettings`, `PushSettings`
/// and `SecondFactorSettings` as its parts, and sections of dialects and modules that the core does not read. The other files are small documents beside it that servers of
/// one store share: `AdministratorToken`, `DataKind`, `PublicAddress`, `SettingChange`, and what `MasterKeyCheck` opens at every start.
public struct RealmSettings: Sendable, Equatable, Codable {
    /// Which second factors are offered and required.
    public var secondFactors: SecondFactorSettings
    /// Which passwords are good enough.
    public var passwords: PasswordPolicy
    /// Which users may sign up.
    public var signUp: SignUpSettings
    /// What answers give away.
    public var privacy: PrivacySettings
    /// How tokens are signed and how long they live.
    public var tokens: TokenSettings
    /// How long the log is kept.
    public var audit: AuditSettings
    /// Settings of the security checks, as the module above the core writes them; nil where none was ever set. The core keeps
    /// them with its own and does not read them.
    package var checksDocument: JSONValue?
    /// What one dialect's configuration alone says and reads back, as that dialect writes it; nil where nothing was ever set.
    /// The core keeps it and does not read it.
    package var toolkitDocument: JSONValue?
    /// How devices learn about requests.
    public var push: PushSettings
    /// Where the pages of mailed links may lead.
    public var links: LinkSettings
    /// Settings of OAuth and OpenID Connect.
    public var oauth = OAuthSettings()
    /// How passkeys are made and judged.
    public var passkeys = PasskeySettings()
    /// How long browsers stay signed in.
    public var browserSessions = BrowserSessionSettings()
    /// The terms of use that users agree to.
    public var terms = TermsSettings()
    /// What of accounts their users decide.
    public var accounts = AccountSettings()

    /// The defaults of all settings.
    public init() {
        secondFactors = SecondFactorSettings()
        passwords = .standard
        signUp = SignUpSettings()
        privacy = PrivacySettings()
        tokens = TokenSettings()
        audit = AuditSettings()
        push = PushSettings()
        links = LinkSettings()
    }

    private enum CodingKeys: String, CodingKey {
        case secondFactors, passwords, signUp, privacy, tokens, audit, push, links, oauth, passkeys, browserSessions,
            terms, accounts
        case checksDocument = "securityChecks"
        case toolkitDocument = "identityToolkit"
    }

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&secondFactors, .secondFactors)
        try members.assign(&passwords, .passwords)
        try members.assign(&signUp, .signUp)
        try members.assign(&privacy, .privacy)
        try members.assign(&tokens, .tokens)
        try members.assign(&audit, .audit)
        checksDocument = try members.decodeIfPresent(JSONValue.self, forKey: .checksDocument)
        try members.assign(&push, .push)
        try members.assign(&links, .links)
        try members.assign(&oauth, .oauth)
        try members.assign(&passkeys, .passkeys)
        try members.assign(&browserSessions, .browserSessions)
        try members.assign(&terms, .terms)
        try members.assign(&accounts, .accounts)
        toolkitDocument = try members.decodeIfPresent(JSONValue.self, forKey: .toolkitDocument)
        // Earlier programs wrote this one among the second factors.
        let former = try? members.nestedContainer(keyedBy: FormerKeys.self, forKey: .secondFactors)
        if let listsPhone = try former?.decodeIfPresent(Bool.self, forKey: .listsPhone),
            toolkitDocument?["listsPhone"] == nil
        {
            var document: [String: JSONValue] = [:]
            if case .object(let members)? = toolkitDocument { document = members }
            document["listsPhone"] = .bool(listsPhone)
            toolkitDocument = .object(document)
        }
    }

    private enum FormerKeys: CodingKey {
        case listsPhone
    }
}

/// Which users may sign up.
public struct SignUpSettings: Sendable, Equatable, Codable {
    /// Whether people may make their own accounts.
    public var isOpen = true
    /// Whether people whom an administrator invites may, also where sign-up is not open (``Invitations``).
    public var takesInvitations = true
    /// Whether users may have an account without any address or password. Nil where it was never set: then only under
    /// `--dev`.
    public var anonymous: Bool?

    /// Whether users may have an account without any address or password, outside of `--dev`.
    public var allowsAnonymous: Bool {
        get { anonymous ?? false }
        set { anonymous = newValue }
    }

    /// Sign-up is open, invitations are taken, and anonymous accounts are left to the realm's mode.
    public init() {}

    private enum CodingKeys: CodingKey {
        case isOpen, takesInvitations, anonymous, allowsAnonymous
    }

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&isOpen, .isOpen)
        try members.assign(&takesInvitations, .takesInvitations)
        anonymous = try members.decodeIfPresent(Bool.self, forKey: .anonymous)
        // Earlier programs wrote "no" where it was never set.
        if anonymous == nil, try members.decodeIfPresent(Bool.self, forKey: .allowsAnonymous) == true {
            anonymous = true
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(isOpen, forKey: .isOpen)
        try members.encode(takesInvitations, forKey: .takesInvitations)
        try members.encodeIfPresent(anonymous, forKey: .anonymous)
    }
}

/// What answers give away.
public struct PrivacySettings: Sendable, Equatable, Codable {
    /// Whether answers hide if an address has an account (Identity Toolkit's e-mail enumeration protection).
    public var hidesAddresses = true

    /// Answers hide whether an address has an account.
    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&hidesAddresses, .hidesAddresses)
    }
}

/// What becomes of the log.
public struct AuditSettings: Sendable, Equatable, Codable {
    /// Days that an event is kept: 1 to 36,500.
    public var retentionDays = 400
    /// The same in seconds.
    var retention: TimeInterval { Double(retentionDays) * 86_400 }

    /// Events are kept for 400 days.
    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&retentionDays, .retentionDays)
        retentionDays = min(max(retentionDays, 1), 36_500)
    }
}

/// How tokens are signed and how long they live.
public struct TokenSettings: Sendable, Equatable, Codable {
    /// The algorithm of dialects that have none of their own here.
    public var algorithm = SigningAlgorithm.es256
    /// By the dialect's name.
    public var algorithms: [String: SigningAlgorithm] = [:]
    /// What is in a JWKS.
    public var publishedKeys = PublishedKeys.all
    /// Seconds that an ID token lives: 300 to 86,400.
    public var idTokenLifetime = 3600
    /// Days after which a session ends however often it was refreshed: 1 to 3,650.
    public var sessionDays = 400
    /// Public keys (PEM) that may sign custom tokens, by the service account that is their `iss` and `sub`.
    public var customTokenKeys: [String: String] = [:]

    /// ES256, an hour for ID tokens, 400 days for sessions.
    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&algorithm, .algorithm)
        try members.assign(&algorithms, .algorithms)
        try members.assign(&publishedKeys, .publishedKeys)
        try members.assign(&idTokenLifetime, .idTokenLifetime)
        try members.assign(&sessionDays, .sessionDays)
        try members.assign(&customTokenKeys, .customTokenKeys)
        idTokenLifetime = min(max(idTokenLifetime, 300), 86_400)
        sessionDays = min(max(sessionDays, 1), 3650)
    }

    /// Which keys a JWKS has (RFC 7517, section 5).
    public enum PublishedKeys: String, Sendable, Codable, CaseIterable {
        /// Those of every algorithm.
        case all
        /// Those of the algorithms that the tokens which are verified with it are signed with. Some libraries parse each key
        /// of a JWKS as RSA and fail on any other.
        case used
    }

    /// The algorithms whose keys are in the JWKS of these dialects; nil is every dialect.
    public func published(for dialects: [Dialect]?) -> Set<SigningAlgorithm> {
        guard publishedKeys == .used, let dialects, !dialects.isEmpty else { return Set(SigningAlgorithm.allCases) }
        return Set(dialects.map(algorithm(for:)))
    }

    /// The algorithm that a protocol's tokens are signed with: its own, else the one that its clients' libraries can
    /// read, else ``algorithm``.
    public func algorithm(for dialect: Dialect) -> SigningAlgorithm {
        if let own = algorithms[dialect.rawValue] { return own }
        // The libraries of some protocols read RSA alone.
        if [.nativeAuth, .guardian, .securityChecks].contains(dialect) { return .rs256 }
        // Its JWKS is theirs: where that is to have nothing else for them, it signs as they do.
        return dialect == .oauth && publishedKeys == .used ? .rs256 : algorithm
    }

    /// Protocols whose clients verify tokens of OAuth and OpenID Connect with one JWKS.
    public static let oauthReaders: [Dialect] = [.oauth, .guardian]

    /// What OAuth signs with where an application or an API chose an algorithm, or none: the chosen one where its key is in the JWKS
    /// of those who verify it, else the protocol's own. The one rule for tokens, metadata, and what is told of an application.
    public func algorithm(choosing chosen: SigningAlgorithm?) -> SigningAlgorithm {
        if let chosen, published(for: Self.oauthReaders).contains(chosen) { return chosen }
        return algorithm(for: .oauth)
    }

    /// What ID tokens and logout tokens of an application are signed with now, whatever it is registered with.
    public func idTokenAlgorithm(of registration: OAuthRegistration) -> SigningAlgorithm {
        algorithm(choosing: registration.idTokenAlgorithm)
    }
}

extension KeyedDecodingContainer {
    /// Replaces the value where the document has the member; leaves the default where it does not.
    package func assign<T: Decodable>(_ value: inout T, _ key: Key) throws {
        if let found = try decodeIfPresent(T.self, forKey: key) { value = found }
    }
}

extension RealmSettings {
    /// The settings of a fresh server.
    fileprivate static let defaults = OneReference(wrappedValue: RealmSettings())
}

extension StoreTransaction {
    static var settingsDocument: String { "settings" }

    /// The realm's settings; the defaults on a fresh server.
    public func settings() throws -> RealmSettings { try sharedSettings().wrappedValue }

    /// The same as one reference, which all transactions share while the settings stay as they are.
    func sharedSettings() throws -> OneReference<RealmSettings> {
        let settings = try decodedDocument(Self.settingsDocument) { document -> OneReference<RealmSettings> in
            do {
                return OneReference(wrappedValue: try JSONDecoder().decode(RealmSettings.self, from: document))
            } catch {
                throw StoreError(.corrupt, "The settings document cannot be read: \(error)")
            }
        }
        return settings ?? RealmSettings.defaults
    }

    func putSettings(_ settings: RealmSettings) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try putDocument(Self.settingsDocument, encoder.encode(settings))
    }
}
