import ClientHTTP
import Foundation
import SecurityChecksWire

// How a token is had: the client, the checks, a code, the token. Source: security-checks 2.3, 2.4, 2.8.
extension Connection {
    /// A token for this scope and the one of every registered client: one that was had before, or a new one.
    func token(for scope: Scope) async throws -> AccessToken {
        let scope = scope.union(.registeredClient)
        if let token = cachedToken(for: scope) { return token }
        return try await queue.token(for: scope) {
            // Whoever was before in the queue may have had it for another caller.
            if let token = self.cachedToken(for: scope) { return token }
            return try await self.asClient { try await self.authorize($0, scope) }
        }
    }

    private func cachedToken(for scope: Scope) -> AccessToken? {
        let now = session.now()
        return tokens.withLock { $0.token(for: scope, at: now) }
    }

    private func authorize(_ client: RegisteredClient, _ scope: Scope) async throws -> AccessToken {
        try await preauthorize(client, scope)
        let code = try await code(client, scope)
        return try await exchange(code, client, scope)
    }

    /// - Parameter answers: given before anybody asks: a login.
    func preauthorize(
        _ client: RegisteredClient, _ scope: Scope, answers: [String: JSONTree] = [:], timeout: TimeInterval = 30
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
        let assertion = try await registrar.assertion(
            of: client, audience: ClientAssertion.tokenAudience, id: code, at: serverTime)
        let asked = session.now()
        let response = try await session.send(
            form: [
                ("grant_type", GrantType.authorizationCode.rawValue), ("code", code), ("redirect_uri", redirectURI),
                ("client_assertion", assertion), ("client_assertion_type", ClientAssertion.type),
                ("client_id", client.id),
            ], try address.endpoint(Endpoint.token))
        if response.isOfUnknownClient { throw UnknownClient(response: response) }
        guard (200..<300).contains(response.status) else { throw WLError(refusal: response) }
        guard let answer = try? JSONDecoder().decode(TokenResponse.self, from: response.body),
            !answer.accessToken.isEmpty, answer.accessToken.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw WLError.malformed("there is no token in it", response) }
        let token = AccessToken(
            answer.accessToken, expiresAt: asked.addingTimeInterval(TimeInterval(max(answer.expiresIn ?? 0, 0))),
            scope: (answer.scope ?? scope).text)
        tokens.withLock { $0.keep(token, for: scope, at: asked) }
        return token
    }
}
