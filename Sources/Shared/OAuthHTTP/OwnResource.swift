import CountersignCore
import Foundation
import Hummingbird
import ServerHTTP

/// This server as the API that an access token is for: its endpoints take tokens whose audience is the server itself, in the header
/// alone (RFC 6750, section 2.1; RFC 9449, section 7.1).
public struct OwnResource: Sendable {
    private let realm: Realm
    private let publicURLs: @Sendable () -> [String]

    /// - Parameter publicURLs: the addresses that clients reach the server by, without slashes at their ends.
    public init(realm: Realm, publicURLs: @escaping @Sendable () -> [String]) {
        self.realm = realm
        self.publicURLs = publicURLs
    }

    /// An access token that counts, and the scheme that it came by.
    public struct Access: Sendable {
        public let token: AccessToken
        public let scheme: String
    }

    /// Who may have issued the tokens: this server, in both spellings.
    public var issuers: Set<String> { Set(publicURLs().flatMap { [$0, $0 + "/"] }) }

    /// Judges the token of a request, with the proof of its key where it is bound to one.
    /// - Parameter audiences: whom the token may be for; nil for the server itself.
    public func access(of request: Request, audiences: Set<String>? = nil) async throws -> Result<
        Access, TokenChallenge
    > {
        let authorization = Authorization(of: request)
        let bound = authorization.credentials("DPoP")
        guard let text = bound ?? authorization.credentials("Bearer") else { return .failure(TokenChallenge()) }
        let scheme = bound == nil ? "Bearer" : "DPoP"
        let token = try await realm.tokens.accessToken(
            text, issuers: issuers, audiences: audiences ?? Set(publicURLs()))
        guard let token else { return .failure(Self.refused(scheme)) }
        if let challenge = try await refusal(of: token, text, isBound: bound != nil, request) {
            return .failure(challenge)
        }
        return .success(Access(token: token, scheme: scheme))
    }

    /// Why a token does not count as it was sent: a bound one needs a proof of its key, and others take none; nil where it does.
    public func refusal(
        of token: AccessToken, _ text: String, isBound: Bool, _ request: Request
    ) async throws -> TokenChallenge? {
        guard let key = token.keyThumbprint else {
            return isBound ? Self.refused("DPoP", "The access token is bound to no key: send it as Bearer.") : nil
        }
        // Without a proof of its key, whatever client has found the token could use it.
        guard isBound else {
            return Self.refused("DPoP", "The access token is bound to a key: send it as DPoP, with a proof of the key.")
        }
        return try await challenge(request, text, key, isConfidential: token.isOfConfidential)
    }

    /// What a token is answered that does not count.
    public static func refused(
        _ scheme: String, _ description: String = "The access token is unknown, expired or revoked."
    ) -> TokenChallenge {
        TokenChallenge(scheme: scheme, error: "invalid_token", description: description)
    }

    /// Nil where the request proves the token's key.
    private func challenge(
        _ request: Request, _ token: String, _ key: String, isConfidential: Bool
    ) async throws -> TokenChallenge? {
        let expectation = PossessionProof.Expectation(
            method: request.method.rawValue, urls: Set(publicURLs().map { $0 + request.uri.path }), accessToken: token)
        let proofs = request.headers[values: .dpop]
        var fault = PossessionProof.Fault.malformed
        if proofs.count == 1 {
            let judged = try await realm.tokens.judge(proofs[0], expectation) {
                $0.oauth.dpopNonce.isRequired(of: isConfidential ? .secretBasic : .none)
            }
            switch judged {
            case .proven(key): return nil
            case .proven: fault = .signature
            case .refused(let found): fault = found
            }
        }
        return TokenChallenge(
            scheme: "DPoP", error: fault == .nonce ? "use_dpop_nonce" : "invalid_dpop_proof",
            description: fault.rawValue, nonce: try await realm.tokens.nonce())
    }
}

extension Response {
    /// The answer to a request that had a proof, with the nonce of the client's next one (RFC 9449, section 8.2): one that is told in time
    /// saves the client a refusal. Every answer has the present one, as the client's may end at any moment. Other answers stay as they are.
    public func tellingNonce(to request: Request, of realm: Realm) async throws -> Response {
        guard request.headers.contains(.dpop), !headers.contains(.dpopNonce) else { return self }
        var response = self
        response.headers[.dpopNonce] = try await realm.tokens.nonce()
        return response
    }
}

extension OAuthSettings.NonceDemand {
    /// Whether a client has to put a nonce into its proofs.
    public func isRequired(of method: ClientAuthenticationMethod) -> Bool {
        switch self {
        case .never: false
        case .public: method == .none
        case .always: true
        }
    }
}
