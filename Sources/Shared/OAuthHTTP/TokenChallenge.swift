import CountersignCore
import HTTPTypes
import ServerHTTP

/// Why an endpoint of this server refuses an access token: with a challenge (RFC 6750, section 3; RFC 9449, section 7.1; RFC 9470,
/// section 3). The body is each protocol's own.
public struct TokenChallenge: Error, Sendable {
    public var scheme = "Bearer"
    public var status = HTTPResponse.Status.unauthorized
    /// Nil where the request had no credentials.
    public var error: String?
    public var description: String?
    public var scope: String?
    public var nonce: String?
    /// The class that the session has to be proven in.
    public var contextClass: ContextClass?
    /// What the session has to be proven with where that is no class: `phr`. It is asked for in the place of the class.
    public var resistance: String?
    /// Seconds since the sign-in at most.
    public var maxAge: Int?

    /// Of proofs, with spaces (RFC 9449, section 7.1).
    private static let algorithms = StatementAlgorithm.names.joined(separator: " ")

    public init(
        scheme: String = "Bearer", status: HTTPResponse.Status = .unauthorized, error: String? = nil,
        description: String? = nil, scope: String? = nil, nonce: String? = nil, contextClass: ContextClass? = nil,
        maxAge: Int? = nil
    ) {
        self.scheme = scheme
        self.status = status
        self.error = error
        self.description = description
        self.scope = scope
        self.nonce = nonce
        self.contextClass = contextClass
        self.maxAge = maxAge
    }

    /// The token counts, and does not open this (RFC 6750, section 3.1).
    public static func insufficientScope(_ scope: String, scheme: String) -> TokenChallenge {
        TokenChallenge(
            scheme: scheme, status: .forbidden, error: "insufficient_scope",
            description: "The access token needs the scope \(scope).", scope: scope)
    }

    /// Asks for a session that proves more, or proved it lately (RFC 9470, section 3).
    public static func stepUp(
        scheme: String, _ description: String, contextClass: ContextClass? = nil, maxAge: Int? = nil
    ) -> TokenChallenge {
        TokenChallenge(
            scheme: scheme, error: "insufficient_user_authentication", description: description,
            contextClass: contextClass, maxAge: maxAge)
    }

    /// Asks for a session that began with a passkey, or another proof that cannot be relayed (OpenID Connect Extended Authentication Profile
    /// ACR Values 1.0, section 2).
    public static func passkey(scheme: String, _ description: String) -> TokenChallenge {
        var challenge = stepUp(scheme: scheme, description)
        challenge.resistance = ContextClass.phishingResistant
        return challenge
    }

    public var headers: HTTPFields {
        var parameters: [String] = []
        if let error { parameters.append("error=\"\(error)\"") }
        if let description { parameters.append("error_description=\"\(description)\"") }
        if let scope { parameters.append("scope=\"\(scope)\"") }
        if let value = resistance ?? contextClass?.rawValue { parameters.append("acr_values=\"\(value)\"") }
        if let maxAge { parameters.append("max_age=\(maxAge)") }
        if scheme == "DPoP" { parameters.append("algs=\"\(Self.algorithms)\"") }
        var headers: HTTPFields = [
            .wwwAuthenticate: parameters.isEmpty ? scheme : "\(scheme) \(parameters.joined(separator: ", "))"
        ]
        if let nonce { headers[.dpopNonce] = nonce }
        return headers
    }
}

extension HTTPField.Name {
    /// A proof that the client holds a key (RFC 9449, section 4.1), and the nonce of the next one (section 8).
    public static let dpop = known("DPoP")
    public static let dpopNonce = known("DPoP-Nonce")
}
