import ClientHTTP
import Foundation
import JSON
import SecurityChecksWire

// How a token is had: the client, the checks, a code, the token. Source: MobileFirst's web SDK.
extension Connection {
    /// A token for this scope and the one of every registered client: one that was had before, or a new one.
    func token(for scope: Scope) async throws -> AccessToken {
        let scope = scope.union(.registeredClient)
        if let token = cachedToken(for: scope) { return token }
        return try await queue.token(for: scope) {
            // An earlier authorization in the queue may have obtained it for another caller.
            if let token = self.cachedToken(for: scope) { return token }
            return try await self.asClient { try await self.authorize($0, scope) }
        }
    }

    private func cachedToken(for scope: Scope) -> AccessToken? {
        let now = session.now()
        return tokens.withLock { $0.token(for: scope, at: now) }
    }

    private func authorize(_ client: RegisteredClient, _ scope: Scope) async throws -> AccessToken {
        if let token = try await renew(client, scope) { return token }
        try await preauthorize(client, scope)
        let code = try await code(client, scope)
        return try await exchange(code, client, scope)
    }

    /// A new token in place of an expired one, without a challenge; nil where there is nothing to renew it with, or the
    /// server takes that no more.
    private func renew(_ client: RegisteredClient, _ scope: Scope) async throws -> AccessToken? {
        guard wantsRefreshTokens, let refresh = refreshTokens.token(for: scope, of: client) else { return nil }
        let asked = session.now()
        let response = try await request(
            TokenRequest(grantType: .refreshToken, refreshToken: refresh), ClientAssertion.refreshID, client)
        if response.isOfUnknownClient { throw UnknownClient(response: response) }
        guard (200..<300).contains(response.status) else {
            guard (400..<500).contains(response.status), response.status != 429 else {
                throw WLError(refusal: response)
            }
            refreshTokens.keep(nil, for: scope, of: client)
            return nil
        }
        return try keep(response, client, scope, at: asked)
    }

    private func request(
        _ request: TokenRequest, _ id: String, _ client: RegisteredClient
    ) async throws -> HTTPClientResponse {
        let assertion = try await registrar.assertion(
            of: client, audience: ClientAssertion.tokenAudience, id: id, at: serverTime)
        return try await session.send(
            form: [
                ("grant_type", request.grantType?.rawValue), ("code", request.code), ("redirect_uri", redirectURI),
                ("refresh_token", request.refreshToken), ("get_refresh_token", request.wantsRefreshToken),
                ("client_assertion", assertion), ("client_assertion_type", ClientAssertion.type),
                ("client_id", client.id),
            ], try address.endpoint(Endpoint.token))
    }

    /// - Parameter answers: given before a challenge: a login.
    func preauthorize(
        _ client: RegisteredClient, _ scope: Scope, answers: [String: JSONValue] = [:], timeout: TimeInterval = 30
    ) async throws {
        let url = try address.endpoint(Endpoint.preauthorize)
        let response = try await engine.run(answers: answers) { [session] answers in
            try await session.send(
                json: PreauthorizeRequest(clientID: client.id, scope: scope, challengeResponse: answers), "POST", url,
                timeout: timeout)
        }
        if response.isOfUnknownClient { throw UnknownClient(response: response) }
        guard (200..<300).contains(response.status) else { throw WLError(refusal: response) }
    }

    private var redirectURI: String { Endpoint.nativeRedirectURI(scheme: address.scheme) }

    /// The redirect is read, not followed: it leads nowhere.
    private func code(_ client: RegisteredClient, _ scope: Scope) async throws -> String {
        let query = String.form([
            ("response_type", "code"), ("client_id", client.id), ("scope", scope.text), ("redirect_uri", redirectURI),
        ])
        let response = try await session.send("GET", try address.endpoint(Endpoint.authorization + "?" + query))
        if response.isOfUnknownClient { throw UnknownClient(response: response) }
        guard (300..<400).contains(response.status) else { throw WLError(refusal: response) }
        guard let location = response.header("Location").flatMap({ URLComponents(string: $0) }),
            location.host == URLComponents(string: redirectURI)?.host
        else { throw WLError.malformed("the redirect leads elsewhere", response) }
        func value(_ name: String) -> String? { location.queryItems?.first { $0.name == name }?.value }
        if let code = value("code"), !code.isEmpty { return code }
        guard let error = value("error") else { throw WLError.malformed("the redirect has no code", response) }
        throw WLError(
            .authorizationFailure, value("error_description") ?? "The server does not grant the scope: \(error).",
            response: WLResponse(response))
    }

    private func exchange(_ code: String, _ client: RegisteredClient, _ scope: Scope) async throws -> AccessToken {
        let asked = session.now()
        let response = try await request(
            TokenRequest(
                grantType: .authorizationCode, code: code, wantsRefreshToken: wantsRefreshTokens ? "TRUE" : nil), code,
            client)
        if response.isOfUnknownClient { throw UnknownClient(response: response) }
        guard (200..<300).contains(response.status) else { throw WLError(refusal: response) }
        return try keep(response, client, scope, at: asked)
    }

    private func keep(
        _ response: HTTPClientResponse, _ client: RegisteredClient, _ scope: Scope, at asked: Date
    ) throws -> AccessToken {
        guard let answer = try? JSONDecoder().decode(TokenResponse.self, from: response.body),
            !answer.accessToken.isEmpty, answer.accessToken.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw WLError.malformed("there is no token in it", response) }
        let token = AccessToken(
            answer.accessToken, expiresAt: asked.addingTimeInterval(TimeInterval(max(answer.expiresIn ?? 0, 0))),
            scope: (answer.scope ?? scope).text)
        tokens.withLock { $0.keep(token, for: scope, at: asked) }
        if wantsRefreshTokens { refreshTokens.keep(answer.refreshToken, for: scope, of: client) }
        return token
    }
}
