import ClientHTTP
import Crypto
import Foundation
import JSON
import OAuthWire
import SignedTokens

/// The proof key of a code (RFC 7636): the verifier stays here, its hash goes through the browser.
struct CodeVerifier: Sendable {
    let text: String

    var challenge: String { Array(SHA256.hash(data: Data(text.utf8))).base64URL }
}

/// One authorization request, and the judge of its answer (RFC 6749, section 4.1; RFC 9207).
struct AuthorizationAttempt: Sendable {
    let application: ClientApplication
    let metadata: ServerMetadata
    let redirectURI: String
    let state: String
    let nonce: String
    let verifier: CodeVerifier

    init(
        _ application: ClientApplication, _ metadata: ServerMetadata, redirectURI: String,
        _ surroundings: Surroundings
    ) {
        self.application = application
        self.metadata = metadata
        self.redirectURI = redirectURI
        state = surroundings.handle()
        nonce = surroundings.handle()
        verifier = CodeVerifier(text: surroundings.handle())
    }

    /// What the request says.
    func parameters(_ request: SignInRequest, key: PossessionKey?) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", application.clientID), ("redirect_uri", redirectURI),
            ("scope", application.scopes.joined(separator: " ")), ("state", state),
            ("code_challenge", verifier.challenge), ("code_challenge_method", "S256"),
        ]
        if application.scopes.contains("openid") { fields.append(("nonce", nonce)) }
        fields += application.resources.map { ("resource", $0) }
        if let key { fields.append(("dpop_jkt", key.thumbprint)) }
        if let hint = request.loginHint { fields.append(("login_hint", hint)) }
        if !request.acrValues.isEmpty { fields.append(("acr_values", request.acrValues.joined(separator: " "))) }
        if let age = request.maxAge { fields.append(("max_age", "\(age)")) }
        if let prompt = request.prompt { fields.append(("prompt", prompt)) }
        if !request.languages.isEmpty { fields.append(("ui_locales", request.languages.joined(separator: " "))) }
        return fields
    }

    /// Where the browser goes: with all parameters, or with the name of those that were pushed.
    func page(
        _ request: SignInRequest, key: PossessionKey?, _ endpoints: ServerEndpoints
    ) async throws -> AuthorizationPage {
        var fields = parameters(request, key: key)
        if metadata.requiresPushedRequests || application.pushesRequests {
            guard let url = metadata.pushedAuthorizationEndpoint else {
                throw ClientFailure(.unsupported, "The server takes no pushed requests.")
            }
            let pushed = try await endpoints.answer(PushedAuthorizationResponse.self, fields, to: url, key: key)
            fields = [("client_id", application.clientID), ("request_uri", pushed.requestURI)]
        }
        guard var parts = URLComponents(url: metadata.authorizationEndpoint, resolvingAgainstBaseURL: true) else {
            throw ClientFailure(.unsupported, "The server's authorization endpoint is no address.")
        }
        let query = fields.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
        parts.percentEncodedQuery = [parts.percentEncodedQuery, query].compactMap { $0 }.joined(separator: "&")
        guard let url = parts.url else {
            throw ClientFailure(.unsupported, "The server's authorization endpoint is no address.")
        }
        return AuthorizationPage(url: url, redirectURI: redirectURI, state: state)
    }

    /// The code of an answer.
    /// - Throws: ``ClientFailure`` for an answer to another request or from another server, and for a refusal.
    func code(in answer: URL) throws -> String {
        guard let values = CallbackParameters(answer), values["state"] == state else {
            throw ClientFailure.untrusted("The browser's answer is to another request.")
        }
        // Before anything else is believed: the answer of another server is none of ours (RFC 9207, section 2.4).
        if let issuer = values["iss"] {
            guard issuer == metadata.issuer else { throw ClientFailure.untrusted("Another server answered.") }
        } else if metadata.namesIssuer {
            throw ClientFailure.untrusted("The answer does not name its server.")
        }
        if let error = values["error"] { throw ClientFailure.refused(error, values["error_description"]) }
        guard let code = values["code"], !code.isEmpty else {
            throw ClientFailure.untrusted("The browser's answer has no code.")
        }
        return code
    }
}

/// The query of a callback. Nil where a parameter comes twice: which one counts, readers disagree about.
struct CallbackParameters: Sendable {
    private var values: [String: String] = [:]

    init?(_ url: URL) {
        self.init(query: URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedQuery ?? "")
    }

    init?(query: String) {
        for field in query.split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
            }
            guard let name = parts[0], let value = parts.count > 1 ? parts[1] : "", values[name] == nil else {
                return nil
            }
            values[name] = value
        }
    }

    subscript(_ name: String) -> String? { values[name] }
}
