/// ``Endpoint/initiate`` and ``Endpoint/resetPasswordStart``.
public struct InitiateRequest: AnnouncingRequest {
    public var clientID: String?
    public var username: String?
    /// Such as `oob password redirect`.
    public var challengeType: String?
    public var capabilities: String?
    public var capability: String?

    public init(
        clientID: String? = nil, username: String? = nil, challengeType: String? = nil, capabilities: String? = nil,
        capability: String? = nil
    ) {
        self.clientID = clientID
        self.username = username
        self.challengeType = challengeType
        self.capabilities = capabilities
        self.capability = capability
    }

    private enum CodingKeys: String, CodingKey {
        case username, capabilities, capability
        case clientID = "client_id"
        case challengeType = "challenge_type"
    }
}

/// ``Endpoint/challenge``, ``Endpoint/signUpChallenge`` and ``Endpoint/resetPasswordChallenge``.
public struct ChallengeRequest: FormRequest {
    public var clientID: String?
    public var continuationToken: String?
    /// Such as `oob password redirect`.
    public var challengeType: String?
    /// Of the method that a second factor is asked by; only at ``Endpoint/challenge``.
    public var id: String?

    public init(
        clientID: String? = nil, continuationToken: String? = nil, challengeType: String? = nil, id: String? = nil
    ) {
        self.clientID = clientID
        self.continuationToken = continuationToken
        self.challengeType = challengeType
        self.id = id
    }

    private enum CodingKeys: String, CodingKey {
        case id
        case clientID = "client_id"
        case continuationToken = "continuation_token"
        case challengeType = "challenge_type"
    }
}

/// ``Endpoint/introspect``, ``Endpoint/registerIntrospect`` and ``Endpoint/resetPasswordPoll``.
public struct ContinuationRequest: FormRequest {
    public var clientID: String?
    public var continuationToken: String?

    public init(clientID: String? = nil, continuationToken: String? = nil) {
        self.clientID = clientID
        self.continuationToken = continuationToken
    }

    private enum CodingKeys: String, CodingKey {
        case clientID = "client_id"
        case continuationToken = "continuation_token"
    }
}

/// ``Endpoint/token``; which members it has depends on the grant type.
public struct TokenRequest: FormRequest {
    public var clientID: String?
    public var grantType: String?
    public var continuationToken: String?
    public var username: String?
    public var password: String?
    /// The code.
    public var oob: String?
    /// Scopes with a space between them.
    public var scope: String?
    /// A JSON object (OpenID Connect Core, section 5.5).
    public var claims: String?
    /// Such as `oob password redirect`.
    public var challengeType: String?
    /// `true` or `1`: the answer shall have `client_info`.
    public var clientInfo: String?
    public var refreshToken: String?
    /// Of a refresh; nothing is sent there.
    public var redirectURI: String?

    public init(
        clientID: String? = nil, grantType: String? = nil, continuationToken: String? = nil, username: String? = nil,
        password: String? = nil, oob: String? = nil, scope: String? = nil, claims: String? = nil,
        challengeType: String? = nil, clientInfo: String? = nil, refreshToken: String? = nil, redirectURI: String? = nil
    ) {
        self.clientID = clientID
        self.grantType = grantType
        self.continuationToken = continuationToken
        self.username = username
        self.password = password
        self.oob = oob
        self.scope = scope
        self.claims = claims
        self.challengeType = challengeType
        self.clientInfo = clientInfo
        self.refreshToken = refreshToken
        self.redirectURI = redirectURI
    }

    private enum CodingKeys: String, CodingKey {
        case username, password, oob, scope, claims
        case clientID = "client_id"
        case grantType = "grant_type"
        case continuationToken = "continuation_token"
        case challengeType = "challenge_type"
        case clientInfo = "client_info"
        case refreshToken = "refresh_token"
        case redirectURI = "redirect_uri"
    }
}
