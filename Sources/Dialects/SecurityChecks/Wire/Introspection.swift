/// The form of `POST az/v1/introspection`. The caller has a token with ``scope``. Source: MobileFirst Java Token
/// Validator API.
public struct IntrospectionRequest: Codable, Sendable, Equatable {
    public var token: String?
    public var tokenTypeHint: String?

    public init(token: String?, tokenTypeHint: String? = nil) {
        self.token = token
        self.tokenTypeHint = tokenTypeHint
    }

    /// What a resource server's own token must have.
    public static let scope = Scope(["authorization.introspect"])

    private enum CodingKeys: String, CodingKey {
        case token
        case tokenTypeHint = "token_type_hint"
    }
}

/// What an access token allows at this moment. Source: MobileFirst Java Token Validator API.
public struct IntrospectionResponse<Document: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    /// Where it is false, nothing else is there.
    public var active: Bool
    public var scope: Scope?
    /// The user's id, or `anonymous`.
    public var username: String?
    public var clientID: String?
    /// Milliseconds since 1970.
    public var exp: Int64?
    public var application: ApplicationData?
    public var device: DeviceData?
    /// Of an active token the member is always there, null where no user is known.
    public var user: AuthenticatedUser<Document>?
    /// What each check has to say of the grant, by the checks' names.
    public var checks: [String: Document]?

    public init(
        active: Bool, scope: Scope? = nil, username: String? = nil, clientID: String? = nil, exp: Int64? = nil,
        application: ApplicationData? = nil, device: DeviceData? = nil, user: AuthenticatedUser<Document>? = nil,
        checks: [String: Document]? = nil
    ) {
        self.active = active
        self.scope = scope
        self.username = username
        self.clientID = clientID
        self.exp = exp
        self.application = application
        self.device = device
        self.user = user
        self.checks = checks
    }

    public static var inactive: Self { Self(active: false) }
    /// The ``username`` of a client without a logged-in user.
    public static var anonymous: String { "anonymous" }

    private enum CodingKeys: String, CodingKey {
        case active, scope, username, exp
        case clientID = "client_id"
        case application = "mfp-application"
        case device = "mfp-device"
        case user = "mfp-user"
        case checks = "mfp-checks"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(active, forKey: .active)
        guard active else { return }
        try container.encodeIfPresent(scope, forKey: .scope)
        try container.encodeIfPresent(username, forKey: .username)
        try container.encodeIfPresent(clientID, forKey: .clientID)
        try container.encodeIfPresent(exp, forKey: .exp)
        try container.encodeIfPresent(application, forKey: .application)
        try container.encodeIfPresent(device, forKey: .device)
        try container.encode(user, forKey: .user)
        try container.encodeIfPresent(checks, forKey: .checks)
    }
}
