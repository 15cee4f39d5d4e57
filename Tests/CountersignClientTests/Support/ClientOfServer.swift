import ClientHTTP
import CountersignCore
import DialectTestSupport
import Foundation
import JSON
import Testing

@testable import CountersignClient

/// A client of a server in this process, with what it keeps.
struct ClientOfServer: Sendable {
    let server: TestServer
    let transport: ServerTransport
    let storage = MemoryTokenStorage()
    let session: CountersignSession

    init(
        _ server: TestServer, scopes: [String] = ["openid", "email", "offline_access"], resources: [String] = [],
        bindsTokens: Bool = false, pushesRequests: Bool = false
    ) {
        self.server = server
        transport = ServerTransport(server)
        let application = ClientApplication(
            issuer: ServerTransport.base, clientID: "dev-native", scopes: scopes, resources: resources,
            bindsTokens: bindsTokens, pushesRequests: pushesRequests)
        let surroundings = Surroundings(
            http: HTTPClient(transport: transport), now: { server.now },
            sleep: { seconds in try await server.advance(seconds + 1) })
        session = CountersignSession(application, storage: storage, surroundings)
    }

    /// Another start of the same app.
    func restarted() -> CountersignSession {
        CountersignSession(
            session.application, storage: storage,
            Surroundings(http: HTTPClient(transport: transport), now: { [server] in server.now }))
    }

    var account: String { "\(ServerTransport.base) dev-native" }

    var kept: KeptSession? {
        storage.data(for: account).flatMap { try? JSONDecoder().decode(KeptSession.self, from: $0) }
    }

    static func url(_ path: String) throws -> URL { try #require(URL(string: ServerTransport.base + path)) }

    func userInfo() async throws -> (status: Int, headers: [String: String], body: Data) {
        try await session.send("GET", Self.url("/userinfo"))
    }
}
