import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import OAuthHTTP
import ServerHTTP

/// The token endpoint (RFC 6749, section 3.2), and what all endpoints share that applications authenticate at.
extension OAuth {
    /// `POST /oauth/token`.
    func token(
        _ request: Request, _ context: CountersignRequestContext, _ grants: TokenGrants
    ) async throws -> Response {
        let form = try await OAuthForm(request)
        let proof = openProof(request, Path.token)
        let application: CountersignCore.Application
        let method: ClientAuthenticationMethod
        var proven: Tokens.ProofJudgement?
        var refreshToken: RefreshTokenLook?
        // What comes with the credentials is looked at in the transaction that knows the application.
        if let open = try? proof?.get() {
            // Whatever the request shows of its application: some show a secret and have none.
            try requireRoomForProof(context)
            // What it proves is remembered there: one write, and no read before it.
            (application, method, proven) = try await authenticate(
                form, request, context,
                judging: Applications.Companion.proving(open) { $0.oauth.dpopNonce.isRequired(of: $1) })
            if let proven { count(proven, method, context) }
        } else if form.text("grant_type") == "refresh_token", let text = form.text("refresh_token") {
            (application, method, refreshToken) = try await authenticate(
                form, request, context,
                judging: Applications.Companion.looking(atRefreshToken: Secret(text), of: .oauth))
        } else {
            (application, method) = try await authenticate(form, request, context)
        }
        guard let type = form.text("grant_type") else { throw OAuthFailure.invalidRequest("grant_type is missing.") }
        guard grants.types.contains(type) else { throw OAuthFailure.unsupportedGrant }
        let judged: Tokens.ProofJudgement? = if case .failure(let fault)? = proof { .refused(fault) } else { proven }
        let key: String? = if let judged { try await thumbprint(judged) } else { nil }
        let redeemed = try await grants.redeem(
            type,
            TokenRequest(
                form: form, application: application, method: method, keyThumbprint: key, refreshToken: refreshToken,
                request: request, context: context))
        guard let redeemed else { throw OAuthFailure.invalidGrant }
        return redeemed
    }

    // MARK: Applications

    private static let methods = Set(ClientAuthenticationMethod.allCases)
    private static let methodsWithCredentials = methods.subtracting([.none])
    /// Where applications authenticate. Libraries from before RFC 10070 name these in assertions: the token endpoint, or the one that they
    /// ask (RFC 9126, section 2, takes both at its own).
    private static let authenticatingPaths = [
        Path.token, Path.push, Path.revoke, Path.introspect, Path.device, Path.backchannel,
    ]

    /// The application of a request, by the one method that it is registered with (RFC 6749, section 2.3).
    /// - Parameter takesPublic: whether one without credentials may ask.
    func authenticate(
        _ form: OAuthForm, _ request: Request, _ context: CountersignRequestContext, takesPublic: Bool = true
    ) async throws -> (CountersignCore.Application, ClientAuthenticationMethod) {
        let (application, method, _) = try await authenticate(
            form, request, context, takesPublic: takesPublic, judging: Applications.Companion<Never>?.none)
        return (application, method)
    }

    /// The same, with what else the request brings.
    /// - Returns: what came of that, too.
    func authenticate<Answer: Sendable>(
        _ form: OAuthForm, _ request: Request, _ context: CountersignRequestContext, takesPublic: Bool = true,
        judging companion: Applications.Companion<Answer>?
    ) async throws -> (CountersignCore.Application, ClientAuthenticationMethod, Answer?) {
        let authorization = Authorization(of: request)
        var expectation = ClientExpectation(
            takesPublic ? Self.methods : Self.methodsWithCredentials, issuers: ownIssuer)
        expectation.takesEveryOrigin = true
        // What an assertion alone is compared with.
        if form.text("client_assertion") != nil {
            expectation.endpoints = Self.authenticatingPaths.reduce(into: []) { $0.formUnion(urls($1)) }
        }
        let client = context.client(ClientID(rawValue: "oauth"), of: .oauth)
        let credentials = ClientCredentials(authorization: authorization, parameter: form.text)
        let (outcome, answer) = try await realm.applications.authenticate(
            credentials, expecting: expectation, by: client, judging: companion)
        switch outcome {
        case .authenticated(let application, let method): return (application, method, answer)
        case .refused(.limited(let until)): throw OAuthFailure.limited(until: until, at: realm.clock.now)
        case .refused(let refusal):
            let usesBasic = authorization.credentials("Basic") != nil
            if let (reason, leftOut) = clientRefusals.line(refusal, at: .now) {
                let metadata: Logger.Metadata = [
                    "reason": .string(reason), "method": .string(Self.method(of: form, usesBasic: usesBasic).rawValue),
                ]
                context.logger.notice(
                    "an application is not taken for who it says", metadata: metadata.with(leftOut: leftOut))
            }
            throw OAuthFailure.invalidClient(to: request)
        }
    }

    /// By which method a request wants to show who asks.
    private static func method(of form: OAuthForm, usesBasic: Bool) -> ClientAuthenticationMethod {
        if usesBasic { return .secretBasic }
        if form.text("client_assertion") != nil { return .privateKeyJWT }
        return form.text("client_secret") == nil ? .none : .secretPost
    }

    // MARK: Keys

    /// The thumbprint of the key that a request proves (RFC 9449, section 5); nil where it has no proof.
    func possession(
        _ request: Request, _ context: CountersignRequestContext, _ path: String, _ method: ClientAuthenticationMethod
    ) async throws -> String? {
        switch openProof(request, path) {
        case nil: return nil
        case .failure(let fault)?: return try await thumbprint(.refused(fault))
        case .success(let proof)?:
            if method == .none { try requireRoomForProof(context) }
            let judged = try await realm.tokens.remember(proof) { $0.oauth.dpopNonce.isRequired(of: method) }
            count(judged, method, context)
            return try await thumbprint(judged)
        }
    }

    /// The source that a request's proof is counted for; nil where none is.
    private func proofSource(_ context: CountersignRequestContext) -> String? {
        context.client(ClientID(rawValue: "oauth"), of: .oauth).limitedSource
    }

    /// Refuses a proof where its source has had so many remembered, of applications without credentials, that there is no room for another.
    private func requireRoomForProof(_ context: CountersignRequestContext) throws {
        guard let source = proofSource(context), realm.tokens.hasMostProofs(from: source) else { return }
        let now = realm.clock.now
        throw OAuthFailure.limited(until: now + 60, at: now)
    }

    /// Counts what was remembered of an application that showed no credentials.
    private func count(
        _ judged: Tokens.ProofJudgement, _ method: ClientAuthenticationMethod, _ context: CountersignRequestContext
    ) {
        guard method == .none, case .proven = judged, let source = proofSource(context) else { return }
        realm.tokens.countProof(from: source)
    }

    /// The proof of a request, as far as it is judged without a transaction; nil where there is none.
    private func openProof(
        _ request: Request, _ path: String
    ) -> Result<Tokens.OpenProof, PossessionProof.Fault>? {
        let proofs = request.headers[values: .dpop]
        guard let proof = proofs.first else { return nil }
        guard proofs.count == 1 else { return .failure(.malformed) }
        return realm.tokens.open(
            proof, PossessionProof.Expectation(method: request.method.rawValue, urls: urls(path)))
    }

    private func thumbprint(_ judged: Tokens.ProofJudgement) async throws -> String {
        switch judged {
        case .proven(let thumbprint): return thumbprint
        case .refused(let fault): throw OAuthFailure.invalidProof(fault, nonce: try await realm.tokens.nonce())
        }
    }
}
