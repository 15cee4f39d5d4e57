import Foundation

/// A REST service of the developer's own that is asked in the middle of a sign-in or a sign-up (Microsoft Learn, Custom
/// authentication extensions overview): what Entra keeps as a custom authentication extension and the listener that points
/// to it.
///
/// Written as JSON; a member that comes later has a default.
public struct CustomExtension: Sendable, Equatable, Codable {
    /// A UUID: `customAuthenticationExtensionId`.
    public let id: String
    /// A UUID: `authenticationEventListenerId`.
    public let listenerID: String
    /// When it was registered.
    public let createdAt: Date
    /// What it is asked about.
    public var event: ExtensionEvent
    /// What administrators call it; nil where it has no name.
    public var displayName: String?
    /// Where it is asked.
    public var targetURL: String
    /// `api://{host}/{appid}`: the host is the URL's, and the appid the audience of the tokens that calls carry.
    public var resourceID: String
    /// Which applications it is asked for, by client id; empty for all that have none of their own.
    public var clients: [String]
    /// Milliseconds that one call may take: 200 to 2000.
    public var timeout: Int
    /// How often a call is repeated whose failure may pass: 0 or 1. Not for ``ExtensionEvent/otpSend``, which the outbox
    /// repeats.
    public var retries: Int
    /// Whether a code goes by mail where the service does not take it. Only for ``ExtensionEvent/otpSend``.
    public var fallsBack: Bool
    /// Which claims go into tokens, under which names. Only for ``ExtensionEvent/tokenIssuanceStart``.
    public var claims: [ClaimMapping]
    /// Which tokens they go into.
    public var tokens: [TokenKind]

    /// A kind of token that claims go into.
    public enum TokenKind: String, Sendable, Codable, CaseIterable {
        /// ID tokens.
        case id
        /// Access tokens.
        case access
    }

    /// The document as it is kept. ``CustomExtensions/add(_:by:)`` draws the ids and judges the rest.
    public init(
        id: String, listenerID: String, createdAt: Date, event: ExtensionEvent, displayName: String? = nil,
        targetURL: String, resourceID: String, clients: [String] = [], timeout: Int = 1000, retries: Int = 0,
        fallsBack: Bool = false, claims: [ClaimMapping] = [], tokens: [TokenKind] = TokenKind.allCases
    ) {
        self.id = id
        self.listenerID = listenerID
        self.createdAt = createdAt
        self.event = event
        self.displayName = displayName
        self.targetURL = targetURL
        self.resourceID = resourceID
        self.clients = clients
        self.timeout = timeout
        self.retries = retries
        self.fallsBack = fallsBack
        self.claims = claims
        self.tokens = tokens
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        listenerID = try members.decode(String.self, forKey: .listenerID)
        createdAt = try members.decode(Date.self, forKey: .createdAt)
        event = try members.decode(ExtensionEvent.self, forKey: .event)
        displayName = try members.decodeIfPresent(String.self, forKey: .displayName)
        targetURL = try members.decode(String.self, forKey: .targetURL)
        resourceID = try members.decode(String.self, forKey: .resourceID)
        clients = try members.decodeIfPresent([String].self, forKey: .clients) ?? []
        timeout = try members.decodeIfPresent(Int.self, forKey: .timeout) ?? 1000
        retries = try members.decodeIfPresent(Int.self, forKey: .retries) ?? 0
        fallsBack = try members.decodeIfPresent(Bool.self, forKey: .fallsBack) ?? false
        claims = try members.decodeIfPresent([ClaimMapping].self, forKey: .claims) ?? []
        tokens = try members.decodeIfPresent([TokenKind].self, forKey: .tokens) ?? TokenKind.allCases
    }

    /// Whether it is asked for that application by name.
    func names(_ client: ClientID) -> Bool { clients.contains(client.rawValue) }
}

/// One claim of tokens: one that the service provides, or a constant. Entra has it in a claims mapping policy; a claim that
/// is in none is not emitted.
public struct ClaimMapping: Sendable, Equatable, Codable {
    /// What the service calls it, upper and lower case as they are; nil for a constant.
    public var id: String?
    /// The constant; nil for what the service provides.
    public var value: String?
    /// What tokens call it.
    public var jwtClaimType: String

    /// What the service provides.
    public init(id: String, jwtClaimType: String? = nil) {
        self.id = id
        value = nil
        self.jwtClaimType = jwtClaimType ?? id
    }

    /// A constant.
    public init(value: String, jwtClaimType: String) {
        id = nil
        self.value = value
        self.jwtClaimType = jwtClaimType
    }
}
