import ClientHTTP
import Foundation
import JSON
import SignedTokens

/// An API whose requests need access tokens of an authorization server, whatever framework it is made with.
///
///     let api = try ProtectedResource("https://api.example.org", issuer: "https://auth.example.org", scopes: ["notes"])
///     switch await api.judge(request, ScopeRequirement("notes")) {
///     case .admitted(let token, _): …            // token.subject, token.scope
///     case .refused(let refusal): …              // its status, and its WWW-Authenticate
///     }
///
/// It takes JWT access tokens (RFC 9068) that the issuer signed for this API, as `Bearer` (RFC 6750) or bound to a key (RFC 9449),
/// tells what is missing (RFC 6750, RFC 9470), and says of itself what clients need to find its issuer (RFC 9728). With
/// ``IntrospectionValidator`` it asks the issuer about each token instead (RFC 7662).
public struct ProtectedResource: Sendable {
    /// Whether tokens have to be bound to a key.
    public enum Possession: Sendable, Equatable {
        /// They may be; one that is needs its proof.
        case accepted
        /// Others are refused.
        case required
    }

    /// What an API is called, whose tokens it takes, and what its metadata says.
    public struct Options: Sendable {
        /// What the API is called in `aud` and in `resource` (RFC 8707): an absolute URI without fragment.
        public var identifier: String
        /// Whose tokens it takes.
        public var authorizationServers: [String]
        /// All scopes that the API has, for its metadata.
        public var scopes: [String]
        /// Whether the API refuses tokens that are not bound to a key (RFC 9449).
        public var possession = Possession.accepted
        /// For proofs with nonces; nil takes proofs without one.
        public var nonces: ProofNonces?
        /// What stands before the paths of requests in the addresses that clients use: scheme, host, port. As in the identifier,
        /// unless a proxy in front maps paths.
        public var origin: String
        /// For people (RFC 9728, section 2).
        public var name: String?
        /// The address of a page for developers, as `resource_documentation` in the metadata (RFC 9728, section 2); nil
        /// leaves it out.
        public var documentation: String?

        /// - Throws: ``Fault``.
        public init(identifier: String, authorizationServers: [String], scopes: [String] = []) throws {
            guard let url = URLComponents(string: identifier), let scheme = url.scheme?.lowercased(),
                scheme == "https" || scheme == "http", let host = url.host, !host.isEmpty, url.fragment == nil,
                url.query == nil, url.user == nil, url.password == nil
            else { throw Fault(description: "\(identifier) is no http or https URI without query and fragment.") }
            self.identifier = identifier
            self.authorizationServers = authorizationServers
            self.scopes = scopes
            origin = "\(scheme)://\(url.percentEncodedHost ?? host)\(url.port.map { ":\($0)" } ?? "")"
        }
    }

    /// What is wrong with the description of an API.
    public struct Fault: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// What came of a request.
    public enum Judgement: Sendable, Equatable {
        /// - Parameter nonce: for the next proof, where the present one is about to end: the value of `DPoP-Nonce`.
        case admitted(ValidToken, nonce: String?)
        /// The request is not let in; a server sends the refusal's status and headers.
        case refused(ResourceRefusal)
    }

    /// The description that this API was made with.
    public let options: Options
    private let validator: any TokenValidator
    private let used: any UsedProofs
    private let now: Now

    /// An API with a validator of the caller's choice, such as ``IntrospectionValidator``.
    /// - Parameters:
    ///   - validator: says what a token allows.
    ///   - used: remembers proofs of possession that were shown. Servers that share their load need a table that they
    ///     share too: the default keeps it in this process.
    ///   - now: the clock by which tokens, proofs and nonces expire.
    public init(
        _ options: Options, validator: any TokenValidator, used: any UsedProofs = UsedProofsInMemory(),
        now: @escaping Now = systemNow
    ) {
        self.options = options
        self.validator = validator
        self.used = used
        self.now = now
    }

