import Foundation

/// Who made an application's registration. Every later rule goes by it: what an administrator did not make is always a third party, whose
/// users are asked, and is never given this server's own scopes.
public enum ApplicationOrigin: Sendable, Equatable {
    /// An administrator, by whatever means. All registrations of before there were others.
    case administrator
    /// The application itself (RFC 7591).
    case registered(SelfRegistration)
    /// A document that the application publishes at its client id (client id metadata documents).
    case document(uri: String)
}

extension ApplicationOrigin: Codable {
    private enum CodingKeys: CodingKey {
        case by, registration, uri
    }

    private enum Maker: String, Codable {
        case administrator, itself, document
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self =
            switch try members.decode(Maker.self, forKey: .by) {
            case .administrator: .administrator
            case .itself: .registered(try members.decode(SelfRegistration.self, forKey: .registration))
            case .document: .document(uri: try members.decode(String.self, forKey: .uri))
            }
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .administrator: try members.encode(Maker.administrator, forKey: .by)
        case .registered(let registration):
            try members.encode(Maker.itself, forKey: .by)
            try members.encode(registration, forKey: .registration)
        case .document(let uri):
            try members.encode(Maker.document, forKey: .by)
            try members.encode(uri, forKey: .uri)
        }
    }
}

/// How an application registered itself, and what is kept for the next time that it comes.
public struct SelfRegistration: Sendable, Equatable, Codable {
    /// When.
    public let at: Date
    /// The id of the initial access token that it showed; nil where anyone may register.
    public let token: String?
    /// The network address that it came from.
    public let source: String?
    /// What it may register for, then and at each change.
    public let allowance: RegistrationAllowance
    /// When it last changed what users judge it by: name, addresses, keys. What they allowed before is asked for again.
    public internal(set) var changedAt: Date?
    /// Scopes, APIs, grant types and redirect URIs that an administrator took from it: it does not register them again.
    private(set) var withheld: [String]?
    /// The scopes that an administrator wrote for it: it has no others from then on, whatever it asks its users for. Nil where none did.
    private(set) var scopeLimit: [String]?
    /// SHA-256 of its registration access token (RFC 7592, section 3).
    var accessTokenDigest: Data
    /// Members of its metadata that mean nothing here and are told to it as they came: `contacts`, `logo_uri`, `software_id`, …
    var told: [String: JSONValue]
    /// Its name by language (RFC 7591, section 2.2).
    public internal(set) var names: [String: String]

    package init(
        at: Date, token: String?, source: String?, allowance: RegistrationAllowance, accessTokenDigest: Data
    ) {
        self.at = at
        self.token = token
        self.source = source
        self.allowance = allowance
        self.accessTokenDigest = accessTokenDigest
        told = [:]
        names = [:]
    }
}

extension SelfRegistration {
    /// Whether an administrator took it from the application.
    func withholds(_ text: String) -> Bool { withheld?.contains(text) ?? false }

    /// Notes what a change by an administrator took away, and what one gave again.
    mutating func note(_ before: ApplicationRegistration, _ after: ApplicationRegistration) {
        let (had, has) = (Self.governed(before), Self.governed(after))
        let all = (withheld ?? []).filter { !has.contains($0) } + had.subtracting(has).sorted()
        withheld = all.isEmpty ? nil : all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        if before.scopes != after.scopes { limit(to: after.scopes) }
    }

    /// Notes the list of scopes that an administrator wrote.
    mutating func limit(to scopes: [String]) {
        scopeLimit = scopes.isEmpty ? RegistrationAllowance.everyScope : scopes
    }

    /// What it may register, or ask a user for: what it was allowed when it came, without what an administrator took from it.
    func scopes(among resources: [Resource]) -> [String] {
        allowance.scopes(among: resources.filter { !withholds($0.uri) })
            .filter { !withholds($0) && scopeLimit?.contains($0) ?? true }
    }

    private static func governed(_ registration: ApplicationRegistration) -> Set<String> {
        Set(registration.scopesOrEvery + registration.redirectURIs + registration.oauth.resources)
            .union(registration.oauth.grantTypes ?? registration.oauth.defaultGrantTypes)
    }
}

/// What an application that no administrator made may register for, beside a user's sign-in by redirect.
public struct RegistrationAllowance: Sendable, Equatable, Codable {
    /// `grant_type`s beyond ``everyGrantType``, of ``furtherGrantTypes``.
    public var grantTypes: [String]
    /// The identifiers of the APIs that it may ask for.
    public var resources: [String]
    /// Which scopes of those APIs; nil for all of them.
    public var scopes: [String]?

    /// Nothing, where nothing is named.
    public init(grantTypes: [String] = [], resources: [String] = [], scopes: [String]? = nil) {
        self.grantTypes = grantTypes
        self.resources = resources
        self.scopes = scopes
    }

