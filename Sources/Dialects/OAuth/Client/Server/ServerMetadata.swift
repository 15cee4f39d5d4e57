import ClientHTTP
import Foundation
import JSON

/// What an authorization server says of itself (RFC 8414; OpenID Connect Discovery 1.0), as far as a client needs it.
public struct ServerMetadata: Sendable, Equatable {
    /// The issuer, to the letter as it was asked for: tokens have to name it.
    public let issuer: String
    /// Where a browser is led to sign in (`authorization_endpoint`; RFC 6749, section 3.1).
    public let authorizationEndpoint: URL
    /// Where tokens are got and renewed (`token_endpoint`; RFC 6749, section 3.2).
    public let tokenEndpoint: URL
    /// Where the keys are that ID tokens are verified with (`jwks_uri`; RFC 7517, section 5).
    public let jwksURI: URL
    /// Where authorization requests are pushed to (RFC 9126); nil where the server takes none.
    public let pushedAuthorizationEndpoint: URL?
    /// Whether the server takes pushed authorization requests alone (RFC 9126, section 5).
    public let requiresPushedRequests: Bool
    /// Where tokens are revoked (RFC 7009); nil where they cannot be.
    public let revocationEndpoint: URL?
    /// Where a sign-in on another device begins (RFC 8628); nil where the server has none.
    public let deviceAuthorizationEndpoint: URL?
    /// Where a browser is led to sign out (OpenID Connect RP-Initiated Logout 1.0); nil where the server has none.
    public let endSessionEndpoint: URL?
    /// Where claims about the user are (OpenID Connect Core 1.0, section 5.3); nil where the server has none.
    public let userInfoEndpoint: URL?
    /// Whether answers name their issuer (RFC 9207); one that does not is then refused.
    public let namesIssuer: Bool

    /// - Throws: ``ClientFailure``, where the document is another issuer's (RFC 8414, section 3.3) or lacks what a sign-in needs.
    init(_ document: JSONValue, of issuer: String) throws {
        func address(_ name: String) throws -> URL? {
            guard let text = document[name]?.stringValue else { return nil }
            guard let url = URL(string: text), url.scheme == "https" || Self.isLoopback(url) else {
                throw ClientFailure.untrusted("The server's \(name) is no https address.")
            }
            return url
        }
        func needed(_ name: String) throws -> URL {
            guard let url = try address(name) else {
                throw ClientFailure(.unsupported, "The server says no \(name) of itself.")
            }
            return url
        }
        guard document["issuer"]?.stringValue == issuer else {
            throw ClientFailure.untrusted("The server does not call itself \(issuer).")
        }
        if case .array(let methods)? = document["code_challenge_methods_supported"], !methods.contains("S256") {
            throw ClientFailure(.unsupported, "The server does not support PKCE with S256.")
        }
        self.issuer = issuer
        authorizationEndpoint = try needed("authorization_endpoint")
        tokenEndpoint = try needed("token_endpoint")
        jwksURI = try needed("jwks_uri")
        pushedAuthorizationEndpoint = try address("pushed_authorization_request_endpoint")
        requiresPushedRequests = document["require_pushed_authorization_requests"] == .bool(true)
        revocationEndpoint = try address("revocation_endpoint")
        deviceAuthorizationEndpoint = try address("device_authorization_endpoint")
        endSessionEndpoint = try address("end_session_endpoint")
        userInfoEndpoint = try address("userinfo_endpoint")
        namesIssuer = document["authorization_response_iss_parameter_supported"] == .bool(true)
    }

    private static func isLoopback(_ url: URL) -> Bool {
        url.scheme == "http" && url.host.map { Loopback.contains(host: $0) } == true
    }

    /// Fetches the document of an issuer.
    static func discover(_ issuer: String, _ http: HTTPClient) async throws -> ServerMetadata {
        guard var parts = URLComponents(string: issuer), parts.query == nil, parts.fragment == nil, parts.host != nil
        else { throw ClientFailure(.unsupported, "\(issuer) is no issuer: an https URL without query and fragment.") }
        let path = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
        for place in ["\(path)/.well-known/openid-configuration", "/.well-known/oauth-authorization-server\(path)"] {
            parts.path = place
            guard let url = parts.url else { continue }
            let response = try await http.reaching { try await $0.get(url, headers: ["Accept": "application/json"]) }
            guard response.status == 200 else { continue }
            guard let document = try? JSONParser.parse(Array(response.body)) else { continue }
            return try ServerMetadata(document, of: issuer)
        }
        throw ClientFailure(.unsupported, "\(issuer) says nothing of itself: it is no authorization server.")
    }
}

extension HTTPClient {
    /// Sends a request, and says in this module's words that there was no answer.
    func reaching(
        _ send: (HTTPClient) async throws -> HTTPClientResponse
    ) async throws -> HTTPClientResponse {
        do {
            return try await send(self)
        } catch let error as HTTPClientError {
            let code: ClientFailure.Code =
                error.isPlainHTTPRefused || error.isUnsupportedURL ? .unsupported : .unreachable
            throw ClientFailure(code, error.description, underlying: error)
        }
    }
}
