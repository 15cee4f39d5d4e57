import ClientHTTP
import Foundation
import NativeAuthWire

/// Which access token the app requests.
struct AccessTokenWish: Sendable {
    let forcesRefresh: Bool
    let returnsRefreshToken: Bool
    let scopes: [String]
    let claims: String?
    let correlationID: UUID

    init(_ parameters: MSALNativeAuthGetAccessTokenParameters, _ correlationID: UUID) {
        forcesRefresh = parameters.forceRefresh
        returnsRefreshToken = parameters.returnRefreshToken
        scopes = parameters.scopes ?? []
        claims = parameters.claimsRequest?.jsonString()
        self.correlationID = parameters.correlationId ?? correlationID
    }

    /// Wishes with the same key are one refresh.
    struct Key: Hashable, Sendable {
        let account: String
        let scopes: Set<String>
        let claims: String?
        let forces: Bool
    }
}

/// Access tokens from the cache and by refresh. Source: MSAL for iOS.
extension NativeAuthClient {
    func cachedAccount(correlationID: UUID) -> MSALNativeAuthUserAccountResult? {
        cache.account(nil, correlationID).map {
            MSALNativeAuthUserAccountResult(client: self, stored: $0, correlationID: correlationID)
        }
    }

    func forget(_ identifier: String, _ correlationID: UUID) {
        cache.forget(identifier, correlationID)
        Log.write(.info, correlationID, "Signed out: \(id: identifier)")
    }

    func accessToken(
        of identifier: String, _ wish: AccessTokenWish
    ) async throws(Failure) -> (account: StoredAccount, token: StoredAccessToken) {
        let reserved = Set(Flow.defaultScopes + [settings.clientID]).intersection(wish.scopes)
        guard reserved.isEmpty, !wish.scopes.contains(where: { $0.isEmpty || $0.contains(" ") }) else {
            throw Failure(
                .invalidScope, text: "These cannot be asked for as scopes: \(wish.scopes.joined(separator: ", "))",
                wish.correlationID, cause: .invalidRequest)
        }
        if let (account, token) = cached(identifier, wish) { return (account, token) }
        let key = AccessTokenWish.Key(
            account: identifier, scopes: Set(wish.scopes), claims: wish.claims, forces: wish.forcesRefresh)
        let refreshed = await refreshes.run(key) {
            // Another refresh may have brought what this one is for.
            if let (account, token) = self.cached(identifier, wish) {
                return .success(RefreshedToken(account: account, token: token))
            }
            do throws(Failure) {
                return .success(try await self.refresh(identifier, wish))
            } catch {
                return .failure(error)
            }
        }
        let outcome = try refreshed.get()
        return (outcome.account, outcome.token)
    }

    private func cached(_ identifier: String, _ wish: AccessTokenWish) -> (StoredAccount, StoredAccessToken)? {
        guard !wish.forcesRefresh, wish.claims == nil, let account = cache.account(identifier, wish.correlationID),
            let token = account.accessToken(for: wish.scopes), token.isGood(at: environment.now())
        else { return nil }
        return (account, token)
    }

    private func refresh(_ identifier: String, _ wish: AccessTokenWish) async throws(Failure) -> RefreshedToken {
        let correlationID = wish.correlationID
        guard let account = cache.account(identifier, correlationID) else {
            throw Failure(.general, text: "The account is not signed in.", correlationID, cause: .signedOut)
        }
        guard let refreshToken = account.refreshToken else { throw Failure(.refreshTokenExpired, correlationID) }
        let scope = Flow.scopeText(wish.scopes)
        let answer: TokenResponse
        do {
            answer = try await post(
                TokenRequest(
                    grantType: GrantType.refreshToken.rawValue, scope: scope, claims: wish.claims, clientInfo: "1",
                    refreshToken: refreshToken, redirectURI: settings.redirectURI),
                to: try await tokenEndpoint(correlationID), correlationID)
        } catch {
            if error.isPassing, let token = stillGood(account, wish) {
                Log.write(.warning, correlationID, "The server is away: the token from before is used.")
                return RefreshedToken(account: account, token: token)
            }
            let failure = Reading.refresh(error)
            if failure.kind == .refreshTokenExpired { drop(refreshToken, of: identifier, correlationID) }
            throw failure
        }
        return try keep(answer, of: account, refreshedWith: refreshToken, scope, wish)
    }

    /// A token that the server would like fetched again, but that has not expired. Source: MSAL for iOS.
    private func stillGood(_ account: StoredAccount, _ wish: AccessTokenWish) -> StoredAccessToken? {
        guard !wish.forcesRefresh, wish.claims == nil, let token = account.accessToken(for: wish.scopes),
            token.refreshOn != nil, token.expiresOn > environment.now()
        else { return nil }
        return token
    }

    private func tokenEndpoint(_ correlationID: UUID) async throws(Setback) -> URL {
        if let known = metadata.current?.tokenEndpoint.flatMap(URL.init(string:)) { return known }
        guard let url = settings.url(Endpoint.metadataPath) else {
            throw .unexpected(status: nil, correlationID)
        }
        let found: ProviderMetadata = try await get(url, correlationID)
        guard let endpoint = found.tokenEndpoint.flatMap(URL.init(string:)) else {
            throw .unexpected(status: 200, correlationID)
        }
        metadata.withLock { $0 = found }
        return endpoint
    }

    /// The refresh token is over: the next wish need not ask the server.
    private func drop(_ refreshToken: String, of identifier: String, _ correlationID: UUID) {
        _ = cache.update(identifier, correlationID) { stored in
            guard var stored, stored.refreshToken == refreshToken else { return stored }
            stored.refreshToken = nil
            return stored
        }
    }

    private func keep(
        _ answer: TokenResponse, of account: StoredAccount, refreshedWith refreshToken: String, _ scope: String,
        _ wish: AccessTokenWish
    ) throws(Failure) -> RefreshedToken {
        let correlationID = wish.correlationID
        var whole = answer
        // A server may leave out what has not changed.
        whole.idToken = answer.idToken ?? account.idToken
        whole.clientInfo =
            answer.clientInfo ?? ClientInfo(uid: account.objectID, utid: account.tenantID).text
        guard
            let newer = StoredAccount(whole, at: environment.now(), host: account.environment, asked: scope),
            newer.homeAccountID == account.homeAccountID, let token = newer.accessTokens.first
        else { throw Setback.unexpected(status: 200, correlationID).failure }
        let kept = cache.update(account.homeAccountID, correlationID) { stored in
            // Signed out meanwhile, or in again: then these tokens are of a session that is over here.
            guard let stored, stored.refreshToken == refreshToken else { return nil }
            return stored.refreshed(newer)
        }
        guard let kept else {
            throw Failure(
                .general, text: "The account was signed out meanwhile.", correlationID, cause: .signedOut)
        }
        // `email` is an OpenID scope too, which servers do not always repeat. Source: MSAL for iOS.
        guard token.covers(wish.scopes.filter { $0.lowercased() != "email" }) else {
            throw Failure(.invalidScope, text: "Server returned less scopes than requested", correlationID)
        }
        return RefreshedToken(account: kept, token: token)
    }
}
