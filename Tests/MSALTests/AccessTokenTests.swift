import ClientHTTP
import Foundation
import MSAL
import NativeAuthWire
import Testing

/// Access tokens from the cache and by refresh, and the end of a session. Source: MSAL for iOS.
@Suite struct AccessTokenTests {
    typealias Answer = ScriptedServer.Answer

    private let app: TestApp
    private var server: ScriptedServer { app.server }

    init() throws {
        app = try TestApp()
        server.on("openid-configuration", #"{"issuer":"i","token_endpoint":"http://127.0.0.1:8080/elsewhere/token"}"#)
        server.on("/elsewhere/token", .tokens("second"))
    }

    private func token(
        _ result: MSALNativeAuthUserAccountResult, _ scopes: [String]? = nil, forced: Bool = false,
        _ more: (MSALNativeAuthGetAccessTokenParameters) -> Void = { _ in }
    ) async -> Result<MSALNativeAuthTokenResult, RetrieveAccessTokenError> {
        let parameters = MSALNativeAuthGetAccessTokenParameters()
        parameters.scopes = scopes
        parameters.forceRefresh = forced
        more(parameters)
        switch await result.getAccessToken(parameters: parameters) {
        case .completed(let token): return .success(token)
        case .error(let error): return .failure(error)
        }
    }

    private var refreshes: [[String: String]] {
        server.requests.filter { $0.url.path == "/elsewhere/token" }.map(\.form)
    }

    @Test func `The token of the sign-in is used until five minutes before its end`() async throws {
        let result = try await app.signedIn()
        app.clock.advance(3600 - 301)
        let cached = try await token(result).get()
        #expect(cached.accessToken == "at-first")
        #expect(cached.refreshToken == nil)
        #expect(cached.scopes == ["openid", "profile", "offline_access"])
        #expect(cached.expiresOn == Date(timeIntervalSince1970: 1_790_003_600))
        #expect(refreshes.isEmpty)
        app.clock.advance(1)
        #expect(try await token(result).get().accessToken == "at-second")
        #expect(
            refreshes == [
                [
                    "client_id": "app", "grant_type": "refresh_token", "refresh_token": "rt-first",
                    "scope": "openid profile offline_access", "redirect_uri": "msauth.app://auth", "client_info": "1",
                ]
            ])
    }

    @Test func `A forced refresh takes the newest refresh token, and renews the result`() async throws {
        let result = try await app.signedIn()
        let before = result.idToken
        #expect(result.account.accountClaims?["name"] as? String == "first")
        #expect(try await token(result, forced: true).get().accessToken == "at-second")
        #expect(result.idToken != before)
        #expect(result.account.accountClaims?["name"] as? String == "second")
        server.on("/elsewhere/token", .tokens("third"))
        let third = try await token(result, forced: true) { $0.returnRefreshToken = true }.get()
        #expect(third.refreshToken == "rt-third")
        #expect(refreshes.map { $0["refresh_token"] } == ["rt-first", "rt-second"])
        #expect(app.nativeAuth.getNativeAuthUserAccount()?.idToken == result.idToken)
        // What the authority says of itself is asked for once.
        #expect(server.requests.filter { $0.method == "GET" }.count == 1)
    }

    @Test func `Tokens are kept by their scopes, and a wider one serves`() async throws {
        let result = try await app.signedIn(scope: "openid profile offline_access User.Read")
        #expect(try await token(result, ["user.read"]).get().accessToken == "at-first")
        server.on("/elsewhere/token", .tokens("mail", scope: "openid profile offline_access Mail.Send"))
        #expect(try await token(result, ["Mail.Send"]).get().scopes.contains("Mail.Send"))
        #expect(refreshes.last?["scope"] == "Mail.Send openid profile offline_access")
        #expect(try await token(result, ["Mail.Send"]).get().accessToken == "at-mail")
        #expect(try await token(result, ["User.Read"]).get().accessToken == "at-first")
        #expect(refreshes.count == 1)
    }

    @Test func `Claims pass the cache over and are sent`() async throws {
        let result = try await app.signedIn()
        let claims = MSALClaimsRequest()
        try claims.requestClaim(MSALIndividualClaimRequest(name: "acrs"), for: .accessToken)
        #expect(try await token(result) { $0.claimsRequest = claims }.get().accessToken == "at-second")
        #expect(refreshes.last?["claims"] == #"{"access_token":{"acrs":null}}"#)
    }

