#if !canImport(Security)
    import ClientHTTP
    import ClientStorage
    import Foundation
    import JSON
    import KeychainTestSupport
    import MSAL
    import SecretVault
    import Testing

    @_spi(Testing) import KeychainServices

    extension KeychainSuite {
        /// What MSAL keeps in the keychain.
        @Suite struct MSALAccountStorageTests {
            /// An application of its own for each name.
            private func application(
                _ name: String, group: String? = nil
            ) throws -> MSALNativeAuthPublicClientApplication {
                let authority = try MSALCIAMAuthority(
                    url: #require(URL(string: "http://127.0.0.1:8080/\(name.percentEncoded)")))
                let config = MSALNativeAuthPublicClientApplicationConfig(
                    clientId: "app", authority: authority, challengeTypes: [.password])
                config.cacheConfig.keychainSharingGroup = group
                return try MSALNativeAuthPublicClientApplication(
                    nativeAuthConfiguration: config, environment: ClientEnvironment(transport: Signing()))
            }

            private func signIn(_ application: MSALNativeAuthPublicClientApplication) async throws {
                let parameters = MSALNativeAuthSignInParameters(username: "ada@example.com")
                parameters.password = "password"
                guard case .completed = await application.signIn(parameters: parameters) else {
                    throw CancellationError()
                }
            }

            @Test func `The account outlives the process and the sign out ends it`() async throws {
                let presence = ScriptedPresence(always: "correct horse")
                try await TestVault.with(presence) { directory in
                    let asked = presence.requests.count
                    let nativeAuth = try application("kept")
                    #expect(nativeAuth.getNativeAuthUserAccount() == nil)
                    try await signIn(nativeAuth)
                    // Tokens that an app needs when it starts cause no prompt.
                    #expect(presence.requests.count == asked)
                    KeychainVault.reset()
                    try await TestVault.configure(.scripted("correct horse"), directory: directory)
                    let later = try application("kept")
                    let result = try #require(later.getNativeAuthUserAccount())
                    #expect(result.account.username == "s")
                    let parameters = MSALNativeAuthGetAccessTokenParameters()
                    guard case .completed(let token) = await result.getAccessToken(parameters: parameters) else {
                        Issue.record("the token is in the cache")
                        return
                    }
                    #expect(token.accessToken == "at")
                    result.signOut()
                    #expect(try application("kept").getNativeAuthUserAccount() == nil)
                }
            }

            @Test func `Tenants are kept apart and a vault has one group`() async throws {
                try await TestVault.with(.scripted("correct horse")) { _ in
                    try await signIn(application("one"))
                    #expect(try application("two").getNativeAuthUserAccount() == nil)
                    try await signIn(application("two"))
                    try #require(try application("two").getNativeAuthUserAccount()).signOut()
                    #expect(try application("two").getNativeAuthUserAccount() == nil)
                    #expect(try application("one", group: "group").getNativeAuthUserAccount() != nil)
                }
            }

            @Test func `Without a vault the account is kept in memory`() async throws {
                KeychainVault.reset()
                try await signIn(application("memory"))
                try await signIn(application("memory, too"))
                // Of the same process: another application with the same server and id finds it.
                let result = try #require(try application("memory").getNativeAuthUserAccount())
                result.signOut()
                #expect(try application("memory").getNativeAuthUserAccount() == nil)
                #expect(try application("memory, too").getNativeAuthUserAccount() != nil)
            }

            @Test func `What only the memory takes is told`() async throws {
                let told = Locked(0)
                let store = KeychainStore(service: "told") { told.withLock { $0 += 1 } }
                KeychainVault.reset()
                try store.save(Data("a".utf8), for: "a")
                #expect(told.current == 1)
                #expect(try store.data(for: nil) == Data("a".utf8))
                try await TestVault.with(.scripted("correct horse")) { _ in
                    try store.save(Data("b".utf8), for: "b")
                    #expect(told.current == 1)
                    #expect(try store.data(for: "b") == Data("b".utf8))
                }
            }
        }
    }

    /// Signs any user in.
    private struct Signing: HTTPTransport {
        func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
            let info = #"{"uid":"u","utid":"t"}"#
            let body =
                request.url.path.hasSuffix("token")
                ? #"{"access_token":"at","refresh_token":"rt","expires_in":3600,"id_token":"e30.\#(base64(#"{"sub":"s"}"#)).","#
                    + #""client_info":"\#(base64(info))"}"#
                : #"{"challenge_type":"password","continuation_token":"t"}"#
            return HTTPClientResponse(status: 200, body: Data(body.utf8))
        }

        private func base64(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
        }
    }
#endif
