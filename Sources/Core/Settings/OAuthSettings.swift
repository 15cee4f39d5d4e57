/// Settings of OAuth and OpenID Connect.
public struct OAuthSettings: Sendable, Equatable, Codable {
    /// Who has to put a nonce of the server into proofs of keys (RFC 9449, section 8).
    public enum NonceDemand: String, Sendable, Codable, CaseIterable {
        case never
        /// Applications that show no credentials.
        case `public`
        case always
    }

    public var dpopNonce = NonceDemand.public

    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&dpopNonce, .dpopNonce)
    }
}
