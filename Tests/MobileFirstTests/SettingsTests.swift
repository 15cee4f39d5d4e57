import ClientHTTP
import Foundation
import JSON
import SecurityChecksWire
import Testing

@testable import IBMMobileFirstPlatformFoundation

/// Where the server is, what the app is, and values on their way to JSON. Source: MobileFirst Runtime REST API.
@Suite struct SettingsTests {
    @Test(
        arguments: [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/mfp/api"),
            ("http://localhost/", "http://localhost/mfp/api"),
            ("https://mfp.example.com/mfp", "https://mfp.example.com/mfp/api"),
            ("https://mfp.example.com/own/context/", "https://mfp.example.com/own/context/api"),
            ("https://mfp.example.com:9443/mfp/api?x=1#y", "https://mfp.example.com:9443/mfp/api"),
            ("ftp://mfp.example.com", nil), ("/mfp", nil), ("https://ada:pw@mfp.example.com", nil),
        ] as [(String, String?)])
    func `A server's URL has the context as its path`(text: String, base: String?) throws {
        let url = try #require(URL(string: text))
        #expect((try? ServerAddress(server: url))?.base == base)
    }

    @Test(
        arguments: [
            ("https://id.example.com", "https://id.example.com/mfp/api"),
            ("https://id.example.com/auth", "https://id.example.com/auth/mfp/api"), ("", nil),
        ] as [(String, String?)])
    func `The environment's URL stands in front`(text: String, base: String?) throws {
        #expect(try ServerAddress(environment: ["COUNTERSIGN_URL": text])?.base == base)
    }

    @Test func `What the app says counts more than the environment`() throws {
        let plist = ["protocol": "https", "host": "mfp.example.com", "port": "9443", "wlServerContext": "/mfp/"]
        let settings = ClientSettings(
            applicationID: "a", version: "1", propertyList: plist, environment: ["COUNTERSIGN_URL": "https://b"])
        #expect(try settings.address.get().base == "https://mfp.example.com:9443/mfp/api")
        let silent = ClientSettings(applicationID: "a", version: "1")
        #expect(throws: WLError.self) { try silent.address.get() }
    }

    @Test func `An app that names no server hears of it, and can name one later`() async throws {
        let server = StandIn()
        let session = SecuritySession(
            applicationID: "a", version: "1", server: nil, transport: server, storage: TestStorage(), keys: TestKeys())
        let manager = WLAuthorizationManager(session: session)
        #expect(await code { _ = try await manager.obtainAccessToken(forScope: nil) } == .illegalArgument)
        let client = WLClientSwift(session: session)
        #expect(client.serverUrl() == nil)
        let url = try #require(URL(string: "http://127.0.0.1:9080/mfp"))
        client.setServerUrl(url: url)
        #expect(client.serverUrl() == url)
        _ = try await manager.obtainAccessToken(forScope: nil)
        #expect(server.requests.first?.url.absoluteString == "http://127.0.0.1:9080/mfp/api/registration/v1/self")
    }

    @Test func `Another server has a registration and tokens of its own`() async throws {
        let app = App()
        _ = try await app.manager.obtainAccessToken(forScope: nil)
        app.client.setServerUrl(URL(string: "http://localhost:9"))
        _ = try await app.manager.obtainAccessToken(forScope: nil)
        #expect(app.server.count(Endpoint.registration) == 2)
        app.client.setServerUrl(URL(string: "http://127.0.0.1:8080"))
        _ = try await app.manager.obtainAccessToken(forScope: nil)
        #expect(app.server.count(Endpoint.registration) == 2)
    }

    @Test func `Tokens may be had elsewhere than resources`() async throws {
        let app = App()
        app.manager.setAuthorizationServerURL(URL(string: "http://localhost:9000/mfp"))
        try await app.get("balance", scope: "accessRestricted")
        #expect(Set(app.server.requests.dropLast().map { $0.url.host }) == ["localhost"])
        #expect(app.server.requests.first?.url.path.hasPrefix("/mfp/api/") == true)
        #expect(app.server.requests.last?.url.host == "127.0.0.1")
    }

    @Test func `What Foundation has for JSON becomes JSON`() throws {
        let value: [AnyHashable: Any] = [
            "text": "t" as NSString, "yes": true, "number": NSNumber(value: 7), "half": 0.5, "none": NSNull(),
            "list": [1, "a"] as [Any], "deep": ["x": ["y": false]], "small": Int8(1), "maybe": Int?.none as Any,
        ]
        #expect(
            try JSONValue(foundation: value)
                == .object([
                    "text": .string("t"), "yes": .bool(true), "number": .integer(7), "half": .number(0.5),
                    "none": .null,
                    "list": .array([.integer(1), .string("a")]), "deep": .object(["x": .object(["y": .bool(false)])]),
                    "small": .integer(1), "maybe": .null,
                ]))
        #expect(throws: WLError.self) { try JSONValue(foundation: [1: "a"] as [AnyHashable: Any]) }
        #expect(throws: WLError.self) { try JSONValue(foundation: Double.nan) }
        #expect(throws: WLError.self) { try JSONValue(foundation: Date()) }
    }

    @Test func `Errors are the vendor's for those who look at NSError`() {
        let error = WLError(.challengeHandlingCancelled, "m") as NSError
        #expect(error.domain == WLClientErrorDomain && error.code == 5)
        #expect(error.userInfo["errorCode"] as? String == "CHALLENGE_HANDLING_CANCELED")
        #expect(error.localizedDescription == "m")
        let fail = WLFailResponse(
            WLError(refusal: HTTPClientResponse(status: 400, body: Data(#"{"errorMsg":"no"}"#.utf8))))
        #expect(fail.errorMsg == "no" && fail.status == 400 && fail.errorCode == "AUTHORIZATION_FAILURE")
    }

    @Test func `A token's description keeps the token to itself`() {
        let token = AccessToken(token: "secret", withExpiration: 60, forScope: "a")
        #expect(!"\(token)".contains("secret"))
        #expect(token.asAuthorizationRequestHeaderField == "Bearer secret")
        #expect(token.asFormEncodedBodyParameter == "access_token=secret")
    }

    @Test func `Delegates and queues of both layers are told`() async throws {
        let app = App()
        app.server.on("publicData", { app.server.usual($0) }, { _ in HTTPClientResponse(status: 418) })
        let url = try #require(URL(string: "/adapters/ResourceAdapter/publicData"))
        let queue = DispatchQueue(label: "test")
        let delegate = Listener()
        WLResourceRequestSwift(session: app.session, url: url, method: "GET").send(
            responseQueue: queue, withDelegate: delegate)
        try await delegate.events.reach(1)
        WLResourceRequestSwift(session: app.session, url: url, method: "GET").send(withDelegate: delegate)
        try await delegate.events.reach(2)
        #expect(delegate.events.all == ["success Lorem", "failure 418"])
        WLClientSwift(session: app.session).send(request: URLRequest(url: url), delegate: delegate)
        try await delegate.events.reach(3)
        #expect(delegate.events.all.last == "failure 418")
    }
}

private final class Listener: WLDelegateSwift, Sendable {
    let events = Events()
    func onSuccess(response: WLResponseSwift) { events.log.withLock { $0.append("success \(response.responseText)") } }
    func onFailure(response: WLFailResponseSwift) { events.log.withLock { $0.append("failure \(response.status)") } }
}
