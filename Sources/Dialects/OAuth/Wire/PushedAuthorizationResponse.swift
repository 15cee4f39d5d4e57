/// What a pushed authorization request is answered (RFC 9126, section 2.2).
public struct PushedAuthorizationResponse: Codable, Sendable, Equatable {
    public var requestURI: String
    /// Seconds.
    public var expiresIn: Int

    public init(requestURI: String, expiresIn: Int) {
        self.requestURI = requestURI
        self.expiresIn = expiresIn
    }

    private enum CodingKeys: String, CodingKey {
        case requestURI = "request_uri"
        case expiresIn = "expires_in"
    }
}
