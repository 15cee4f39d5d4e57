import ClientHTTP
import Foundation
import MSAL
import NativeAuthWire
import Testing

/// Who is signed in, and what is kept of them. Source: MSAL for iOS.
@Suite struct AccountTests {
    typealias Answer = ScriptedServer.Answer

    @Test func `An account says what its ID token does, and not what the token's header does`() async throws {
        let app = try TestApp()
        app.server.on(.initiate, .token("t1"))
        app.server.on(.challenge, .password("t2"))
        app.server.on(
            .token,
            .tokens(
                "x",
                claims: #""preferred_username":" Ada@Example.com ","roles":["a","b"],"level":3,"beta":true,"none":null"#
            ))
        let parameters = MSALNativeAuthSignInParameters(username: "ada")
        parameters.password = "p"
        guard case .completed(let result) = await app.nativeAuth.signIn(parameters: parameters) else {
            Issue.record("must sign in")
            return
        }
        let account = result.account
        #expect(account.username == "ada@example.com")
        #expect(account.identifier == "oid.tid")
        #expect(account.homeAccountId?.objectId == "oid")
        #expect(account.homeAccountId?.tenantId == "tid")
        #expect(account.environment == "127.0.0.1")
        let claims = try #require(account.accountClaims)
        #expect(claims["preferred_username"] as? String == " Ada@Example.com ")
        #expect(claims["roles"] as? [String] == ["a", "b"])
        #expect(claims["level"] as? Int == 3)
        #expect(claims["beta"] as? Bool == true)
        #expect(claims["none"] is NSNull)
        #expect(claims["alg"] == nil)
        #expect(claims["kid"] == nil)
        #expect(account.tenantProfiles?.first?.claims?["level"] as? Int == 3)
        #expect(result.idToken?.split(separator: ".").count == 2)
    }

    @Test func `Without a preferred name the subject is the name`() async throws {
        let app = try TestApp()
        let storage = app.storage
        _ = try await app.signedIn()
        app.server.on(.token, .tokens("x", claims: #""email":"a@b.c""#))
        let parameters = MSALNativeAuthSignInParameters(username: "ada")
        parameters.password = "p"
        _ = await app.nativeAuth.signIn(parameters: parameters)
        #expect(app.nativeAuth.getNativeAuthUserAccount()?.account.username == "s")
        #expect(storage.items.current.count == 1)
    }

    @Test func `The account outlives the application, and one takes the other's place`() async throws {
        let storage = MemoryStorage()
        let first = try TestApp(storage: storage)
        #expect(first.nativeAuth.getNativeAuthUserAccount() == nil)
        _ = try await first.signedIn()
        let later = try TestApp(storage: storage)
        #expect(later.nativeAuth.getNativeAuthUserAccount()?.account.identifier == "oid.tid")
        later.server.on(.initiate, .token("t1"))
        later.server.on(.challenge, .password("t2"))
        later.server.on(.token, .tokens("x", uid: "other"))
        let parameters = MSALNativeAuthSignInParameters(username: "bob")
        parameters.password = "p"
        _ = await later.nativeAuth.signIn(parameters: parameters)
        #expect(first.nativeAuth.getNativeAuthUserAccount()?.account.identifier == "other.tid")
        #expect(storage.items.current.keys.sorted() == ["other.tid"])
        #expect(later.server.requests.allSatisfy { $0.method == "POST" })
    }

    @Test func `A cache that fails does not fail the sign-in`() async throws {
        let app = try TestApp()
        app.storage.isBroken.withLock { $0 = true }
        let result = try await app.signedIn()
        #expect(result.account.username == "ada@example.com")
        #expect(app.nativeAuth.getNativeAuthUserAccount() == nil)
        result.signOut()
    }

    @Test func `What cannot be read is no account`() async throws {
        let app = try TestApp()
        _ = try await app.signedIn()
        app.storage.items.withLock { $0 = ["oid.tid": Data("{}".utf8)] }
        #expect(app.nativeAuth.getNativeAuthUserAccount() == nil)
    }

    @Test func `An account that this version wrote stays readable`() throws {
        let storage = MemoryStorage()
        let written = #"""
            {"accessTokens":[{"expiresOn":1790003600,"scopes":["openid"],"token":"at"}],"environment":"h",
             "idToken":"\#(jwt(#"{"sub":"s"}"#))","objectID":"o","refreshToken":"rt","tenantID":"t","username":"u","version":1}
            """#
        storage.items.withLock { $0 = ["o.t": Data(written.utf8)] }
        let result = try #require(try TestApp(storage: storage).nativeAuth.getNativeAuthUserAccount())
        #expect(result.account.username == "u")
        #expect(result.account.accountClaims?["sub"] as? String == "s")
    }
}
