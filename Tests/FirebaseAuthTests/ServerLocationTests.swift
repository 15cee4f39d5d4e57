import ClientHTTP
import Foundation
import Testing

@testable import FirebaseAuth

@Suite struct ServerLocationTests {
    private let server = ScriptedServer()

    private func auth(environment: [String: String] = [:], key: String? = "K") -> Auth {
        let options = FirebaseOptions()
        options.apiKey = key
        return Auth(app: FirebaseApp(name: "t", options: options), transport: server, environment: environment)
    }

    /// The URL that a sign-in asks, and the error's code where it asks none.
    private func asked(_ auth: Auth) async -> (url: String?, code: AuthErrorCode.Code?) {
        let code = await code { try await auth.signIn(withEmail: "a@b.c", password: "p") }
        return (server.requests.last?.url.absoluteString, code)
    }

    private static let path = "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword"

    /// Source: Firebase API reference for Swift, `Auth.useEmulator`.
    @Test(arguments: [
        ("localhost", "http://localhost:9099"), ("10.0.0.7", "http://10.0.0.7:9099"),
        ("::1", "http://[::1]:9099"), ("[::1]", "http://[::1]:9099"), ("2001:db8::7", "http://[2001:db8::7]:9099"),
        ("fe80::1%eth0", "http://[fe80::1%25eth0]:9099"),
    ])
    func `An emulator is asked over http, an IPv6 address in brackets`(host: String, base: String) async {
        let auth = auth()
        auth.useEmulator(withHost: host, port: 9099)
        #expect(await asked(auth).url == base + Self.path + "?key=K")
        #expect(auth.settings?.appVerificationDisabledForTesting == true)
    }

    @Test(arguments: [
        ("https://auth.example.org", "https://auth.example.org"), ("https://x.y/sub/", "https://x.y/sub"),
        ("https://x.y:8443/?a=b#c", "https://x.y:8443"), ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://localhost:8080/", "http://localhost:8080"), ("http://[::1]:8080", "http://[::1]:8080"),
    ])
    func `A server is asked below its URL`(url: String, base: String) async throws {
        let auth = auth()
        auth.useServer(try #require(URL(string: url)))
        #expect(await asked(auth).url == base + Self.path + "?key=K")
    }

    @Test(arguments: ["http://auth.example.org", "http://10.0.0.7:8080", "http://127.0.0.1.evil.example"])
    func `A server elsewhere is not asked over plain http`(url: String) async throws {
        let auth = auth()
        auth.useServer(try #require(URL(string: url)))
        let asked = await asked(auth)
        #expect(asked.code == .insecureConnectionRefused)
        #expect(asked.url == nil)
    }

    @Test(arguments: ["ftp://x.y", "file:///x", "relative", "https://"])
    func `What is no server's URL makes every call fail`(url: String) async throws {
        let auth = auth()
        auth.useServer(try #require(URL(string: url)))
        let asked = await asked(auth)
        #expect(asked.code == .serverNotConfigured)
        #expect(asked.url == nil)
    }

    @Test(arguments: [("", 80), ("x", 0), ("x", 65_536), ("x", -1), ("a b", 80)])
    func `An impossible emulator makes every call fail and never traps`(host: String, port: Int) async {
        let auth = auth()
        auth.useEmulator(withHost: host, port: port)
        let asked = await asked(auth)
        #expect(asked.code != nil)
        #expect(asked.url == nil || host == "a b")
    }

    @Test func `The environment says where the server is, and the app overrules it`() async throws {
        let auth = auth(environment: ["COUNTERSIGN_URL": "http://127.0.0.1:8080"])
        #expect(await asked(auth).url == "http://127.0.0.1:8080" + Self.path + "?key=K")
        auth.useServer(try #require(URL(string: "https://x.y")))
        #expect(await asked(auth).url == "https://x.y" + Self.path + "?key=K")
    }

    @Test func `Without configuration no server is asked`() async {
        let asked = await asked(auth())
        #expect(asked.code == .serverNotConfigured)
        #expect(asked.url == nil)
    }

    @Test func `A key is percent-encoded, and left out where there is none`() async {
        let odd = auth(key: "a b&c")
        odd.useEmulator(withHost: "localhost", port: 1)
        #expect(await asked(odd).url?.hasSuffix("?key=a%20b%26c") == true)
        let none = auth(key: nil)
        none.useEmulator(withHost: "localhost", port: 1)
        #expect(await asked(none).url == "http://localhost:1" + Self.path)
        let environment = ["COUNTERSIGN_URL": "http://127.0.0.1:1", "COUNTERSIGN_API_KEY": "E"]
        #expect(await asked(auth(environment: environment, key: nil)).url?.hasSuffix("?key=E") == true)
        #expect(await asked(auth(environment: environment)).url?.hasSuffix("?key=K") == true)
    }
}

@Suite struct FirebaseAppTests {
    @Test func `An app keeps a copy of its options, and a name its first app`() async {
        let options = FirebaseOptions(googleAppID: "1:2:ios:3", gcmSenderID: "2")
        options.apiKey = "first"
        FirebaseApp.configure(name: "keeps a copy", options: options)
        options.apiKey = "changed"
        let app = FirebaseApp.app(name: "keeps a copy")
        #expect(app?.options.apiKey == "first")
        FirebaseApp.configure(name: "keeps a copy", options: options)
        #expect(FirebaseApp.app(name: "keeps a copy") === app)
        #expect(FirebaseApp.allApps?["keeps a copy"] === app)
        #expect(await app?.delete() == true)
        #expect(FirebaseApp.app(name: "keeps a copy") == nil)
    }

    @Test func `One app has one Auth`() async throws {
        FirebaseApp.configure(name: "one auth", options: FirebaseOptions())
        let app = try #require(FirebaseApp.app(name: "one auth"))
        #expect(Auth.auth(app: app) === Auth.auth(app: app))
        #expect(Auth.auth(app: app).app === app)
        await app.delete()
    }
}
