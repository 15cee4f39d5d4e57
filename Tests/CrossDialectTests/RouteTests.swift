import CountersignServer
import DialectTestSupport
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

/// The routes of all protocols and pages, which a server puts together in parts when they are first asked for.
@Suite("Routes")
struct RouteTests {
    /// A server like that one whose routes are put together at once, as with routes of a developer's own.
    private static func whole(_ server: TestServer) -> CountersignServer {
        var options = CountersignServer.Options(
            isDevelopment: server.mode == .development, tlsEndedByProxy: true)
        options.resources = { router, _ in router.get("account/v1/own") { _, _ in "mine" } }
        return CountersignServer(server.opened, options: options, logger: Logger(label: "test"))
    }

    private static func list(_ server: CountersignServer) throws -> [String] {
        try server.endpoints().map { "\($0.method) \($0.path)" }.sorted()
    }

    @Test(arguments: TestServer.Mode.allCases)
    func `The parts have all routes that are put together at once, each once`(mode: TestServer.Mode) async throws {
        try await TestServer.with(mode) { server in
            let parts = try Self.list(server.countersign)
            #expect(parts.count == Set(parts).count && parts.count > 400)
            #expect(try Self.list(Self.whole(server)).filter { $0 != "GET /account/v1/own" } == parts)
        }
    }

    @Test func `Routes of a developer's own may stand among those of any part`() async throws {
        try await TestServer.with { server in
            let application = Application(responder: try Self.whole(server).responder())
            try await application.test(.router) { client in
                for (path, status) in [("/account/v1/own", 200), ("/account/v1/profile", 401), ("/sign-in", 200)] {
                    try await client.execute(uri: path, method: .get, headers: [.xForwardedFor: "192.0.2.1"]) {
                        #expect($0.status.code == status, "\(path)")
                    }
                }
            }
        }
    }

    /// What a page or a refusal is known by: its status, and the language of the page.
    private static func look(_ reply: Reply) -> String {
        let language = reply.text.firstMatch(of: /<html lang="(\w+)"/).map { String($0.1) }
        return "\(reply.status) \(language ?? "-")"
    }

    @Test func `The first requests of all, at once and in every language, are answered as later ones`() async throws {
        try await TestServer.with { server in
            let paths = [
                "/sign-in", "/sign-up", "/.well-known/openid-configuration", "/userinfo", "/nowhere", "/forgot",
            ]
            let asked = ["en", "de", "ja"].flatMap { language in paths.map { "\($0)?lang=\(language)" } }
            let first = try await withThrowingTaskGroup(of: (String, String).self) { tasks in
                for path in asked {
                    tasks.addTask { (path, Self.look(try await server.send(.get, path, headers: Self.browser))) }
                }
                var first: [String: String] = [:]
                for try await (path, look) in tasks { first[path] = look }
                return first
            }
            #expect(first["/sign-in?lang=ja"] == "200 ja" && first["/nowhere?lang=de"] == "404 de")
            for path in asked {
                #expect(first[path] == Self.look(try await server.send(.get, path, headers: Self.browser)), "\(path)")
            }
        }
    }

    private static let browser: HTTPFields = [.accept: "text/html"]
}
