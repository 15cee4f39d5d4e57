/// ``Endpoint/registerChallenge``.
public struct RegisterChallengeRequest: FormRequest {
    public var clientID: String?
    public var continuationToken: String?
    /// That of the method, `oob`.
    public var challengeType: String?
    /// The address or the number, in full.
    public var challengeTarget: String?
    /// `email` or `sms`.
    public var challengeChannel: String?

    public init(
        clientID: String? = nil, continuationToken: String? = nil, challengeType: String? = nil,
        challengeTarget: String? = nil, challengeChannel: String? = nil
    ) {
        self.clientID = clientID
        self.continuationToken = continuationToken
        self.challengeType = challengeType
        self.challengeTarget = challengeTarget
        self.challengeChannel = challengeChannel
    }

    private enum CodingKeys: String, CodingKey {
        case clientID = "client_id"
        case continuationToken = "continuation_token"
        case challengeType = "challenge_type"
        case challengeTarget = "challenge_target"
        case challengeChannel = "challenge_channel"
    }
}

/// ``Endpoint/registerContinue``.
public struct RegisterContinueRequest: FormRequest {
    public var clientID: String?
    public var continuationToken: String?
    /// `oob`, or `continuation_token` where the contact was proven before.
    public var grantType: String?
    /// The code.
    public var oob: String?

    public init(clientID: String? = nil, continuationToken: String? = nil, grantType: String? = nil, oob: String? = nil)
    {
        self.clientID = clientID
        self.continuationToken = continuationToken
        self.grantType = grantType
        self.oob = oob
    }

    private enum CodingKeys: String, CodingKey {
        case oob
        case clientID = "client_id"
        case continuationToken = "continuation_token"
        case grantType = "grant_type"
    }
}