    /// An API that verifies the tokens of one issuer by its keys, which its metadata tells.
    /// - Parameters:
    ///   - identifier: what the API is called in tokens, such as `https://api.example.org`.
    ///   - issuer: to the letter as tokens and the metadata have it.
    ///   - origin: what clients' addresses begin with, where that is not the identifier's scheme, host and port.
    /// - Throws: ``Fault``.
    public init(
        _ identifier: String, issuer: String, scopes: [String] = [], origin: String? = nil,
        possession: Possession = .accepted,
        nonces: ProofNonces? = nil, http: HTTPClient = HTTPClient(timeout: 10, maximumResponseBytes: 1 << 18),
        now: @escaping Now = systemNow
    ) throws {
        var options = try Options(identifier: identifier, authorizationServers: [issuer], scopes: scopes)
        options.possession = possession
        options.nonces = nonces
        options.origin = origin ?? options.origin
        self.init(
            options,
            validator: JWKSValidator(
                .accessTokens(issuer: issuer, audiences: [identifier]), http: http, now: now),
            now: now)
    }

    // MARK: Requests

    /// Judges the token of a request, the proof that comes with it, and whether both are enough.
    public func judge(_ request: ResourceRequest, _ requirement: ScopeRequirement) async -> Judgement {
        let presented = PresentedToken(request.authorization, schemes: [.bearer, .dpop])
        guard case .token(let scheme, let text) = presented else {
            if presented == .none { return .refused(noToken(requirement)) }
            return .refused(ResourceRefusal(400, challenge: challenge(.bearer, "invalid_request")))
        }
        guard !request.hasTokenElsewhere else {
            return .refused(ResourceRefusal(400, challenge: challenge(scheme, "invalid_request")))
        }
        let verdict: TokenVerdict
        do { verdict = try await validator.validate(text) } catch { return .refused(Self.later) }
        let token: ValidToken
        switch verdict {
        case .valid(let valid): token = valid
        case .invalid: return .refused(invalid(scheme))
        case .conflict: return .refused(ResourceRefusal(409))
        }
        var nonce: String?
        switch (scheme, token.keyThumbprint) {
        case (.bearer, nil) where options.possession == .accepted: break
        case (.bearer, _):
            // A bound token counts with its proof alone; where binding is required, others do not count.
            return .refused(invalid(.dpop))
        case (.dpop, nil): return .refused(invalid(.dpop))
        case (.dpop, let key?):
            switch await possession(of: key, request, text) {
            case .success(let next): nonce = next
            case .failure(let refusal): return .refused(refusal)
            }
        }
        if let shortfall = requirement.shortfall(of: token, at: now()) {
            return .refused(refusal(shortfall, scheme, requirement, nonce))
        }
        return .admitted(token, nonce: nonce)
    }

    private enum Proof {
        case success(String?)
        case failure(ResourceRefusal)
    }

    /// Judges the one proof of a request (RFC 9449, section 4.3).
    private func possession(of key: String, _ request: ResourceRequest, _ token: String) async -> Proof {
        guard request.proofs.count == 1 else { return .failure(badProof(.malformed)) }
        let now = now()
        let expectation = PossessionProof.Expectation(
            method: request.method, urls: [options.origin + request.path], accessToken: token)
        let proof: PossessionProof
        let given: String?
        do {
            (proof, given) = try PossessionProof.judge(request.proofs[0], expectation, at: now)
        } catch {
            return .failure(badProof(error))
        }
        guard proof.keyThumbprint == key else { return .failure(badProof(.signature)) }
        if let nonces = options.nonces {
            guard let given, nonces.admits(given, at: now) else { return .failure(badProof(.nonce)) }
        }
        do {
            let until = now + 120
            guard try await used.use(proof.id, of: key, until: until, at: now) else { return .failure(badProof(.used)) }
        } catch {
            return .failure(Self.later)
        }
        guard let next = options.nonces?.nonce(at: now), next != given else { return .success(nil) }
        return .success(next)
    }

    // MARK: Answers

    /// The issuer or the table of proofs is away: nothing is granted, and nothing called wrong.
    private static let later = ResourceRefusal(503, retryAfter: 10)

