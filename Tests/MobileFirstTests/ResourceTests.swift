import ClientHTTP
import Foundation
import SecurityChecksWire
import Testing

@testable import IBMMobileFirstPlatformFoundation

/// What a client does with answers of resources. Source: MobileFirst's web SDK.
@Suite struct ResourceTests {
    private let app = App()
    private var server: StandIn { app.server }

    @Test func `A first request finds out what it needs, and a second one knows`() async throws {
        #expect(try await app.get("balance") == "19938.80")
        #expect(
            server.trace == [
                "GET balance", "POST self", "POST preauthorize", "GET authorization", "POST token", "GET balance",
                "POST preauthorize", "GET authorization", "POST token", "GET balance",
            ])
        try await app.get("balance")
        #expect(server.trace.count == 11)
        #expect(server.requests.last?.headers["Authorization"] == "Bearer token-2")
    }

    @Test func `A named scope spares the first request`() async throws {
        try await app.get("balance", scope: "accessRestricted")
        #expect(
            server.trace == ["POST self", "POST preauthorize", "GET authorization", "POST token", "GET balance"])
    }

    @Test func `Public data needs no registration`() async throws {
        #expect(try await app.get("publicData") == "Lorem")
        #expect(server.trace == ["GET publicData"])
    }

    @Test func `A token that is no good any more is replaced in silence`() async throws {
        try await app.get("balance")
        server.forgetTokens()
        #expect(try await app.get("balance") == "19938.80")
        #expect(server.count(Endpoint.token) == 3)
        #expect(server.trace.suffix(2) == ["POST token", "GET balance"])
    }

    @Test func `An expired token is not sent`() async throws {
        try await app.get("balance")
        app.clock.advance(3_601)
        try await app.get("balance")
        #expect(server.count("balance") == 4)
        #expect(server.count(Endpoint.token) == 3)
    }

    @Test(arguments: [("a b", "b a"), ("a", "RegisteredClient a"), ("", "RegisteredClient")])
    func `The same scope in another order has the same token`(first: String, second: String) async throws {
        let one = try await app.manager.obtainAccessToken(forScope: first)
        let two = try await app.manager.obtainAccessToken(forScope: second)
        #expect(one.value == two.value)
        #expect(server.count(Endpoint.token) == 1)
        app.manager.clearAccessToken(two)
        #expect(try await app.manager.obtainAccessToken(forScope: first).value == "token-2")
    }

    @Test func `Conflicts are sent again unchanged`() async throws {
        server.on(
            "publicData", { _ in HTTPClientResponse(status: 409, headers: ["MFP-Conflict": "x"]) },
            { _ in HTTPClientResponse(status: 409, headers: ["MFP-Conflict": "x"]) },
            { _ in HTTPClientResponse(status: 200, body: Data("ok".utf8)) })
        #expect(try await app.get("publicData") == "ok")
        server.on("publicData", { _ in HTTPClientResponse(status: 409, headers: ["MFP-Conflict": "x"]) })
        let error = await #expect(throws: WLError.self) { try await app.get("publicData") }
        #expect(error?.response?.status == 409)
        #expect(server.count("publicData") == 3 + 8)
    }

    @Test(arguments: [403, 401])
    func `A resource that never has enough fails after five requests`(status: Int) async throws {
        server.on(
            "publicData",
            { _ in StandIn.needs(status == 403 ? .insufficientScope(Scope("a")) : .invalidToken, status: status) })
        let error = await #expect(throws: WLError.self) { try await app.get("publicData") }
        #expect(error?.code == .authorizationFailure)
        #expect(error?.message.hasPrefix("Cannot retrieve a valid authorization header for") == true)
        #expect(error?.response?.status == Int32(status))
        #expect(server.count("publicData") == 5)
    }

    @Test(arguments: [
        (401, ""), (403, ""), (401, "Basic realm=\"x\""), (403, "Bearer error=\"invalid_request\""),
        (401, "Bearer error=\"insufficient_user_authentication\", max_age=\"5\""), (409, ""),
        (500, ""),
        (302, ""), (404, ""),
    ])
    func `Other refusals are the app's`(status: Int, header: String) async throws {
        server.on("publicData") { _ in
            HTTPClientResponse(status: status, headers: ["WWW-Authenticate": header], body: Data("own".utf8))
        }
        let error = await #expect(throws: WLError.self) { try await app.get("publicData") }
        #expect(error?.response?.status == Int32(status))
        #expect(error?.response?.responseText == "own")
        #expect(server.trace == ["GET publicData"])
    }

    @Test func `A scope that cannot be had because the server fails is forgotten`() async throws {
        try await app.get("balance")
        app.clock.advance(3_601)
        server.on(Endpoint.preauthorize, { _ in HTTPClientResponse(status: 500) })
        #expect(await code { try await app.get("balance") } == .serverError)
        server.on(Endpoint.preauthorize, { _ in StandIn.granted() })
        let count = server.count("balance")
        try await app.get("balance")
        // Asked without a token first.
        #expect(server.requests(to: "balance")[count].headers["Authorization"] == nil)
    }

    @Test func `Queries, headers and bodies go as they were set`() async throws {
        server.on("publicData", { _ in StandIn.json(#"{"a":1}"#) })
        let request = try app.request("/adapters/ResourceAdapter/publicData?x=1", method: "post")
        request.setQueryParameterValue("ä &", forName: "name")
        request.setHeaderValue("one" as NSString, forName: "X-Many")
        request.addHeaderValue("two" as NSString, forName: "x-many")
        #expect(request.headers(forName: "X-MANY") as? [String] == ["one", "two"])
        #expect(request.header(forName: "x-many") == "one")
        app.client.addGlobalHeader("X-Global", headerValue: "g")
        let response = try await request.send(withFormParameters: ["amount": 5, "to": "a b"])
        #expect(response.responseJSON["a"] as? Int == 1)
        let sent = try #require(server.requests.last)
        #expect(
            sent.url.absoluteString
                == "http://127.0.0.1:8080/mfp/api/adapters/ResourceAdapter/publicData?x=1&name=%C3%A4%20%26")
        #expect(sent.headers["X-Many"] == "one, two")
        #expect(sent.headers["X-Global"] == "g")
        #expect(sent.body == Data("amount=5&to=a%20b".utf8))
        _ = try await app.request("/adapters/ResourceAdapter/publicData", method: "PUT")
            .send(withJSON: ["list": [1, true, NSNull(), 1.5], "text": "t"])
        #expect(server.requests.last?.body == Data(#"{"list":[1,true,null,1.5],"text":"t"}"#.utf8))
        _ = try await app.request("/adapters/ResourceAdapter/publicData", method: "GET").send(withBody: "no")
        #expect(server.requests.last?.body == nil)
    }

    @Test func `Cookies of the server come back to it alone`() async throws {
        server.on("publicData") { _ in
            HTTPClientResponse(status: 200, headers: ["Set-Cookie": "route=one; Path=/"])
        }
        try await app.get("publicData")
        try await app.get("publicData")
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "route=one"])
        _ = try? await app.request("https://elsewhere.example/publicData").send()
        #expect(server.requests.last?.headers["Cookie"] == nil)
    }

    @Test func `Plain http to another machine is refused`() async throws {
        #expect(
            await code { _ = try await app.request("http://192.0.2.1/publicData").send() } == .illegalArgument)
        app.client.setServerUrl(URL(string: "http://mfp.example.com:9080/mfp"))
        #expect(await code { try await app.get("publicData") } == .illegalArgument)
        #expect(server.requests.isEmpty)
    }

    @Test func `A key that cannot be pinned lets nothing out`() async throws {
        app.client.pinTrustedCertificatePublicKey(fromFile: "server.cer")
        #expect(await code { try await app.get("publicData") } == .unexpectedError)
        #expect(server.requests.isEmpty)
    }

    @Test func `The manager reads what an answer asks for`() throws {
        let headers = ["WWW-Authenticate": #"Bearer error="insufficient_scope", scope="b RegisteredClient""#]
        #expect(app.manager.isAuthorizationRequired(forStatus: 403, headers: headers))
        #expect(!app.manager.isAuthorizationRequired(forStatus: 200, headers: headers))
        #expect(!app.manager.isAuthorizationRequired(forStatus: 403, headers: [:]))
        #expect(app.manager.resourceScope(fromHeaders: headers) == "b RegisteredClient")
        let swift = WLAuthorizationManagerSwift(session: app.session)
        #expect(swift.isAuthorizationRequired(status: 401, headers: ["www-authenticate": "Bearer"]))
        #expect(swift.resourceScope(responseHeaders: [:]) == "")
    }

    @Test func `The least used scopes are forgotten`() {
        var memory = ScopeMemory()
        for number in 0..<ScopeMemory.limit { memory.remember(Scope("s"), for: "\(number)") }
        _ = memory.scope(for: "0")
        memory.remember(Scope("s"), for: "new")
        #expect(memory.scope(for: "0") != nil && memory.scope(for: "1") == nil && memory.scope(for: "new") != nil)
    }
}
