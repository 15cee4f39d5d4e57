import ClientHTTP
import Foundation
import SecurityChecksWire
import Testing

@testable import IBMMobileFirstPlatformFoundation

/// Answers before a challenge, and their end. Source: MobileFirst Runtime REST API.
@Suite struct LoginTests {
    private let app = App()
    private var server: StandIn { app.server }

    @Test func `A login answers the check and gives no token`() async throws {
        server.on(Endpoint.preauthorize, { _ in StandIn.granted(#""PinCodeAttempts":{}"#) })
        let pin = app.handle("PinCodeAttempts")
        try await app.manager.login("PinCodeAttempts", withCredentials: ["pin": "1234"])
        #expect(server.trace == ["POST self", "POST preauthorize"])
        #expect(
            server.requests.last?.body
                == Data(
                    #"{"challengeResponse":{"PinCodeAttempts":{"pin":"1234"}},"client_id":"client-1","scope":"PinCodeAttempts"}"#
                        .utf8))
        #expect(pin.all == ["success "])
    }

    @Test func `Wrong credentials ask the handler, and the login ends with its answer`() async throws {
        server.on(
            Endpoint.preauthorize, { _ in StandIn.challenge(#""Login":{"errorMsg":"Wrong Credentials"}"#) },
            { _ in StandIn.granted(#""Login":{}"#) })
        let login = app.handle("Login", .answer(["username": "ada", "password": "ada"]))
        try await app.manager.login("Login", withCredentials: ["username": "a", "password": "b"])
        #expect(login.all == ["challenge errorMsg=Wrong Credentials", "success "])
    }

    @Test func `A failure ends the login`() async throws {
        server.on(Endpoint.preauthorize, { _ in StandIn.failure(#""Login":{"failure":"Account blocked"}"#) })
        let login = app.handle("Login")
        #expect(
            await code { try await app.manager.login("Login", withCredentials: [:]) } == .authorizationFailure)
        #expect(login.all == ["failure failure=Account blocked"])
    }

    @Test func `A second login meanwhile is refused at once`() async throws {
        server.on(Endpoint.preauthorize, { _ in StandIn.challenge(#""Login":{}"#) }, { _ in StandIn.granted() })
        let events = app.handle("Login", .later)
        async let first: Void = app.manager.login("Login", withCredentials: ["username": "a"])
        try await events.reach(1)
        let error = await #expect(throws: WLError.self) {
            try await app.manager.login("Login", withCredentials: ["username": "b"])
        }
        #expect(error?.code == .loginAlreadyInProcess)
        #expect(error?.message == "Login already in process.")
        #expect(await code { try await app.manager.logout("Login") } == .authorizationFailure)
        (app.client.getChallengeHandler(bySecurityCheck: "Login") as? Handler)?.submitChallengeAnswer(["a": "b"])
        try await first
        try await app.manager.login("Login", withCredentials: ["username": "b"])
    }

    @Test func `A logout is signed and forgets all tokens`() async throws {
        try await app.get("balance")
        let tokens = server.count(Endpoint.token)
        try await app.manager.logout("PinCodeAttempts")
        let logout = try #require(server.requests(to: Endpoint.logout).first)
        #expect(logout.field("security_check") == "PinCodeAttempts")
        let parts = try #require(JWSParts(compact: logout.field("client_assertion") ?? ""))
        let claims = try JSONDecoder().decode(
            ClientAssertion.self, from: try #require(JWSParts.bytes(of: parts.payload)))
        #expect(claims.sub == "client-1" && claims.jti == nil && claims.aud == nil)
        try await app.get("balance")
        #expect(server.count(Endpoint.token) == tokens + 1)
    }

    @Test func `A logout before anything is refused, and a login after it works`() async throws {
        let error = await #expect(throws: WLError.self) { try await app.manager.logout("Login") }
        #expect(error?.code == .authorizationFailure)
        #expect(error?.message == "Cannot logout before client is registered.")
        #expect(server.requests.isEmpty)
        try await app.manager.login("Login", withCredentials: ["username": "a"])
    }

    @Test func `A logout during an authorization is refused`() async throws {
        server.on(Endpoint.preauthorize, { _ in StandIn.challenge(#""Pin":{}"#) }, { _ in StandIn.granted() })
        let pin = app.handle("Pin", .later)
        async let token = app.manager.obtainAccessToken(forScope: "a")
        try await pin.reach(1)
        let error = await #expect(throws: WLError.self) { try await app.manager.logout("Pin") }
        #expect(error?.message == "Cannot logout while authorization request is in progress.")
        (app.client.getChallengeHandler(bySecurityCheck: "Pin") as? Handler)?.submitChallengeAnswer(["pin": "1"])
        _ = try await token
        try await app.manager.logout("Pin")
    }

    @Test func `What is asked for during a logout waits for its end`() async throws {
        _ = try await app.manager.obtainAccessToken(forScope: "a")
        let gate = Promise<Bool>()
        server.on(Endpoint.logout) { _ in
            _ = try await gate.value()
            return StandIn.json("{}")
        }
        async let logout: Void = app.manager.logout("Pin")
        for _ in 0..<60_000 where server.count(Endpoint.logout) == 0 { try await Task.sleep(nanoseconds: 2_000_000) }
        #expect(await code { try await app.manager.logout("Pin") } == .logoutAlreadyInProcess)
        async let token = app.manager.obtainAccessToken(forScope: "b")
        async let login: Void = app.manager.login("Pin", withCredentials: ["pin": "1"])
        let before = server.requests.count
        gate.fulfil(.success(true))
        try await logout
        _ = try await token
        try await login
        #expect(before == server.requests(to: Endpoint.logout).count + 4)
    }

    @Test func `A logout of a client that the server has forgotten fails, and the next request registers`() async throws
    {
        _ = try await app.manager.obtainAccessToken(forScope: "a")
        server.on(Endpoint.logout, { _ in StandIn.unknownClient })
        #expect(await code { try await app.manager.logout("Pin") } == .authorizationFailure)
        _ = try await app.manager.obtainAccessToken(forScope: "a")
        #expect(server.count(Endpoint.registration) == 2)
    }

    @Test(arguments: ["", "a b"])
    func `A check's name is one word`(name: String) async {
        #expect(await code { try await app.manager.login(name, withCredentials: [:]) } == .illegalArgument)
    }

    @Test func `A sign of life is signed, once there is a registration`() async throws {
        let connection = try app.session.connection()
        await connection.beat()
        #expect(server.requests.isEmpty)
        _ = try await app.manager.obtainAccessToken(forScope: nil)
        await connection.beat()
        #expect(server.requests.last?.url.path.hasSuffix(Endpoint.heartbeat) == true)
        #expect(server.requests.last?.field("client_assertion")?.isEmpty == false)
    }
}
