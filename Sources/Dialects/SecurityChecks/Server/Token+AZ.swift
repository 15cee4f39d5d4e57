import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import SecurityChecks
import SecurityChecksWire
import ServerHTTP

extension SecurityChecks {
    /// `POST az/v1/token` (RFC 6749, section 3.2; RFC 7523, section 2.2).
    func token(_ request: Request, _ call: SecurityChecksCall) async throws -> Response {
        let body = try await Self.body(TokenRequest.self, of: request, accepting: [.form, .json])
        let answer: TokenResponse
        switch body.grantType {
        case .authorizationCode?: answer = try await redeem(body)
        case .refreshToken?: answer = try await refresh(body, call)
        case .clientCredentials?: answer = try await confidentialToken(body, call)
        case nil: throw SecurityChecksError.invalidOAuthRequest("grant_type is missing.")
        default: throw SecurityChecksError.unsupportedGrant
        }
        return try .json(answer, headers: [.cacheControl: "no-store", .known("Pragma"): "no-cache"])
    }

    private func redeem(_ body: TokenRequest) async throws -> TokenResponse {
        guard let code = body.code, let redirectURI = body.redirectURI, let text = body.clientAssertion else {
            throw SecurityChecksError.invalidOAuthRequest("code, redirect_uri and client_assertion are needed.")
        }
        // The code is bound to the key: it is useless alone.
        let client = try await client(of: body, assertion: text, for: code)
        switch try await grants.redeem(code, by: client.id, redirectURI: redirectURI) {
        case nil: throw SecurityChecksError.invalidGrant
        case .granted(let grant)?:
            let refresh = body.wantsRefreshToken?.lowercased() == "true" ? try await grants.beginRefreshing(grant) : nil
            return try await tokens.token(for: grant, with: refresh)
        case .refused(let refusal)?: throw SecurityChecksError.oauth(refusal)
        case .unknownScope?: throw SecurityChecksError.unknownScope
        case .notGranted?: throw SecurityChecksError.notGranted
        }
    }

    private func refresh(_ body: TokenRequest, _ call: SecurityChecksCall) async throws -> TokenResponse {
        guard let token = body.refreshToken, let text = body.clientAssertion else {
            throw SecurityChecksError.invalidOAuthRequest("refresh_token and client_assertion are needed.")
        }
        // The token alone is useless, as with codes.
        let client = try await client(of: body, assertion: text, for: ClientAssertion.refreshID)
        switch try await grants.refresh(Secret(token), by: client.id, from: call.client) {
        case nil, .notGranted?: throw SecurityChecksError.invalidRefreshToken
        case .granted(let refreshed)?:
            return try await tokens.token(for: refreshed.grant, of: refreshed.family, with: refreshed.token)
        case .refused(let refusal)?: throw SecurityChecksError.oauth(refusal)
        case .unknownScope?: throw SecurityChecksError.unknownScope
        }
    }

    /// The client that signed the request.
    /// - Parameter id: what the assertion has to be for.
    private func client(
        of body: TokenRequest, assertion text: String, for id: String
    ) async throws -> ClientRegistration {
        if let type = body.clientAssertionType, type != ClientAssertion.type {
            throw SecurityChecksError.invalidOAuthRequest("client_assertion_type is not taken here.")
        }
        let assertion: Assertion
        do {
            assertion = try await verify(assertion: text)
        } catch AssertionFault.unknownClient {
            throw SecurityChecksError.unknownOAuthClient
        } catch is AssertionFault {
            throw SecurityChecksError.foreignAssertion
        }
        guard assertion.id == id, body.clientID.map({ $0 == assertion.client.id.rawValue }) ?? true else {
            throw SecurityChecksError.foreignAssertion
        }
        return assertion.client
    }

    /// A token for a server's own use: `client_credentials`.
    private func confidentialToken(
        _ body: TokenRequest, _ call: SecurityChecksCall
    ) async throws -> TokenResponse {
        // By Basic alone, as the protocol has it: `client_assertion` of a body is the registered clients' own.
        let credentials = ClientCredentials(authorization: call.authorization) { _ in nil }
        let application: CountersignCore.Application
        switch try await realm.applications.authenticate(
            credentials, expecting: ClientExpectation([.secretBasic]), by: call.client)
        {
        case .authenticated(let authenticated, _): application = authenticated
        case .refused(.limited(let until)): throw SecurityChecksError.oauth(ClientRefusal.limited(until: until))
        case .refused:
            throw SecurityChecksError.oauth(400, .invalidClient, "Unknown client, or a wrong secret.")
        }
        let scope = body.scope?.elements ?? []
        guard ConfidentialScope.covers(Set(application.registration.scopes), scope) else {
            throw SecurityChecksError.oauth(400, .invalidScope, "This client may not have that scope.")
        }
        return try await tokens.token(for: application.id, scope: scope)
    }
}