    /// RFC 6750, section 3.1: no error, as the request may not know that it needs a token. RFC 9728, section 5.1.
    private func noToken(_ requirement: ScopeRequirement) -> ResourceRefusal {
        var challenge = Challenge(options.possession == .required ? .dpop : .bearer)
        if challenge.scheme == .dpop { challenge.add("algs", Self.algorithms) }
        challenge.add("resource_metadata", metadataURL)
        if !requirement.scope.isEmpty { challenge.add("scope", requirement.words) }
        return ResourceRefusal(401, challenge: challenge)
    }

    private func invalid(_ scheme: TokenScheme) -> ResourceRefusal {
        ResourceRefusal(401, challenge: challenge(scheme, "invalid_token"))
    }

    private func badProof(_ fault: PossessionProof.Fault) -> ResourceRefusal {
        guard fault == .nonce else {
            return ResourceRefusal(
                401, challenge: challenge(.dpop, "invalid_dpop_proof", [("error_description", fault.rawValue)]))
        }
        return ResourceRefusal(
            401, challenge: challenge(.dpop, "use_dpop_nonce"), nonce: options.nonces?.nonce(at: now()))
    }

    private func refusal(
        _ shortfall: ScopeRequirement.Shortfall, _ scheme: TokenScheme, _ requirement: ScopeRequirement,
        _ nonce: String?
    ) -> ResourceRefusal {
        switch shortfall {
        case .noToken: noToken(requirement)
        case .malformedRequest: ResourceRefusal(400, challenge: challenge(scheme, "invalid_request"))
        case .invalidToken: invalid(scheme)
        case .insufficientScope:
            ResourceRefusal(
                403, challenge: challenge(scheme, "insufficient_scope", [("scope", requirement.words)]), nonce: nonce)
        case .insufficientAuthentication:
            ResourceRefusal(
                401,
                challenge: challenge(
                    scheme, "insufficient_user_authentication",
                    [
                        ("error_description", "Another authentication is needed"),
                        (
                            "acr_values",
                            requirement.authenticationContexts.isEmpty
                                ? nil : requirement.authenticationContexts.joined(separator: " ")
                        ),
                        ("max_age", requirement.maxAge.map { "\($0)" }),
                    ]), nonce: nonce)
        }
    }

    private static let algorithms = StatementAlgorithm.names.joined(separator: " ")

    private func challenge(
        _ scheme: TokenScheme, _ error: String, _ details: [(name: String, value: String?)] = []
    ) -> Challenge {
        var challenge = Challenge(scheme, error: error)
        for detail in details { challenge.add(detail.name, detail.value) }
        if scheme == .dpop { challenge.add("algs", Self.algorithms) }
        challenge.add("resource_metadata", metadataURL)
        return challenge
    }

    // MARK: What the API says of itself

    /// Where the metadata is: in front of the path of the identifier (RFC 9728, section 3.1).
    public var metadataPath: String {
        var path = URLComponents(string: options.identifier)?.percentEncodedPath ?? ""
        if path == "/" { path = "" }
        return "/.well-known/oauth-protected-resource\(path)"
    }

    /// The whole address of the metadata, as refusals name it in `resource_metadata` (RFC 9728, section 5.1).
    public var metadataURL: String { options.origin + metadataPath }

    /// RFC 9728, section 2, as JSON text.
    public var metadata: [UInt8] {
        func texts(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
        var members: [String: JSONValue] = [
            "resource": .string(options.identifier),
            "authorization_servers": texts(options.authorizationServers),
            "bearer_methods_supported": texts(["header"]),
            "dpop_signing_alg_values_supported": texts(StatementAlgorithm.names),
            "dpop_bound_access_tokens_required": .bool(options.possession == .required),
        ]
        if !options.scopes.isEmpty { members["scopes_supported"] = texts(options.scopes) }
        members["resource_name"] = options.name.map { .string($0) }
        members["resource_documentation"] = options.documentation.map { .string($0) }
        // No number is in it that has no form.
        return (try? JSONValue.object(members).jsonText()) ?? []
    }
}
