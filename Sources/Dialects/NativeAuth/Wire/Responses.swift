import JSON

/// What any endpoint may answer, with status 200: not here, go to a browser. Source: Native authentication API reference
/// (Microsoft Learn).
public struct RedirectResponse: Codable, Sendable, Equatable {
    /// `redirect`; anything else is another answer.
    public var challengeType: ChallengeType?
    /// What people read.
    public var redirectReason: String?

    public init(challengeType: ChallengeType? = nil, redirectReason: String? = nil) {
        self.challengeType = challengeType
        self.redirectReason = redirectReason
    }

    private enum CodingKeys: String, CodingKey {
        case challengeType = "challenge_type"
        case redirectReason = "redirect_reason"
    }
}

/// The flow goes on, under this token. Source: Native authentication API reference (Microsoft Learn).
public struct ContinuationResponse: Codable, Sendable, Equatable {
    public var continuationToken: String?

    public init(continuationToken: String? = nil) {
        self.continuationToken = continuationToken
    }

    private enum CodingKeys: String, CodingKey {
        case continuationToken = "continuation_token"
    }
}

/// Which client has to prove what. Source: Native authentication API reference (Microsoft Learn).
public struct ChallengeResponse: Codable, Sendable, Equatable {
    public var continuationToken: String?
    public var challengeType: ChallengeType?
    /// `prompt`, with a code.
    public var bindingMethod: String?
    /// Where the code went, most of it masked.
    public var challengeTargetLabel: String?
    /// The same unmasked: only where a contact is registered.
    public var challengeTarget: String?
    /// A ``ChallengeChannel``.
    public var challengeChannel: String?
    /// Characters of the code.
    public var codeLength: Int?
    /// Seconds to wait before the code is asked for again.
    public var interval: Int?

    public init(
        continuationToken: String? = nil, challengeType: ChallengeType? = nil, bindingMethod: String? = nil,
        challengeTargetLabel: String? = nil, challengeTarget: String? = nil, challengeChannel: String? = nil,
        codeLength: Int? = nil, interval: Int? = nil
    ) {
        self.continuationToken = continuationToken
        self.challengeType = challengeType
        self.bindingMethod = bindingMethod
        self.challengeTargetLabel = challengeTargetLabel
        self.challengeTarget = challengeTarget
        self.challengeChannel = challengeChannel
        self.codeLength = codeLength
        self.interval = interval
    }

    private enum CodingKeys: String, CodingKey {
        case interval
        case continuationToken = "continuation_token"
        case challengeType = "challenge_type"
        case bindingMethod = "binding_method"
        case challengeTargetLabel = "challenge_target_label"
        case challengeTarget = "challenge_target"
        case challengeChannel = "challenge_channel"
        case codeLength = "code_length"
    }
}

/// A way to prove a second factor, or to register one. Source: Native authentication API reference (Microsoft Learn).
public struct AuthenticationMethod: Codable, Sendable, Equatable {
    public var id: String
    /// `oob`.
    public var challengeType: String
    /// A ``ChallengeChannel``.
    public var challengeChannel: String
    /// The contact, most of it masked.
    public var loginHint: String?

    public init(id: String, challengeType: String, challengeChannel: String, loginHint: String? = nil) {
        self.id = id
        self.challengeType = challengeType
        self.challengeChannel = challengeChannel
        self.loginHint = loginHint
    }

    private enum CodingKeys: String, CodingKey {
        case id
        case challengeType = "challenge_type"
        case challengeChannel = "challenge_channel"
        case loginHint = "login_hint"
    }
}

/// The methods to choose from, never none. Source: Native authentication API reference (Microsoft Learn).
public struct IntrospectResponse: Codable, Sendable, Equatable {
    public var continuationToken: String?
    public var methods: [AuthenticationMethod]?

    public init(continuationToken: String? = nil, methods: [AuthenticationMethod]? = nil) {
        self.continuationToken = continuationToken
        self.methods = methods
    }

    private enum CodingKeys: String, CodingKey {
        case methods
        case continuationToken = "continuation_token"
    }
}

/// The code was right; a new password may be submitted. Source: Native authentication API reference (Microsoft Learn).
public struct ResetPasswordContinueResponse: Codable, Sendable, Equatable {
    public var continuationToken: String?
    /// Seconds for which the token is good, at most 600.
    public var expiresIn: Int?

    public init(continuationToken: String? = nil, expiresIn: Int? = nil) {
        self.continuationToken = continuationToken
        self.expiresIn = expiresIn
    }

    private enum CodingKeys: String, CodingKey {
        case continuationToken = "continuation_token"
        case expiresIn = "expires_in"
    }
}

/// The new password was taken. Source: Native authentication API reference (Microsoft Learn).
public struct ResetPasswordSubmitResponse: Codable, Sendable, Equatable {
    public var continuationToken: String?
    /// Seconds between questions whether it is in force.
    public var pollInterval: Int?

    public init(continuationToken: String? = nil, pollInterval: Int? = nil) {
        self.continuationToken = continuationToken
        self.pollInterval = pollInterval
    }

    private enum CodingKeys: String, CodingKey {
        case continuationToken = "continuation_token"
        case pollInterval = "poll_interval"
    }
}

/// How far a reset has come. Source: Native authentication API reference (Microsoft Learn).
public struct ResetPasswordPollResponse: Codable, Sendable, Equatable {
    public enum Status: String, Codable, Sendable, CaseIterable {
        case succeeded, failed
        case notStarted = "not_started"
        case inProgress = "in_progress"
    }

    public var status: Status
    public var continuationToken: String?

    public init(status: Status, continuationToken: String? = nil) {
        self.status = status
        self.continuationToken = continuationToken
    }

    private enum CodingKeys: String, CodingKey {
        case status
        case continuationToken = "continuation_token"
    }
}

extension ContinuationResponse: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.write("continuation_token", text: continuationToken)
        json.endObject()
    }
}

extension ChallengeResponse: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.write("binding_method", text: bindingMethod)
        json.write("challenge_channel", text: challengeChannel)
        json.write("challenge_target", text: challengeTarget)
        json.write("challenge_target_label", text: challengeTargetLabel)
        json.write("challenge_type", text: challengeType?.rawValue)
        json.write("code_length", number: codeLength)
        json.write("continuation_token", text: continuationToken)
        json.write("interval", number: interval)
        json.endObject()
    }
}
