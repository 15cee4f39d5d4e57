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
        let (application, method) = try await authenticate(form, request, context)
        guard let type = form.text("grant_type") else { throw OAuthFailure.invalidRequest("grant_type is missing.") }
        guard grants.types.contains(type) else { throw OAuthFailure.unsupportedGrant }
        let key = try await possession(request, Path.token, method)
        let redeemed = try await grants.redeem(
            type,
            TokenRequest(
                form: form, application: application, method: method, keyThumbprint: key, request: request,
                context: context))
        guard let redeemed else { throw OAuthFailure.invalidGrant }
        return redeemed
    }

    // MARK: Applications

    private static let methods = Set(ClientAuthenticationMethod.allCases)
    private static let methodsWithCredentials = methods.subtracting([.none])

    /// The application of a request, by the one method that it is registered with (RFC 6749, section 2.3).
    /// - Parameter takesPublic: whether one without credentials may ask.
    func authenticate(
        _ form: OAuthForm, _ request: Request, _ context: CountersignRequestContext, takesPublic: Bool = true
    ) async throws -> (CountersignCore.Application, ClientAuthenticationMethod) {
        let authorization = Authorization(of: request)
        var expectation = ClientExpectation(
            takesPublic ? Self.methods : Self.methodsWithCredentials, issuers: [base])
        expectation.takesEveryOrigin = true
        // What an assertion alone is compared with.
        if form.text("client_assertion") != nil { expectation.tokenEndpoints = urls(Path.token) }
        let client = context.client(ClientID(rawValue: "oauth"), of: .oauth)
        let credentials = ClientCredentials(authorization: authorization, parameter: form.text)
        switch try await realm.applications.authenticate(credentials, expecting: expectation, by: client) {
        case .authenticated(let application, let method): return (application, method)
        case .refused(.limited(let until)): throw OAuthFailure.limited(until: until, at: realm.clock.now)
        case .refused(let refusal):
            let usesBasic = authorization.credentials("Basic") != nil
            if let (reason, leftOut) = clientRefusals.line(refusal, at: realm.clock.now) {
                var metadata: Logger.Metadata = [
                    "reason": .string(reason), "method": .string(Self.method(of: form, usesBasic: usesBasic).rawValue),
                ]
                if leftOut > 0 { metadata["leftOut"] = .stringConvertible(leftOut) }
                context.logger.notice("an application is not taken for who it says", metadata: metadata)
            }
            throw OAuthFailure.invalidClient(usesBasic: usesBasic)
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
        _ request: Request, _ path: String, _ method: ClientAuthenticationMethod
    ) async throws -> String? {
        let proofs = request.headers[values: .dpop]
        guard let proof = proofs.first else { return nil }
        guard proofs.count == 1 else {
            throw OAuthFailure.invalidProof(.malformed, nonce: try await realm.tokens.nonce())
        }
        let expectation = PossessionProof.Expectation(method: request.method.rawValue, urls: urls(path))
        let judged = try await realm.tokens.judge(proof, expectation) { $0.oauth.dpopNonce.isRequired(of: method) }
        switch judged {
        case .proven(let thumbprint): return thumbprint
        case .refused(let fault): throw OAuthFailure.invalidProof(fault, nonce: try await realm.tokens.nonce())
        }
    }
}
