import ClientHTTP
import Foundation
import SecurityChecksWire
import Testing

@testable import IBMMobileFirstPlatformFoundation

/// Servers that answer what no server should.
@Suite struct MalformedAnswerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let endpoint: String
        let status: Int
        let headers: [String: String]
        let body: String
        let code: WLErrorCode

        init(
            _ endpoint: String, _ status: Int, _ body: String = "", _ headers: [String: String] = [:],
            _ code: WLErrorCode = .unexpectedError
        ) {
            self.endpoint = endpoint
            self.status = status
            self.headers = headers
            self.body = body
            self.code = code
        }

        var testDescription: String { "\(endpoint) \(status) \(body) \(headers)" }
    }

    private static let challenge = ["WWW-Authenticate": "MFP-Challenge"]

    @Test(arguments: [
        Case(Endpoint.registration, 201), Case(Endpoint.registration, 201, "{}", ["Location": ""]),
        Case(Endpoint.registration, 201, "{}", ["Location": "/mfp/api/registration/clients/a%22b"]),
        Case(Endpoint.registration, 201, "<html>", ["Location": "/clients/a"]),
        Case(Endpoint.registration, 500, "oops", [:], .serverError),
        Case(Endpoint.registration, 403, #"{"errorMsg":"no"}"#, [:], .authorizationFailure),
        Case(Endpoint.preauthorize, 401, "", challenge), Case(Endpoint.preauthorize, 401, "[]", challenge),
        Case(Endpoint.preauthorize, 401, #"{"challenges":{}}"#, challenge),
        Case(Endpoint.preauthorize, 401, #"{"challenges":7}"#, challenge),
        Case(Endpoint.preauthorize, 401, #"{"challenges":{"Pin":{}}}"#, [:], .authorizationFailure),
        Case(Endpoint.preauthorize, 200, "<html>welcome</html>"), Case(Endpoint.preauthorize, 200, "[1]"),
        Case(Endpoint.preauthorize, 403, #"{"failures":{}}"#, [:], .authorizationFailure),
        Case(Endpoint.preauthorize, 403, "", [:], .authorizationFailure),
        Case(Endpoint.preauthorize, 302, "", ["Location": "http://127.0.0.1/login"], .authorizationFailure),
        Case(Endpoint.authorization, 200, "{}", [:], .authorizationFailure), Case(Endpoint.authorization, 302),
        Case(Endpoint.authorization, 302, "", ["Location": "http://evil.example?code=1"]),
        Case(Endpoint.authorization, 302, "", ["Location": "http://mfpredirecturi?code="]),
        Case(Endpoint.authorization, 302, "", ["Location": "http://mfpredirecturi"]),
        Case(
            Endpoint.authorization, 302, "", ["Location": "http://mfpredirecturi?error=invalid_scope"],
            .authorizationFailure),
        Case(Endpoint.token, 200), Case(Endpoint.token, 200, #"{"access_token":""}"#),
        Case(Endpoint.token, 200, "{\"access_token\":\"a\\nb\"}"), Case(Endpoint.token, 200, #"{"access_token":7}"#),
        Case(Endpoint.token, 400, #"{"error":"invalid_grant"}"#, [:], .authorizationFailure),
    ])
    func `A malformed answer is an error, and the client goes on afterwards`(fault: Case) async throws {
        let app = App()
        app.handle("Pin", .later)
        app.server.on(fault.endpoint) { _ in
            HTTPClientResponse(status: fault.status, headers: fault.headers, body: Data(fault.body.utf8))
        }
        #expect(await code { try await app.get("balance", scope: "accessRestricted") } == fault.code)
        let server = app.server
        server.on(fault.endpoint) { server.usual($0) }
        #expect(try await app.get("balance", scope: "accessRestricted") == "19938.80")
    }

    @Test func `A server that asks for the same for ever is given up`() async throws {
        let app = App()
        app.server.on(
            Endpoint.preauthorize, { _ in StandIn.challenge(#""registration-client-id":{"clientID":"x"}"#) })
        #expect(await code { try await app.get("balance", scope: "accessRestricted") } == .unexpectedError)
        #expect(app.server.count(Endpoint.preauthorize) == 11)
    }

    @Test(arguments: [#""text""#, "7", "[1]", "null", "true"])
    func `G4: a challenge that is no object reaches the handler as nothing`(value: String) async throws {
        let app = App()
        app.server.on(
            Endpoint.preauthorize, { _ in StandIn.challenge(#""Pin":\#(value)"#, successes: #""Other":\#(value)"#) },
            { _ in StandIn.granted(#""Pin":\#(value)"#) })
        let pin = app.handle("Pin", .answer(["pin": "1"]))
        try await app.get("balance", scope: "accessRestricted")
        #expect(pin.all == ["challenge nil", "success nil"])
    }

    @Test(arguments: [-1, 0, nil, 9_000_000_000_000] as [Int?])
    func `A token's life may be anything`(seconds: Int?) async throws {
        let app = App()
        let life = seconds.map { #","expires_in":\#($0)"# } ?? ""
        app.server.on(Endpoint.token) { _ in StandIn.json(#"{"access_token":"t"\#(life)}"#) }
        #expect(try await app.manager.obtainAccessToken(forScope: "a b").scope == "a b RegisteredClient")
        _ = try await app.manager.obtainAccessToken(forScope: "a b")
        #expect(app.server.count(Endpoint.token) == ((seconds ?? 0) > 0 ? 1 : 2))
    }

    @Test func `A server that cannot be reached is told as such`() async throws {
        let app = App()
        app.server.on(Endpoint.preauthorize) { _ in throw HTTPClientError.timedOut(after: 1) }
        #expect(await code { try await app.get("balance", scope: "accessRestricted") } == .requestTimeout)
        app.server.on(Endpoint.preauthorize) { _ in throw HTTPClientError.unreachable(URLError(.cannotConnectToHost)) }
        #expect(await code { try await app.manager.login("Pin", withCredentials: [:]) } == .unresponsiveHost)
        let server = app.server
        server.on(Endpoint.preauthorize) { server.usual($0) }
        try await app.manager.login("Pin", withCredentials: [:])
    }
}
