import CountersignCore
import DialectTestSupport
import Foundation
import Testing

/// That this server leads no one to addresses of applications that no administrator checked, unless a user did something for it
/// (RFC 9700, section 4.11.2).
@Suite("Redirects of unchecked applications")
struct StrangerRedirectTests {
    private static let callback = "https://app.example/callback"
    private static let goodbye = "https://app.example/goodbye"

    private static func with(_ body: @Sendable (TestServer, String) async throws -> Void) async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.addUser()
            try await server.setRegistration("open")
            let reply = try await server.register(
                SelfRegistrationTests.site.with(["post_logout_redirect_uris": .array([.string(goodbye)])]))
            try await body(server, try #require(reply.json["client_id"].text))
        }
    }

    private func approve(_ id: String, _ server: TestServer) async throws {
        _ = try await server.realm.registrations.approve(ClientID(rawValue: id), true, by: .testAdministrator)
    }

    @Test(
        arguments: [
            ["response_type": "token"], ["prompt": "none"], ["scope": "none"], ["code_challenge": nil],
            ["response_mode": "form_post", "response_type": "token"],
        ] as [[String: String?]])
    func `A link is answered by a page, and redirected once an administrator checked the application`(
        _ changes: [String: String?]
    ) async throws {
        try await Self.with { server, id in
            let changes = changes.merging(["redirect_uri": Self.callback]) { $1 }
            var browser = Browser(server)
            let refused = try await browser.authorize(id, changes)
            #expect(refused.status == 400 && refused.location == nil, "\(refused.text)")
            #expect(!refused.text.contains("app.example"), "\(refused.text)")
            try await approve(id, server)
            let told = try await browser.authorize(id, changes)
            #expect(told.status == 303 ? told.location?.hasPrefix(Self.callback) == true : told.status == 200)
            #expect((told.location ?? told.text).contains("error"), "\(told.text)")
        }
    }

    @Test
    func `Users who are signed in are led back`() async throws {
        try await Self.with { server, id in
            var browser = Browser(server)
            try await browser.signIn()
            let silent = try await browser.authorize(id, ["redirect_uri": Self.callback, "prompt": "none"])
            #expect(silent.answer["error"] == "consent_required", "\(silent.text)")
            let wrong = try await browser.authorize(id, ["redirect_uri": Self.callback, "scope": "none"])
            #expect(wrong.answer["error"] == "invalid_scope", "\(wrong.text)")
        }
    }

    @Test
    func `No page of this server has a link to the site of an unchecked application, whoever names it`() async throws {
        try await Self.with { server, id in
            var stranger = Browser(server)
            let begun = try await stranger.authorize(id, ["redirect_uri": Self.callback])
            let flow = try #require(begun.location?.split(separator: "=").last)
            // What someone was sent a link to.
            for path in ["/signed-out?client_id=\(id)", "/start-again?flow=\(flow)"] {
                var browser = Browser(server)
                let page = try await browser.get(path)
                #expect((200...499).contains(page.status) && !page.text.contains("app.example"), "\(page.text)")
            }
            try await approve(id, server)
            for path in ["/signed-out?client_id=\(id)", "/start-again?flow=\(flow)"] {
                var browser = Browser(server)
                #expect(try await browser.get(path).text.contains("https://app.example/"), "\(path)")
            }
        }
    }

    @Test
    func `A sign-out without a session leads to no address of an unchecked application`() async throws {
        try await Self.with { server, id in
            let path = "/oidc/logout?" + Browser.query(["client_id": id, "post_logout_redirect_uri": Self.goodbye])
            var browser = Browser(server)
            let kept = try await browser.get(path)
            #expect(kept.status == 303 && kept.location == "/signed-out", "\(kept.location ?? kept.text)")
            try await approve(id, server)
            #expect(try await browser.get(path).location == Self.goodbye)
        }
    }
}
