/// `POST preauth/v1/preauthorize`: asks for a scope, and answers challenges. Source: MobileFirst Runtime REST API.
///
/// Nothing signs it: any holder of the client's id may send it. The answer is ``CheckResults``.
public struct PreauthorizeRequest<Document: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    public var clientID: String?
    public var scope: Scope?
    /// By the checks' names. Missing or empty where nothing has been asked yet.
    public var challengeResponse: [String: Document]?

    public init(clientID: String?, scope: Scope?, challengeResponse: [String: Document]? = nil) {
        self.clientID = clientID
        self.scope = scope
        self.challengeResponse = challengeResponse
    }

    private enum CodingKeys: String, CodingKey {
        case scope, challengeResponse
        case clientID = "client_id"
    }
}

/// The form of `POST preauth/v1/logout`; of `heartbeat`, too, which names no check. Source: MobileFirst Runtime REST API.
public struct SignedRequest: Codable, Sendable, Equatable {
    /// The check whose state is given up.
    public var securityCheck: String?
    /// A JWS with ``ClientAssertion`` inside.
    public var clientAssertion: String?
    public var clientAssertionType: String?

    public init(
        securityCheck: String? = nil, clientAssertion: String?,
        clientAssertionType: String? = ClientAssertion.type
    ) {
        self.securityCheck = securityCheck
        self.clientAssertion = clientAssertion
        self.clientAssertionType = clientAssertionType
    }

    private enum CodingKeys: String, CodingKey {
        case securityCheck = "security_check"
        case clientAssertion = "client_assertion"
        case clientAssertionType = "client_assertion_type"
    }
}
