import ClientHTTP
import Foundation
import JSON
import OAuthWire
import SignedTokens

/// One user's sign-in at one application: begins it, keeps its tokens, renews them, and ends it.
///
///     let session = CountersignSession(ClientApplication(issuer: "https://auth.example.org", clientID: "notes"))
///     try await session.signIn(by: LoopbackBrowser())
///     let notes = try await session.send("GET", url)
///
/// It is a public client (RFC 6749, section 2.1) of any server with OpenID Connect: authorization code with PKCE S256 (RFC 7636), `state`,
/// `nonce` and `iss` (RFC 9207), or the device grant (RFC 8628); DPoP (RFC 9449); PAR (RFC 9126). Every token of the server is judged
/// before it is used. Tokens stand in the keychain. Requests that need a fresh token at the same time share one renewal.
public actor CountersignSession {
    /// The application whose session it is, with its scopes and APIs.
    public nonisolated let application: ClientApplication
    let surroundings: Surroundings
    let endpoints: ServerEndpoints
    private let storage: any TokenStorage
    private var known: ServerMetadata?
    private var kept: KeptSession?
    private var isLoaded = false
    private var renewal: Task<Void, any Error>?

    /// Seconds that a token has to have left when it is given out.
    private static let remainder: TimeInterval = 20

    /// A session of an application: what was kept of an earlier sign-in goes on. Nothing is asked of the server yet.
    /// - Parameter storage: where tokens are kept between two starts.
    public init(_ application: ClientApplication, storage: any TokenStorage = KeychainTokenStorage()) {
        self.init(application, storage: storage, Surroundings())
    }

    package init(
        _ application: ClientApplication, storage: any TokenStorage, _ surroundings: Surroundings
    ) {
        self.application = application
        self.storage = storage
        self.surroundings = surroundings
        endpoints = ServerEndpoints(surroundings)
    }

    /// Who is signed in, as the newest ID token says; nil where no user is, and where `openid` is not among the scopes. Asks the
    /// keychain, and no server.
    /// - Throws: ``ClientFailure`` with the code `storage`, where the keychain refuses.
    public func user() throws -> SignedInUser? { try session()?.user }

    /// Whether tokens of a sign-in are kept. The server may have ended it meanwhile: the next call that needs a token finds out.
    /// - Throws: ``ClientFailure`` with the code `storage`, where the keychain refuses.
    public func isSignedIn() throws -> Bool { try session() != nil }

    /// Whether tokens are renewed without the user: the server gave a refresh token, as the scope `offline_access` asks for.
    /// - Throws: ``ClientFailure`` with the code `storage`, where the keychain refuses.
    public func isRenewable() throws -> Bool { try session()?.refreshToken != nil }

    /// What the server says of itself, fetched once in the life of this session (OpenID Connect Discovery 1.0, section 4).
    /// - Throws: ``ClientFailure``: `unreachable`, `untrusted` where the document is another issuer's, `unsupported` where it lacks
    ///   what a sign-in needs.
    public func metadata() async throws -> ServerMetadata {
        if let known { return known }
        let found = try await ServerMetadata.discover(application.issuer, surroundings.http)
        known = found
        return found
    }

    // MARK: Signing in

    /// Signs a user in by a browser, in place of the user of before, whose tokens are revoked.
    /// - Parameters:
    ///   - browser: shows the server's pages: `WebAuthenticationBrowser` in an app on Apple's systems, else ``LoopbackBrowser``.
    ///   - request: what this sign-in asks for beyond what the application always does.
    /// - Returns: the user; nil where `openid` is not among the scopes.
    /// - Throws: ``ClientFailure``: `cancelled` where the user closed the browser or said no, `timedOut` and `noBrowser` of the browser,
    ///   `refused` with the server's word, `untrusted` where an answer is not for this request. The user of before stays signed in
    ///   then.
    @discardableResult
    public func signIn(
        by browser: some AuthorizationBrowser, _ request: SignInRequest = SignInRequest()
    ) async throws -> SignedInUser? {
        let metadata = try await metadata()
        let key = application.bindsTokens ? PossessionKey() : nil
        let begun = Locked<AuthorizationAttempt?>(nil)
        let answer = try await browser.authorize { [application, surroundings, endpoints] redirectURI in
            let attempt = AuthorizationAttempt(application, metadata, redirectURI: redirectURI, surroundings)
            begun.withLock { $0 = attempt }
            return try await attempt.page(request, key: key, endpoints)
        }
        guard let attempt = begun.current else {
            throw ClientFailure(.noBrowser, "The browser showed no page.")
        }
        var fields = [
            (name: "grant_type", value: "authorization_code"), ("code", try attempt.code(in: answer)),
            ("redirect_uri", attempt.redirectURI), ("client_id", application.clientID),
            ("code_verifier", attempt.verifier.text),
        ]
        if application.resources.count > 1 { fields.append(("resource", application.resources[0])) }
        let tokens = try await endpoints.answer(TokenResponse.self, fields, to: metadata.tokenEndpoint, key: key)
        return try await keep(
            tokens, key,
            .init(nonce: attempt.nonce, accessToken: tokens.accessToken, maxAge: request.maxAge))
    }

    /// Keeps the tokens of a fresh sign-in, once they are judged.
    func keep(
        _ tokens: TokenResponse, _ key: PossessionKey?, _ expectation: IdentityTokenJudge.Expectation
    ) async throws -> SignedInUser? {
        try check(tokens, key)
        var user: SignedInUser?
        if let idToken = tokens.idToken {
            user = try await judge().judge(idToken, expectation)
        } else if application.scopes.contains("openid") {
            throw ClientFailure.untrusted("The server's answer has no ID token.")
        }
        let former = try session()
        var fresh = KeptSession(
            clientID: application.clientID, issuer: application.issuer, user: user, idToken: tokens.idToken,
            refreshToken: tokens.refreshToken, key: key?.rawRepresentation, scopes: application.scopes,
            resources: application.resources, accessTokens: [:])
        fresh.accessTokens[application.resources.first ?? ""] = access(tokens, application.scopes)
        try save(fresh)
        // The tokens of before are worth nothing to anyone any more.
        if let former { _ = try? await revoke(former) }
        return user
    }

    func judge() async throws -> IdentityTokenJudge {
        IdentityTokenJudge(
            metadata: try await metadata(), clientID: application.clientID, surroundings: surroundings)
    }

    /// A server that answers with a token of another kind than was asked for has not understood the request (RFC 6749, section 7.1).
    private func check(_ tokens: TokenResponse, _ key: PossessionKey?) throws {
        let type = tokens.tokenType.lowercased()
        guard type == (key == nil ? "bearer" : "dpop"), !tokens.accessToken.isEmpty else {
            throw ClientFailure.untrusted("The server's access token is of the type \(type.prefix(16)).")
        }
    }

    private func access(_ tokens: TokenResponse, _ asked: [String]) -> AccessToken {
        AccessToken(
            text: tokens.accessToken, type: tokens.tokenType,
            scopes: tokens.scope.isEmpty ? asked : tokens.scope.spaceSeparated,
            expiresAt: surroundings.now() + Double(tokens.expiresIn))
    }

    // MARK: Tokens

    /// A token that counts now, renewed where it has to be.
    /// - Parameters:
    ///   - resource: the API that it is for; nil for the first that the application names.
    ///   - isFresh: whether one that is kept is passed over, because an API refused it.
    /// - Returns: a token with twenty seconds to go at least.
    /// - Throws: ``ClientFailure``: `notSignedIn` where the sign-in has ended, or there is no refresh token; `unreachable` where it has to be
    ///   renewed and the server is away: the sign-in goes on.
    public func accessToken(for resource: String? = nil, isFresh: Bool = false) async throws -> AccessToken {
        let name = resource ?? application.resources.first ?? ""
        let given = isFresh ? try session()?.accessTokens[name] : nil
        // The second time another request has renewed the token of this API, or of another one.
        for _ in 0..<3 {
            guard let session = try session() else { throw Self.ended }
            if let token = session.accessTokens[name], token != given,
                token.expiresAt > surroundings.now() + Self.remainder
            {
                return token
            }
            if let renewal {
                try await renewal.value
                continue
            }
            let task = Task { try await self.renew(name) }
            renewal = task
            defer { renewal = nil }
            try await task.value
        }
        guard let token = try session()?.accessTokens[name] else { throw Self.ended }
        return token
    }

    private static let ended = ClientFailure(.notSignedIn, "No user is signed in. Sign in first.")

    /// Trades the refresh token (RFC 6749, section 6).
    private func renew(_ name: String) async throws {
        guard let session = try session(), let refreshToken = session.refreshToken else { throw Self.ended }
        let metadata = try await metadata()
        let key = try session.key.map { try PossessionKey(rawRepresentation: $0) }
        var fields = [
            (name: "grant_type", value: "refresh_token"), ("refresh_token", refreshToken),
            ("client_id", session.clientID),
        ]
        if !name.isEmpty { fields.append(("resource", name)) }
        let tokens: TokenResponse
        do {
            tokens = try await endpoints.answer(TokenResponse.self, fields, to: metadata.tokenEndpoint, key: key)
        } catch let failure as ClientFailure where failure.code == .refused("invalid_grant") {
            // Another sign-in, which has taken its place meanwhile, goes on.
            if try self.session()?.refreshToken == refreshToken { try forget() }
            throw ClientFailure(.notSignedIn, "The sign-in has ended. Sign in again.", underlying: failure)
        }
        try check(tokens, key)
        var renewed = session
        // Kept before anything is judged: the old one is used up.
        if let next = tokens.refreshToken { renewed.refreshToken = next }
        try await save(renewed, inPlaceOf: refreshToken)
        if let idToken = tokens.idToken {
            renewed.user = try await judge().judge(
                idToken, .init(accessToken: tokens.accessToken, user: session.user))
            renewed.idToken = idToken
        }
        renewed.accessTokens[name] = access(tokens, session.scopes)
        try await save(renewed, inPlaceOf: renewed.refreshToken)
    }

    /// Keeps what a renewal brought. Where the user has signed out meanwhile, or another one has signed in, it is revoked: it must not come in
    /// the place of what they did.
    private func save(_ renewed: KeptSession, inPlaceOf refreshToken: String?) async throws {
        guard try session()?.refreshToken == refreshToken else {
            _ = try? await revoke(renewed)
            throw Self.ended
        }
        try save(renewed)
    }

    // MARK: Requests to APIs

    /// The headers of a request to an API, for a library of your own that sends it: `Authorization` (RFC 6750, section 2.1), and `DPoP` where
    /// the token is bound (RFC 9449, section 4). A proof is for this method and address, once: ask anew for each request.
    /// - Parameters:
    ///   - url: as it will be sent; the proof leaves out its query and fragment.
    ///   - resource: the API that the token is for; nil for the first that the application names.
    ///   - nonce: of the API, where it asked for one (`DPoP-Nonce`).
    /// - Throws: as ``accessToken(for:isFresh:)``.
    public func headers(
        for method: String, _ url: URL, resource: String? = nil, nonce: String? = nil
    ) async throws -> [String: String] {
        try await headers(for: method, url, accessToken(for: resource), nonce: nonce)
    }

    private func headers(
        for method: String, _ url: URL, _ token: AccessToken, nonce: String? = nil
    ) throws -> [String: String] {
        guard token.isBound else { return ["Authorization": "Bearer \(token.text)"] }
        guard let key = try session()?.key else { throw Self.ended }
        let proof = try endpoints.proof(
            try PossessionKey(rawRepresentation: key), method, url, accessToken: token.text, nonce: nonce)
        return ["Authorization": "DPoP \(token.text)", "DPoP": proof]
    }

    /// Sends a request to an API. Where the API asks for a nonce or refuses the token it is sent once more, with the nonce or with a
    /// fresh token; every other answer is given as it is, also one of status 400 and above.
    /// - Parameters:
    ///   - method: of HTTP, in capitals.
    ///   - url: of the API; plain http on this machine alone.
    ///   - headers: beside those of ``headers(for:_:resource:nonce:)``, which count more.
    ///   - body: as it is; say its `Content-Type` in `headers`.
    ///   - resource: the API that the token is for; nil for the first that the application names.
    /// - Throws: as ``accessToken(for:isFresh:)``; `unreachable` where the API is away.
    public func send(
        _ method: String, _ url: URL, headers: [String: String] = [:], body: Data? = nil, resource: String? = nil
    ) async throws -> (status: Int, headers: [String: String], body: Data) {
        var token = try await accessToken(for: resource)
        var hasRenewed = false
        var hasNonce = false
        while true {
            let own = try self.headers(for: method, url, token)
            let all = headers.merging(own) { $1 }
            let response = try await surroundings.http.reaching {
                try await $0.send(method, url, headers: all, body: body)
            }
            endpoints.keepNonce(of: response, from: url)
            let challenge = response.status == 401 ? response.header("WWW-Authenticate") ?? "" : ""
            if !hasNonce, token.isBound, challenge.contains("\"use_dpop_nonce\"") {
                hasNonce = true
            } else if !hasRenewed, challenge.contains("\"invalid_token\""), try session()?.refreshToken != nil {
                hasRenewed = true
                token = try await accessToken(for: resource, isFresh: true)
            } else {
                return (response.status, response.headers, response.body)
            }
        }
    }

    // MARK: Signing out

    /// Ends the sign-in: the server revokes its tokens (RFC 7009), and they are forgotten here, whatever the server says.
    /// The browser stays signed in at the server, and so the next sign-in there may ask for nothing: see ``signOutPage(redirectURI:state:)``.
    /// - Returns: false where the server could not be told; the tokens count there until they expire.
    /// - Throws: ``ClientFailure`` with the code `storage`, where the keychain refuses: the tokens are still kept.
    @discardableResult
    public func signOut() async throws -> Bool {
        guard let session = try session() else { return true }
        let isRevoked: Bool
        do { isRevoked = try await revoke(session) } catch is ClientFailure { isRevoked = false }
        try forget()
        return isRevoked
    }

    private func revoke(_ session: KeptSession) async throws -> Bool {
        guard let url = try await metadata().revocationEndpoint else { return false }
        // A refresh token ends its grant, with all that came of it; without one each token is revoked.
        let tokens =
            session.refreshToken.map { [($0, "refresh_token")] }
            ?? session.accessTokens.values.map { ($0.text, "access_token") }
        var areRevoked = true
        for (token, hint) in tokens {
            let response = try await endpoints.post(
                [("token", token), ("token_type_hint", hint), ("client_id", session.clientID)], to: url, key: nil)
            areRevoked = areRevoked && response.status == 200
        }
        return areRevoked
    }

    /// Where a browser signs out of the server itself, and so of the next application's sign-in (OpenID Connect RP-Initiated Logout
    /// 1.0). Ask for it before ``signOut()``, which forgets what it is made of; nil where the server has no such page.
    /// - Parameters:
    ///   - redirectURI: where the browser goes afterwards, as registered (`--post-logout-redirect-uri`); nil ends on the server's page.
    ///   - state: comes back with `redirectURI`.
    /// - Throws: ``ClientFailure``, as ``metadata()`` does.
    public func signOutPage(redirectURI: String? = nil, state: String? = nil) async throws -> URL? {
        guard let endpoint = try await metadata().endSessionEndpoint else { return nil }
        var fields: [(String, String)] = [("client_id", application.clientID)]
        if let idToken = try session()?.idToken { fields.append(("id_token_hint", idToken)) }
        if let redirectURI { fields.append(("post_logout_redirect_uri", redirectURI)) }
        if let state { fields.append(("state", state)) }
        var parts = URLComponents(url: endpoint, resolvingAgainstBaseURL: true)
        parts?.percentEncodedQuery = fields.map { "\($0)=\($1.percentEncoded)" }.joined(separator: "&")
        return parts?.url
    }

    // MARK: The keychain

    private nonisolated var account: String { "\(application.issuer) \(application.clientID)" }

    private func session() throws -> KeptSession? {
        if !isLoaded {
            kept = try storage.data(for: account).flatMap { try? JSONDecoder().decode(KeptSession.self, from: $0) }
            isLoaded = true
        }
        return kept
    }

    private func save(_ session: KeptSession) throws {
        try storage.save(JSONEncoder().encode(session), for: account)
        (kept, isLoaded) = (session, true)
    }

    private func forget() throws {
        (kept, isLoaded) = (nil, true)
        try storage.remove(account)
    }
}
