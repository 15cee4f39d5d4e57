import ClientHTTP
import Foundation
import SecurityChecksWire
import Testing

@testable import IBMMobileFirstPlatformFoundation

/// Gateways that want a login of their own. Source: MobileFirst client API reference.
@Suite struct GatewayTests {
    private let app = App()
    private var server: StandIn { app.server }

    /// Admits clients with the cookie of its form.
    private func standGateway(before suffix: String) {
        let server = server
        server.on(suffix) { request in
            request.headers["Cookie"] == "session=open" ? server.usual(request) : Gate.page
        }
        server.on("/login") { request in
            request.field("user") == "ada"
                ? HTTPClientResponse(
                    status: 200, headers: ["Set-Cookie": "session=open; Path=/"], body: Data("in".utf8))
                : HTTPClientResponse(status: 403, body: Data("out".utf8))
        }
    }

    private func register(_ users: String...) -> Events {
        let gate = Gate(gatewayName: "gate")
        gate.users = users
        app.client.registerChallengeHandler(gate)
        return gate.events
    }

    @Test(arguments: ["publicData", Endpoint.preauthorize])
    func `After the gateway's login the same request is sent again`(suffix: String) async throws {
        standGateway(before: suffix)
        let events = register("ada")
        if suffix == "publicData" {
            #expect(try await app.get("publicData") == "Lorem")
        } else {
            #expect(try await app.get("balance", scope: "accessRestricted") == "19938.80")
        }
        #expect(events.all == ["page", "in"])
        #expect(server.count(suffix) == 2)
    }

    @Test func `A gateway that refuses fails the request, and the next one asks again`() async throws {
        standGateway(before: "publicData")
        let events = register("eve", "ada")
        #expect(await code { try await app.get("publicData") } == .challengeHandlingCancelled)
        #expect(events.all == ["page", "out 403"])
        #expect(try await app.get("publicData") == "Lorem")
    }

    @Test func `The manager knows a gateway's answer`() {
        _ = register()
        #expect(app.manager.isGatewayResponse(WLResponse(Gate.page)))
        #expect(!app.manager.isGatewayResponse(WLResponse(StandIn.granted())))
    }
}

private final class Gate: GatewayChallengeHandlerSwift {
    static let page = HTTPClientResponse(status: 200, body: Data("<form>".utf8))
    let events = Events()
    var users: [String] = []

    override func canHandleResponse(response: WLResponseSwift) -> Bool { response.responseText == "<form>" }

    override func handleChallenge(response: WLResponseSwift) {
        events.log.withLock { $0.append("page") }
        submitLoginForm(
            requestUrl: "/login", requestParameters: ["user": users.isEmpty ? "" : users.removeFirst()],
            requestHeaders: nil)
    }

    override func onSuccess(successResponse: WLResponseSwift) {
        events.log.withLock { $0.append(successResponse.responseText) }
        submitSuccess(response: successResponse)
    }

    override func onFailure(failureResponse: WLFailResponseSwift) {
        events.log.withLock { $0.append("out \(failureResponse.status)") }
        cancel()
    }
}