    @Test(arguments: ["openid", "profile", "offline_access", "app", "", "a b"])
    func `Scopes that are none of an API are refused without a request`(scope: String) async throws {
        let result = try await app.signedIn()
        let count = server.requests.count
        guard case .failure(let error) = await token(result, ["api", scope], forced: true) else {
            Issue.record("must fail")
            return
        }
        #expect(error.isInvalidScope)
        #expect(server.requests.count == count)
    }

    @Test func `Fewer scopes than were asked for are told, but the session goes on`() async throws {
        let result = try await app.signedIn()
        guard case .failure(let error) = await token(result, ["api", "email"]) else {
            Issue.record("must fail")
            return
        }
        #expect(error.isInvalidScope)
        #expect(error.errorDescription == "Server returned less scopes than requested")
        server.on("/elsewhere/token", .tokens("third", scope: "api"))
        #expect(try await token(result, ["api", "email"], forced: true).get().accessToken == "at-third")
        #expect(refreshes.last?["refresh_token"] == "rt-second")
    }

    @Test(arguments: [
        (Answer.refusal("invalid_grant"), "RefreshTokenExpired", "TEXT", true),
        (.refusal("expired_token"), "RefreshTokenExpired", "TEXT", true),
        (.refusal("invalid_scope"), "InvalidScope", "TEXT", false),
        (.refusal("invalid_grant", "consent_required", codes: [65001]), "InvalidScope", "TEXT", false),
        (.refusal("invalid_grant", "brand_new"), "", "TEXT", false), (.redirect, "BrowserRequired", "REASON", false),
        (.refusal("invalid_client"), "", "TEXT", false), (Answer("", status: 404), "", "Unexpected", false),
        (.refusal("invalid_grant", codes: [50076]), "", "Multi-factor authentication is required", false),
        (.refusal("invalid_grant", "mfa_required"), "", "Multi-factor authentication is required", false),
        (.refusal("invalid_grant", codes: [7, 50142]), "", "User password change is required", false),
        ("{}", "", "Unexpected", false),
    ])
    func `A refresh that fails says why, and may be the last one`(
        answer: Answer, flag: String, text: String, isOver: Bool
    ) async throws {
        let result = try await app.signedIn()
        server.on("/elsewhere/token", answer)
        for _ in 0..<2 {
            guard case .failure(let error) = await token(result, forced: true) else {
                Issue.record("must fail")
                return
            }
            #expect(error.flags == (flag.isEmpty ? [] : [flag]))
            #expect(
                error.errorDescription?.hasPrefix(text) == true || error.errorDescription == "Refresh token is expired")
        }
        #expect(refreshes.count == (isOver ? 1 : 2))
        // The account is still known, and its old token still good.
        #expect(try await token(result).get().accessToken == "at-first")
    }

    @Test func `While the server is away a token that has not expired is used`() async throws {
        let result = try await app.signedIn(more: #","refresh_in":60"#)
        server.on("/elsewhere/token", Answer("", status: 503))
        app.clock.advance(61)
        #expect(try await token(result).get().accessToken == "at-first")
        #expect(refreshes.count == 2)
        guard case .failure = await token(result, forced: true) else {
            Issue.record("a forced refresh has no way round")
            return
        }
        app.clock.advance(3600)
        guard case .failure(let error) = await token(result) else {
            Issue.record("an expired token is none")
            return
        }
        #expect(error.cause?.statusCode == 503)
        server.on("/elsewhere/token", .tokens("second"))
        #expect(try await token(result).get().accessToken == "at-second")
    }

    @Test func `Many wishes at once are one refresh, and others wait for it`() async throws {
        let result = try await app.signedIn()
        app.clock.advance(3600)
        await withTaskGroup(of: String?.self) { tasks in
            for _ in 0..<20 { tasks.addTask { try? await self.token(result).get().accessToken } }
            for await token in tasks { #expect(token == "at-second") }
        }
        #expect(refreshes.count == 1)
    }

    @Test func `Forced refreshes that come together are fewer than they`() async throws {
        _ = try await app.signedIn()
        let slow = Hold(server)
        let result = try #require(
            try TestApp(storage: app.storage, transport: slow).nativeAuth.getNativeAuthUserAccount())
        let asked = Locked(0)
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<20 {
                tasks.addTask {
                    asked.withLock { $0 += 1 }
                    _ = await self.token(result, forced: true)
                }
            }
            await slow.hasStarted()
            while asked.current < 20 { await Task.yield() }
            slow.release()
        }
        #expect((1..<20).contains(refreshes.count))
    }

    @Test func `Refreshes for different scopes go one after the other`() async throws {
        _ = try await app.signedIn()
        let counting = Counting(server)
        let result = try #require(
            try TestApp(storage: app.storage, transport: counting).nativeAuth.getNativeAuthUserAccount())
        let names = (0..<8).map { "s\($0)" }
        server.on("/elsewhere/token", .tokens("second", scope: names.joined(separator: " ")))
        await withTaskGroup(of: Void.self) { tasks in
            for name in names { tasks.addTask { _ = await self.token(result, [name], forced: true) } }
        }
        #expect(refreshes.count == 8)
        #expect(counting.most == 1)
    }

    @Test func `Signing out forgets everything on the device, and asks no server`() async throws {
        let result = try await app.signedIn()
        let other = try #require(app.nativeAuth.getNativeAuthUserAccount())
        let count = server.requests.count
        result.signOut()
        #expect(app.nativeAuth.getNativeAuthUserAccount() == nil)
        #expect(app.storage.items.current.isEmpty)
        for result in [result, other] {
            guard case .failure(let error) = await token(result) else {
                Issue.record("must fail")
                return
            }
            #expect(error.cause?.isSignedOut == true)
            #expect(error.flags.isEmpty)
        }
        #expect(server.requests.count == count)
    }

    @Test func `A refresh that ends after the sign-out does not sign the user in again`() async throws {
        let result = try await app.signedIn()
        let slow = Hold(server)
        let app = try TestApp(storage: app.storage, transport: slow)
        let held = try #require(app.nativeAuth.getNativeAuthUserAccount())
        async let refreshed = token(held, forced: true)
        await slow.hasStarted()
        result.signOut()
        slow.release()
        guard case .failure(let error) = await refreshed else {
            Issue.record("must fail")
            return
        }
        #expect(error.cause?.isSignedOut == true)
        #expect(app.nativeAuth.getNativeAuthUserAccount() == nil)
    }

    @Test func `Another's tokens are not taken for the account's`() async throws {
        let result = try await app.signedIn()
        server.on("/elsewhere/token", .tokens("second", uid: "somebody else"))
        guard case .failure(let error) = await token(result, forced: true) else {
            Issue.record("must fail")
            return
        }
        #expect(error.cause?.isUnexpectedAnswer == true)
        #expect(app.nativeAuth.getNativeAuthUserAccount()?.account.identifier == "oid.tid")
    }

    @Test func `A refresh may leave out what has not changed`() async throws {
        let result = try await app.signedIn()
        server.on("/elsewhere/token", #"{"access_token":"bare","expires_in":60}"#)
        let fresh = try await token(result, forced: true) { $0.returnRefreshToken = true }.get()
        #expect(fresh.accessToken == "bare")
        #expect(fresh.refreshToken == "rt-first")
        #expect(fresh.scopes == ["openid", "profile", "offline_access"])
        #expect(result.account.username == "ada@example.com")
    }
}

/// Lets a request wait until it is told to go on.
final class Hold: HTTPTransport {
    private let server: ScriptedServer
    private let (started, start) = AsyncStream.makeStream(of: Void.self)
    private let (released, letGo) = AsyncStream.makeStream(of: Void.self)

    init(_ server: ScriptedServer) { self.server = server }

    func hasStarted() async { for await _ in started { return } }
    func release() { letGo.finish() }

    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        start.yield()
        for await _ in released {}
        return try await server.send(request)
    }
}

/// Knows how many requests were under way at once.
private final class Counting: HTTPTransport {
    private let server: ScriptedServer
    private let counts = Locked((now: 0, most: 0))

    init(_ server: ScriptedServer) { self.server = server }

    var most: Int { counts.current.most }

    func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        counts.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
        for _ in 0..<200 { await Task.yield() }
        counts.withLock { $0.now -= 1 }
        return try await server.send(request)
    }
}