    /// What every application may register for.
    public static let everyGrantType = ["authorization_code", "refresh_token"]
    /// What an initial access token may allow: the one acts without a user, the other asks users in places where phishing is easy
    /// (RFC 8628, section 5.4). There is none to allow for requests that make users' devices ring.
    public static let furtherGrantTypes = [
        "client_credentials", "urn:ietf:params:oauth:grant-type:device_code",
    ]
    /// Scopes that every application may register for. No other of this server's own is ever given to one that registered itself.
    public static let everyScope = ["openid", "profile", "email", "phone", "offline_access"]

    /// What every application may have, and one with this allowance besides, among the APIs that there are.
    func scopes(among resources: [Resource]) -> [String] {
        let named = resources.filter { self.resources.contains($0.uri) }.flatMap { $0.scopes.map(\.name) }
        return Self.everyScope
            + named.filter { scope in (scopes?.contains(scope) ?? true) && !OwnScopes.all.contains(scope) }
    }
}

extension OAuthRegistration {
    /// An administrator's word for an application that registered itself.
    public struct Approval: Sendable, Equatable, Codable {
        /// When.
        public let at: Date
        /// As the log names administrators; nil for the command line.
        public let by: String?
    }

    /// Whether users are to be told that no administrator looked at the application.
    public var isUnchecked: Bool { origin != .administrator && approval == nil }

    /// Whether no administrator let it in: it showed no initial access token, or came by its document. Such an application is removed where
    /// it is not used.
    public var isOfStranger: Bool {
        switch origin {
        case .administrator: false
        case .registered(let registration): registration.token == nil
        case .document: true
        }
    }

    /// How it registered itself; nil where it did not.
    public var selfRegistration: SelfRegistration? {
        if case .registered(let registration) = origin { registration } else { nil }
    }

    /// Changes what is kept of how it registered itself.
    mutating func updateSelfRegistration(_ change: (inout SelfRegistration) -> Void) {
        guard case .registered(var registration) = origin else { return }
        change(&registration)
        origin = .registered(registration)
    }
}

extension Application {
    /// Since when it is what it is to users: what they allowed before is another's.
    var known: Date {
        let oauth = registration.oauth
        let changes = [
            oauth.selfRegistration?.changedAt, oauth.document?.changedAt, oauth.handedOverAt, oauth.asksSince,
        ]
        return changes.compactMap { $0 }.reduce(createdAt, max)
    }
}

extension ApplicationRegistration {
    /// Writes the scopes for an administrator: one that registered itself is held to them, even where they are those that it has.
    public mutating func setScopes(_ scopes: [String]) {
        self.scopes = scopes
        oauth.updateSelfRegistration { $0.limit(to: scopes) }
    }

    /// The scopes that it may have where a user is asked (`docs/decisions/0442`): those of its registration, and where it registered itself
    /// also those that it could have registered.
    /// - Parameter resources: the APIs that there are.
    public func scopesWithConsent(among resources: [Resource]) -> [String] {
        guard let own = oauth.selfRegistration else { return scopes }
        let registered = scopesOrEvery
        return registered + own.scopes(among: resources).filter { !registered.contains($0) }
    }

    /// No scopes stand for those of every application.
    fileprivate var scopesOrEvery: [String] { scopes.isEmpty ? RegistrationAllowance.everyScope : scopes }

    /// What people call the application in a language; nil where it has no name.
    public func displayName(in language: String) -> String? {
        oauth.selfRegistration?.names[language] ?? displayName
    }

    /// The host that vouches for an application that no administrator made: that of its document, or of where it has its answers sent.
    public var shownHost: String? {
        if case .document(let uri) = oauth.origin { return RedirectURI.shownHost(of: uri) }
        return redirectURIs.lazy.compactMap(RedirectURI.shownHost(of:)).first
    }

    /// Whether pages may lead to an address in the application's name: of an unchecked one to its own hosts alone (RFC 7591,
    /// section 5).
    public func vouches(for address: String) -> Bool {
        guard oauth.isUnchecked, let host = RedirectURI.shownHost(of: address) else { return !oauth.isUnchecked }
        if case .document(let uri) = oauth.origin { return RedirectURI.shownHost(of: uri) == host }
        return redirectURIs.contains { $0.hasPrefix("https:") && RedirectURI.shownHost(of: $0) == host }
    }
}

/// Scopes that are this server's own and mean more than who a user is.
public enum OwnScopes {
    /// Administration.
    public static let admin = "admin"
    /// What users may do with their own accounts.
    public static let account: Set<String> = [
        "account", "create:me:authentication_methods", "read:me:authentication_methods",
        "delete:me:authentication_methods",
    ]
    /// All of them, with what users are members of.
    public static let all = account.union([admin, "groups", "roles"])
}
