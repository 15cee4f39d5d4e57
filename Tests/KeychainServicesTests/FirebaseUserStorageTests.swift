#if !canImport(Security)
    import ClientHTTP
    import FirebaseAuth
    import Foundation
    import KeychainTestSupport
    import SecretVault
    import Testing

    @_spi(Testing) import KeychainServices

    extension KeychainSuite {
        /// What FirebaseAuth keeps in the keychain.
        @Suite struct FirebaseUserStorageTests {
            @Test func `The signed in user outlives the process`() async throws {
                try await TestVault.with(.scripted("correct horse")) { directory in
                    let storage = KeychainUserStorage()
                    #expect(try storage.user(forApp: "a") == nil)
                    try storage.save(Data("first".utf8), forApp: "a")
                    try storage.save(Data("other".utf8), forApp: "b")
                    try storage.save(Data("second".utf8), forApp: "a")
                    KeychainVault.reset()
                    try await TestVault.configure(.scripted("correct horse"), directory: directory)
                    let later = KeychainUserStorage()
                    #expect(try later.user(forApp: "a") == Data("second".utf8))
                    try later.removeUser(forApp: "a")
                    try later.removeUser(forApp: "a")
                    #expect(try storage.user(forApp: "a") == nil)
                    #expect(try storage.user(forApp: "b") == Data("other".utf8))
                }
            }

            @Test func `The signed in user needs no prompt`() async throws {
                let presence = ScriptedPresence(always: "correct horse")
                try await TestVault.with(presence) { _ in
                    let asked = presence.requests.count
                    let storage = KeychainUserStorage()
                    try storage.save(Data("user".utf8), forApp: "a")
                    #expect(try storage.user(forApp: "a") == Data("user".utf8))
                    try storage.removeUser(forApp: "a")
                    #expect(presence.requests.count == asked)
                }
            }

            @Test func `Without a vault users are kept in memory`() throws {
                KeychainVault.reset()
                let storage = KeychainUserStorage()
                #expect(try storage.user(forApp: "a") == nil)
                try storage.save(Data("user".utf8), forApp: "a")
                #expect(try storage.user(forApp: "a") == Data("user".utf8))
                #expect(try KeychainUserStorage().user(forApp: "a") == nil)
                try storage.removeUser(forApp: "a")
                #expect(try storage.user(forApp: "a") == nil)
            }

            @Test func `An app finds its user when it starts again`() async throws {
                let answer = #"""
                    {"localId":"u1","idToken":"id","refreshToken":"rt","expiresIn":"3600","email":"a@b.c",
                     "users":[{"localId":"u1","email":"a@b.c","emailVerified":true}]}
                    """#
                let transport = Answering(Data(answer.utf8))
                try await TestVault.with(.scripted("correct horse")) { _ in
                    let options = FirebaseOptions()
                    options.apiKey = "key"
                    let app = FirebaseApp(name: "kept", options: options)
                    let auth = Auth(app: app, transport: transport, storage: KeychainUserStorage())
                    auth.useEmulator(withHost: "127.0.0.1", port: 9099)
                    #expect(auth.currentUser == nil)
                    try await auth.signIn(withEmail: "a@b.c", password: "p")
                    let again = Auth(app: app, transport: transport, storage: KeychainUserStorage())
                    #expect(again.currentUser?.uid == "u1")
                    try again.signOut()
                    let last = Auth(app: app, transport: transport, storage: KeychainUserStorage())
                    #expect(last.currentUser == nil)
                }
            }
        }
    }

    /// Answers everything alike.
    private struct Answering: HTTPTransport {
        let body: Data

        init(_ body: Data) { self.body = body }

        func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
            HTTPClientResponse(status: 200, body: body)
        }
    }
#endif
