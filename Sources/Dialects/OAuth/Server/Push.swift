import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OAuthHTTP
import OAuthWire
import ServerHTTP

extension OAuth {
    /// `POST /oauth/par`: takes an authorization request from the application itself, and validates it now (RFC 9126, section 2).
    func push(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let body: [UInt8]
        do {
            body = try await request.formBytes(limit: Self.longestRequest)
        } catch RequestBodyFault.wrongContentType {
            throw OAuthFailure.invalidRequest("The body has to be a form in UTF-8.")
        }
        guard let text = String(validating: body, as: UTF8.self), var given = QueryParameters(text) else {
            throw OAuthFailure.invalidRequest("The body has to be a form in UTF-8.")
        }
        if let fault = given.fault { throw OAuthFailure.invalidRequest("\(fault.sentence).") }
        let members = given.values.compactMapValues(\.first).mapValues { JSONValue.string($0) }
        let form = OAuthForm(.object(members))
        let (application, method) = try await authenticate(form, request, context)
        if given["request_uri"] != nil { throw OAuthFailure.invalidRequest("request_uri cannot be pushed.") }
        guard given["client_id"].map({ $0 == application.id.rawValue }) ?? true else {
            throw OAuthFailure.invalidRequest("client_id is another application's.")
        }
        if let object = given["request"], application.registration.hasKeys {
            // RFC 9126, section 3.
            guard let signed = await signedParameters(object, application) else {
                throw OAuthFailure(
                    "invalid_request_object", "request is not signed for this server by the application.")
            }
            given = signed
        }
        // What shows who asks is no part of the request.
        given = QueryParameters(
            given.values.filter { !["client_secret", "client_assertion", "client_assertion_type"].contains($0.key) })
        let key = try await possession(request, context, Path.push, method)
        if let key {
            // RFC 9449, section 10.1.
            guard given["dpop_jkt"].map({ $0 == key }) ?? true else {
                throw OAuthFailure.invalidProof(.request, nonce: try await realm.tokens.nonce())
            }
            given = QueryParameters(given.values.merging(["dpop_jkt": [key]]) { $1 })
        }
        let reader = AuthorizationParameters(oauth: self, parameters: given, application: application)
        guard let redirect = reader.redirectURI() else {
            throw OAuthFailure.invalidRequest("redirect_uri is not registered for the application.")
        }
        do {
            _ = try await reader.request(redirect)
        } catch let refusal as AuthorizationParameters.Refusal {
            throw OAuthFailure(refusal.error, refusal.description)
        }
        // A stranger has as many credentials as it registers: they say no more of who asks than none.
        let isStranger = method == .none || application.registration.oauth.isOfStranger
        let source = isStranger ? context.client(application.id, of: .oauth).limitedSource : nil
        switch try await realm.authorizations.push(given.values, of: application.id, from: source) {
        case .limited(let until): throw OAuthFailure.limited(until: until, at: realm.clock.now)
        case .begun(let handle):
            return try .json(
                PushedAuthorizationResponse(
                    requestURI: handle.token.reveal(), expiresIn: Int(AuthorizationRequests.pushedLifetime)),
                status: .created)
        }
    }
}
