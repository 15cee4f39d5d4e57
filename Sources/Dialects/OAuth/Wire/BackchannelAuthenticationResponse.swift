/// What an application is answered that begins a sign-in by itself (OpenID Connect Client-Initiated Backchannel Authentication Core 1.0,
/// section 7.3).
public struct BackchannelAuthenticationResponse: Codable, Sendable, Equatable {
    public var authRequestID: String
    /// Seconds.
    public var expiresIn: Int
    /// Seconds between two questions.
    public var interval: Int

    public init(authRequestID: String, expiresIn: Int, interval: Int) {
        self.authRequestID = authRequestID
        self.expiresIn = expiresIn
        self.interval = interval
    }

    private enum CodingKeys: String, CodingKey {
        case authRequestID = "auth_req_id"
        case expiresIn = "expires_in"
        case interval
    }
}
