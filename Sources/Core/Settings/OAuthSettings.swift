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
    /// What applications and their developers may read about this server (OpenID Connect Discovery 1.0, section 3).
    public var policyURI: String?
    public var termsURI: String?
    public var documentationURI: String?

    /// Whether a text can be one of these addresses.
    public static func isDocument(_ text: String) -> Bool {
        RedirectURI.fault(of: text) == nil && (text.hasPrefix("https:") || text.hasPrefix("http:"))
    }

    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&dpopNonce, .dpopNonce)
        policyURI = try members.decodeIfPresent(String.self, forKey: .policyURI)
        termsURI = try members.decodeIfPresent(String.self, forKey: .termsURI)
        documentationURI = try members.decodeIfPresent(String.self, forKey: .documentationURI)
    }
}
