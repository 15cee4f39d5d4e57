/// Settings of OAuth and OpenID Connect.
public struct OAuthSettings: Sendable, Equatable, Codable {
    /// Who has to put a nonce of the server into proofs of keys (RFC 9449, section 8).
    public enum NonceDemand: String, Sendable, Codable, CaseIterable {
        /// No application. A nonce that a proof has is judged all the same.
        case never
        /// Applications that show no credentials.
        case `public`
        /// Every application.
        case always
    }

    /// Whether applications may register themselves (RFC 7591).
    public enum Registration: String, Sendable, Codable, CaseIterable {
        /// There is no such endpoint.
        case off
        /// Those that show an initial access token may.
        case token
        /// Every application may, within limits: weaker, as no administrator looked at it.
        case open
    }

    /// Whether applications may register themselves.
    public var registration = Registration.off
    /// The APIs that applications may ask for which no administrator made, beside those that an initial access token allows. Nil: none.
    public var registrationResources: [String]?
    /// Who has to put a nonce of the server into proofs of keys.
    public var dpopNonce = NonceDemand.public
    /// What applications and their developers may read about this server (OpenID Connect Discovery 1.0, section 3).
    public var policyURI: String?
    /// The address of the operator's terms: `op_tos_uri` in discovery. Nil leaves it out.
    public var termsURI: String?
    /// The address of a page for developers: `service_documentation` in discovery. Nil leaves it out.
    public var documentationURI: String?

    /// Whose documents are taken for registrations of clients (``ClientDocuments``).
    public var clientDocuments = ClientDocumentMode.off
    /// Addresses of documents that the operator trusts to say where their clients are (``ClientDocumentPattern``).
    public var listedDocuments: [String]?
    /// Addresses of documents that are never taken.
    public var blockedDocuments: [String]?

    /// Whether a text can be one of these addresses.
    public static func isDocument(_ text: String) -> Bool {
        RedirectURI.fault(of: text) == nil && (text.hasPrefix("https:") || text.hasPrefix("http:"))
    }

    /// Nonces from applications without credentials, no addresses, no registration, and no documents of clients.
    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&dpopNonce, .dpopNonce)
        try members.assign(&registration, .registration)
        registrationResources = try members.decodeIfPresent([String].self, forKey: .registrationResources)
        policyURI = try members.decodeIfPresent(String.self, forKey: .policyURI)
        termsURI = try members.decodeIfPresent(String.self, forKey: .termsURI)
        try members.assign(&clientDocuments, .clientDocuments)
        listedDocuments = try members.decodeIfPresent([String].self, forKey: .listedDocuments)
        blockedDocuments = try members.decodeIfPresent([String].self, forKey: .blockedDocuments)
        documentationURI = try members.decodeIfPresent(String.self, forKey: .documentationURI)
    }
}

extension RegistrationAllowance {
    /// What every application may have that no administrator made.
    public static func open(_ settings: OAuthSettings) -> RegistrationAllowance {
        RegistrationAllowance(resources: settings.registrationResources ?? [])
    }
}
