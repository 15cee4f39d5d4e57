import Foundation

/// What an application was registered with as a client of OAuth 2.1 and OpenID Connect (RFC 7591, section 2; OpenID Connect Dynamic
/// Client Registration 1.0, section 2).
///
/// Every member has a default: registrations of before any of this stay readable and mean the same.
public struct OAuthRegistration: Sendable, Equatable, Codable {
    /// What kind of program it is (OAuth 2.1, section 2.1).
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// A server that renders pages, and keeps a secret.
        case web
        /// A program in a page.
        case browser
        /// A program on a person's own device.
        case native
        /// A server without users.
        case service
        /// A device without a browser.
        case device
    }

    /// Which spelling of the issuer its tokens carry.
    public enum IssuerStyle: String, Sendable, Codable, CaseIterable {
        /// As discovery says it.
        case standard
        /// With a slash at the end, for libraries that compare with that.
        case trailingSlash
    }

    /// Nil for applications that were registered before there were kinds.
    public var kind: Kind?
    /// `grant_type`s that it may use; nil stands for ``defaultGrantTypes``.
    public var grantTypes: [String]?
    /// The one method by which it shows who it is. Nil takes whatever its secret or its keys allow.
    public var authMethod: ClientAuthenticationMethod?
    /// Where a user may be led after signing out (OpenID Connect RP-Initiated Logout 1.0, section 3.1).
    public var postLogoutRedirectURIs: [String]
    /// Where it is told that a session ended (OpenID Connect Back-Channel Logout 1.0, section 2.2).
    public var backchannelLogoutURI: String?
    /// Whether it is the operator's own: users are not asked for consent.
    public var isFirstParty: Bool
    /// Whether authorization requests have to be pushed (RFC 9126, section 6).
    public var requiresPAR: Bool
    /// Whether its tokens have to be bound to a key (RFC 9449, section 5.2).
    public var requiresDPoP: Bool
    /// How the application's tokens spell the issuer.
    public var issuerStyle: IssuerStyle
    /// `acr` values that are asked for where a request names none.
    public var defaultACR: [String]
    /// Seconds since the sign-in, where a request names none.
    public var defaultMaxAge: Int?
    /// The APIs that it may ask tokens for.
    public var resources: [String]
    /// Whether its assertions may be for the token endpoint instead of the issuer: weaker, for libraries of before RFC 10070.
    public var takesTokenEndpointAudience: Bool
    /// Where it publishes the public keys that it signs assertions with; nil where they were registered, or it has none.
    public var jwksURI: String?
    /// What its ID tokens and logout tokens are signed with; nil for what this protocol signs with.
    public var idTokenAlgorithm: SigningAlgorithm?
    /// What ID tokens of an application are signed with that says nothing, by the standard (OpenID Connect Dynamic Client Registration 1.0,
    /// section 2): many libraries verify nothing else unless they are told to.
    public static let standardIDTokenAlgorithm = SigningAlgorithm.rs256
    /// Where it begins a sign-in that it was not asked for (OpenID Connect Core 1.0, section 4).
    public var initiateLoginURI: String?
    /// What it says of itself to people: its home page, its privacy policy, its terms of use.
    public var clientURI: String?
    /// The address of the application's privacy policy (`policy_uri`); nil where it names none.
    public var policyURI: String?
    /// The address of the application's terms of use (`tos_uri`); nil where it names none.
    public var termsURI: String?
    /// Whether what answers at its redirect URIs leads on to another origin or scheme, where the policy of a page's form would stop a
    /// redirect: then a page without a form leads there. Nil for one that does not.
    public var redirectsOn: Bool?
    /// The colour of buttons and links on its pages of a sign-in, as `#rrggbb`; nil: that of all pages.
    public var accent: String?
    /// Names its picture (``Applications/logo(_:)``).
    public internal(set) var logo: String?
    /// Who made the registration.
    public package(set) var origin = ApplicationOrigin.administrator
    /// An administrator's word that the application is who it says, where no administrator made the registration.
    public internal(set) var approval: Approval?
    /// When the document was read that this registration was made of; nil where it was made otherwise.
    public internal(set) var document: ClientDocument?
    /// When an administrator last put it into other hands: what users allowed it before does not count (`Application.known`). Nil where
    /// none did, and in registrations of before it was noted.
    public internal(set) var handedOverAt: Date?
    /// When an administrator last made a third party of the operator's own application: its users were not asked for what it got before
    /// (`Application.owns(_:)`). Nil where none did, and in registrations of before it was noted.
    public internal(set) var asksSince: Date?
    /// Secrets that are being replaced.
    var formerSecrets: [FormerSecret]
    /// Until when the secret of before counts beside the present one; nil where there is none.
    public var formerSecretUntil: Date? { formerSecrets.first?.expiresAt }

    /// A registration of this kind with the defaults of all other members.
    public init(kind: Kind? = nil) {
        self.kind = kind
        postLogoutRedirectURIs = []
        isFirstParty = false
        requiresPAR = false
        requiresDPoP = false
        issuerStyle = .standard
        defaultACR = []
        resources = []
        takesTokenEndpointAudience = false
        formerSecrets = []
    }

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        kind = try members.decodeIfPresent(Kind.self, forKey: .kind)
        grantTypes = try members.decodeIfPresent([String].self, forKey: .grantTypes)
        authMethod = try members.decodeIfPresent(ClientAuthenticationMethod.self, forKey: .authMethod)
        try members.assign(&postLogoutRedirectURIs, .postLogoutRedirectURIs)
        backchannelLogoutURI = try members.decodeIfPresent(String.self, forKey: .backchannelLogoutURI)
        try members.assign(&isFirstParty, .isFirstParty)
        try members.assign(&requiresPAR, .requiresPAR)
        try members.assign(&requiresDPoP, .requiresDPoP)
        try members.assign(&issuerStyle, .issuerStyle)
        try members.assign(&defaultACR, .defaultACR)
        defaultMaxAge = try members.decodeIfPresent(Int.self, forKey: .defaultMaxAge)
        try members.assign(&resources, .resources)
        try members.assign(&takesTokenEndpointAudience, .takesTokenEndpointAudience)
        try members.assign(&formerSecrets, .formerSecrets)
        jwksURI = try members.decodeIfPresent(String.self, forKey: .jwksURI)
        idTokenAlgorithm = try members.decodeIfPresent(SigningAlgorithm.self, forKey: .idTokenAlgorithm)
        initiateLoginURI = try members.decodeIfPresent(String.self, forKey: .initiateLoginURI)
        clientURI = try members.decodeIfPresent(String.self, forKey: .clientURI)
        policyURI = try members.decodeIfPresent(String.self, forKey: .policyURI)
        termsURI = try members.decodeIfPresent(String.self, forKey: .termsURI)
        redirectsOn = try members.decodeIfPresent(Bool.self, forKey: .redirectsOn)
        accent = try members.decodeIfPresent(String.self, forKey: .accent)
        document = try members.decodeIfPresent(ClientDocument.self, forKey: .document)
        logo = try members.decodeIfPresent(String.self, forKey: .logo)
        try members.assign(&origin, .origin)
        approval = try members.decodeIfPresent(Approval.self, forKey: .approval)
        handedOverAt = try members.decodeIfPresent(Date.self, forKey: .handedOverAt)
        asksSince = try members.decodeIfPresent(Date.self, forKey: .asksSince)
    }

    /// What a registration that names none may use: of RFC 7591, section 2, with refresh tokens; or what its kind is for.
    public var defaultGrantTypes: [String] {
        switch kind {
        case .service: ["client_credentials"]
        case .device: [Self.deviceGrantType, "refresh_token"]
        case .web, .browser, .native, nil: ["authorization_code", "refresh_token"]
        }
    }

    /// What may be listed as `grant_type`. There is no implicit flow and no password grant to list.
    public static let knownGrantTypes = [
        "authorization_code", "refresh_token", "client_credentials", deviceGrantType,
        "urn:openid:params:grant-type:ciba", "urn:okta:params:oauth:grant-type:webauthn",
    ]

    /// RFC 8628, section 3.4.
    private static let deviceGrantType = "urn:ietf:params:oauth:grant-type:device_code"

    /// Whether it may use a grant. What is not listed is not allowed.
    public func allowsGrant(_ type: String) -> Bool {
        (grantTypes ?? defaultGrantTypes).contains(type)
    }

    /// Whether it may show who it is by a method.
    func admits(_ method: ClientAuthenticationMethod) -> Bool { authMethod.map { $0 == method } ?? true }

    /// Whether the ports of its loopback addresses are free (RFC 8252, section 7.3).
    public var hasFreeLoopbackPorts: Bool { kind == .native }
}

/// A secret that another one is replacing.
struct FormerSecret: Sendable, Equatable, Codable {
    let digest: String
    let expiresAt: Date
    /// As ``ApplicationRegistration/secretIsDrawn``.
    var isDrawn: Bool?
}

extension Date {
    /// Whether it is later than another instant.
    func isAfter(_ other: Date) -> Bool { self > other }
}
