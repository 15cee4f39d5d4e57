import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Synchronization
import Testing

@testable import ServerHTTP

@Suite("Routes in parts")
struct RoutePartsTests {
    private typealias Parts = RouteParts
    private typealias Part = RoutePart

    /// Counts what was put together.
    private final class Made: Sendable {
        private let counts = Mutex<[String: Int]>([:])
        func count(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
        var all: [String: Int] { counts.withLock { $0 } }
    }

    private struct Refusal: Error {}

    private static func parts(_ made: Made = Made(), failing: Bool = false) -> Parts {
        func part(_ name: String, _ beginnings: [String], _ paths: [String]) -> Part {
            Part(beginnings) { router in
                made.count(name)
                if failing { throw Refusal() }
                for path in paths { router.get(RouterPath(path)) { _, _ in name } }
            }
        }
        return Parts([
            part("health", ["health"], ["health/live"]),
            part("api", ["account/v1", "v2/logout"], ["account/v1/{name}", "v2/logout"]),
            part("pages", ["", "account", "sign-in"], ["", "account", "account/profile", "sign-in"]),
        ]) { methods in
            RequestPassage(
                RequestSourceMiddleware(RequestSource(trustsProxy: false)), RequestMetrics(), RequestLogMiddleware(),
                SecurityHeadersMiddleware(), PublicCORSMiddleware([]), FailureMiddleware(),
                RequestTargetMiddleware(methods))
        }
    }

    @Test(arguments: [
        ("/health/live", 0), ("/health", 0), ("/", 2), ("", 2), ("//", 2), ("/account", 2), ("/account/", 2),
        ("/account/profile", 2), ("/account/v1", 1), ("/account/v1/x/y", 1), ("//account//v1", 1),
        ("/account/v10", 2), ("/v2/logout", 1), ("/v2/other", 0), ("/v2", 0), ("/nowhere/account", 0), ("*", 0),
        ("/sign-in", 2), ("/sign-in\u{301}", 0), ("/sign-in/\u{301}x", 2), ("/Sign-In", 0),
    ])
    func `A path leads to a part by its first segment, or its first two`(path: String, part: Int) {
        #expect(Self.parts().part(of: path) == part)
    }

    @Test func `A part is put together once, by the first request for it, however many come at once`() async throws {
        let made = Made()
        let app = Application(responder: Self.parts(made))
        #expect(made.all == [:])
        try await app.test(.router) { client in
            try await withThrowingTaskGroup(of: String.self) { tasks in
                for number in 0..<20 {
                    tasks.addTask {
                        let path = number % 2 == 0 ? "/account" : "/sign-in"
                        return try await client.execute(uri: path, method: .get) { String(buffer: $0.body) }
                    }
                }
                for try await text in tasks { #expect(text == "pages") }
            }
            #expect(made.all == ["pages": 1])
            let name = try await client.execute(uri: "/account/v1/x", method: .get) { String(buffer: $0.body) }
            #expect(name == "api")
        }
        #expect(made.all == ["pages": 1, "api": 1])
    }

    @Test func `To a client the parts are one router`() async throws {
        try await Application(responder: Self.parts()).test(.router) { client in
            for (path, method, status, allow) in [
                ("/nowhere", .get, 404, nil), ("/v2/other", .get, 404, nil), ("/account/v1", .get, 404, nil),
                ("/account//v1/x", .get, 404, nil), ("/account/v1/x", .post, 405, "GET, HEAD, OPTIONS"),
                ("/sign-in", .options, 204, "GET, HEAD, OPTIONS"), ("/", .head, 200, nil), ("*", .options, 204, nil),
            ] as [(String, HTTPRequest.Method, Int, String?)] {
                try await client.execute(uri: path, method: method) { answer in
                    #expect(answer.status.code == status, "\(method) \(path)")
                    #expect(answer.headers[.allow] == allow, "\(method) \(path)")
                }
            }
        }
        #expect(try Self.parts().list().map { "\($0.method) \($0.path)" }.count == 7)
    }

    @Test func `A field with too many marks on one letter is refused, whatever the route`() async throws {
        try await Application(responder: Self.parts()).test(.router) { client in
            for (count, status) in [(64, 200), (65, 400)] {
                let value = "a" + String(repeating: "\u{301}\u{316}", count: count)
                try await client.execute(uri: "/account", method: .get, headers: [.acceptLanguage: value]) { answer in
                    #expect(answer.status.code == status)
                }
            }
        }
    }

    @Test func `What is wrong with the first part is told to the start that asks`() throws {
        let made = Made()
        let parts = Self.parts(made, failing: true)
        #expect(throws: Refusal.self) { try parts.prepareFirst() }
        #expect(throws: Refusal.self) { try parts.prepareFirst() }
        #expect(made.all == ["health": 2])
        try Self.parts().prepareFirst()
    }
}
