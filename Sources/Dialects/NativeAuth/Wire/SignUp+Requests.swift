/// ``Endpoint/signUpStart``.
public struct SignUpStartRequest: AnnouncingRequest {
    public var clientID: String?
    public var username: String?
    public var password: String?
    /// A JSON object of texts.
    public var attributes: String?
    /// Such as `oob password redirect`.
    public var challengeType: String?
    public var capabilities: String?
    public var capability: String?

    public init(
        clientID: String? = nil, username: String? = nil, password: String? = nil, attributes: String? = nil,
        challengeType: String? = nil, capabilities: String? = nil, capability: String? = nil
    ) {
        self.clientID = clientID
        self.username = username
        self.password = password
        self.attributes = attributes
        self.challengeType = challengeType
        self.capabilities = capabilities
        self.capability = capability
    }

    private enum CodingKeys: String, CodingKey {
        case username, password, attributes, capabilities, capability
        case clientID = "client_id"
        case challengeType = "challenge_type"
    }
}

/// ``Endpoint/signUpContinue``, with one of the three that the grant type names.
public struct SignUpContinueRequest: FormRequest {
    public var clientID: String?
    public var continuationToken: String?
    public var grantType: String?
    /// The code.
    public var oob: String?
    public var password: String?
    /// A JSON object of texts.
    public var attributes: String?

    public init(
        clientID: String? = nil, continuationToken: String? = nil, grantType: String? = nil, oob: String? = nil,
        password: String? = nil, attributes: String? = nil
    ) {
        self.clientID = clientID
        self.continuationToken = continuationToken
        self.grantType = grantType
        self.oob = oob
        self.password = password
        self.attributes = attributes
    }

    private enum CodingKeys: String, CodingKey {
        case oob, password, attributes
        case clientID = "client_id"
        case continuationToken = "continuation_token"
        case grantType = "grant_type"
    }
}
