/// The endpoints below an authority, each with its path. All are asked by `POST` with a form. Source: Native authentication
/// API reference (Microsoft Learn).
public enum Endpoint: String, CaseIterable, Sendable {
    case signUpStart = "/signup/v1.0/start"
    case signUpChallenge = "/signup/v1.0/challenge"
    case signUpContinue = "/signup/v1.0/continue"
    case initiate = "/oauth2/v2.0/initiate"
    case challenge = "/oauth2/v2.0/challenge"
    case introspect = "/oauth2/v2.0/introspect"
    case token = "/oauth2/v2.0/token"
    case resetPasswordStart = "/resetpassword/v1.0/start"
    case resetPasswordChallenge = "/resetpassword/v1.0/challenge"
    case resetPasswordContinue = "/resetpassword/v1.0/continue"
    case resetPasswordSubmit = "/resetpassword/v1.0/submit"
    case resetPasswordPoll = "/resetpassword/v1.0/poll_completion"
    case registerIntrospect = "/register/v1.0/introspect"
    case registerChallenge = "/register/v1.0/challenge"
    case registerContinue = "/register/v1.0/continue"

    public var path: String { rawValue }

    /// Where the authority says its issuer and its token endpoint; asked by `GET`.
    public static let metadataPath = "/v2.0/.well-known/openid-configuration"
    /// Where the authority's keys are, by convention.
    public static let keysPath = "/discovery/v2.0/keys"
}

/// Header fields with a meaning in this protocol. Source: Native authentication API reference (Microsoft Learn).
public enum HeaderName {
    /// The correlation id of a flow, a UUID: sent with each request of it and given back with each answer.
    public static let clientRequestID = "client-request-id"
    /// `true` asks for the former in the answer.
    public static let returnClientRequestID = "return-client-request-id"
    /// The same in answers, where JavaScript's client looks for it.
    public static let requestID = "x-ms-request-id"
}
