import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import ServerHTTP

/// This server as the API that an access token is for: its endpoints take tokens whose audience is the server itself, in the header
/// alone (RFC 6750, section 2.1; RFC 9449, section 7.1). A second one beside it is refused (``presented(by:)``).
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

    /// An access token as a request has it in its header, not judged yet.
    public struct Presented: Sendable {
        public let text: String
        /// Whether it was sent as `DPoP`, with a proof of its key.
        public let isBound: Bool
        public var scheme: String { isBound ? "DPoP" : "Bearer" }

        /// Refuses a second token in the form of the request. The body is read by this, and cannot be read again.
        /// - Throws: `TokenChallenge`; `RequestBodyFault`, `CancellationError`.
        public func requireNoOther(inFormOf request: Request) async throws {
            let type = request.headers.value(of: .contentType)?.lowercased() ?? ""
            guard type.hasPrefix("application/x-www-form-urlencoded") else { return }
            let body = String(decoding: try await request.bodyBytes(), as: UTF8.self)
            if AccessTokenParameter.isPresent(in: body[...]) { throw OwnResource.ambiguous(scheme) }
        }
    }

    /// The token in the header of a request; a challenge where there is none, or another one in a second header or in the query (RFC 6750,
    /// sections 2 and 3.1; `docs/decisions/0539`).
    public static func presented(by request: Request) -> Result<Presented, TokenChallenge> {
        let authorization = Authorization(of: request)
        let bound = authorization.credentials("DPoP")
        // Another scheme is no token: nothing is called wrong (RFC 6750, section 3.1).
        guard let text = bound ?? authorization.credentials("Bearer") else { return .failure(TokenChallenge()) }
        let presented = Presented(text: text, isBound: bound != nil)
        let count = request.headers.reduce(0) { $0 + ($1.name == .authorization ? 1 : 0) }
        guard count == 1, !AccessTokenParameter.isPresent(in: (request.uri.query ?? "")[...]) else {
            return .failure(ambiguous(presented.scheme))
        }
        return .success(presented)
    }

    /// What a request is answered that has several tokens: which one counts, two readers could see differently.
    public static func ambiguous(_ scheme: String) -> TokenChallenge {
        TokenChallenge(
            scheme: scheme, status: .badRequest, error: "invalid_request",
            description: "Send one access token, in the Authorization header alone.")
    }

    /// Judges the token of a request, with the proof of its key where it is bound to one.
    /// - Parameter audiences: whom the token may be for; nil for the server itself.
    public func access(of request: Request, audiences: Set<String>? = nil) async throws -> Result<
        Access, TokenChallenge
    > {
        let presented: Presented
        switch Self.presented(by: request) {
        case .success(let found): presented = found
        case .failure(let challenge): return .failure(challenge)
        }
        let token = try await realm.tokens.accessToken(
            presented.text, issuers: issuers, audiences: audiences ?? Set(publicURLs()))
        guard let token else { return .failure(Self.refused(presented.scheme)) }
        if let challenge = try await refusal(of: token, presented, request) { return .failure(challenge) }
        return .success(Access(token: token, scheme: presented.scheme))
    }

    /// Why a token does not count as it was sent: a bound one needs a proof of its key, and others take none; nil where it does.
    public func refusal(
        of token: AccessToken, _ presented: Presented, _ request: Request
    ) async throws -> TokenChallenge? {
        guard let key = token.keyThumbprint else {
            return presented.isBound
                ? Self.refused("DPoP", "The access token is bound to no key: send it as Bearer.") : nil
        }
        // Without a proof of its key, whatever client has found the token could use it.
        guard presented.isBound else {
            return Self.refused("DPoP", "The access token is bound to a key: send it as DPoP, with a proof of the key.")
        }
        return try await challenge(request, presented.text, key, isConfidential: token.isOfConfidential)
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
