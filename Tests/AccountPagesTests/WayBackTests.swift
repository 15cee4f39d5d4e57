import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// Pages on which a sign-in ends lead back to the application where it is known (web-pages, sections 2 and 3).
@Suite("The way back to the application")
struct WayBackTests {
    private static let callback = "https://shop.example.com/callback"

    private func shop(
        _ server: TestServer, _ change: (inout OAuthRegistration) -> Void = { _ in }
    ) async throws {
        var registration = ApplicationRegistration(redirectURIs: [Self.callback], scopes: ["openid"])
        registration.displayName = "Shop <&>"
        registration.oauth.kind = .web
        registration.oauth.isFirstParty = true
        change(&registration.oauth)
        _ = try await server.realm.applications.add(
            id: ClientID(rawValue: "shop"), registration, by: .testAdministrator)
    }

    private static let request = PageStepTests.request("shop", scope: "openid", ["redirect_uri": callback])

    @Test(
        arguments: [
            (
                "https://shop.example.com/begin", "https://shop.example.com/about",
                "https://shop.example.com/begin?iss=http%3A%2F%2F127.0.0.1%3A8080"
            ),
            (
                "https://shop.example.com/begin?a=b", nil,
                "https://shop.example.com/begin?a=b&iss=http%3A%2F%2F127.0.0.1%3A8080"
            ), (nil, "https://shop.example.com/about", "https://shop.example.com/about"),
            (nil, nil, "https://shop.example.com/"),
        ] as [(String?, String?, String)])
    func `A link of another browser leads to begin again, with the way to the application alone`(
        start: String?, home: String?, target: String
    ) async throws {
        try await TestServer.with(.development) { server in
            try await shop(server) {
                $0.initiateLoginURI = start
                $0.clientURI = home
            }
            let browser = TestBrowser(server)
            let first = try #require(try await browser.land(Self.request).page)
            #expect(first.kind == "sign-in")
            let flow = try #require(first.form(with: ["username": ""])?.values["flow"])
            for path in [first.path, "/authorize/continue?flow=\(flow)", "/sign-in/consent?flow=\(flow)"] {
                let page = try #require(try await TestBrowser(server).land(path).page)
                #expect(page.kind == "start-again" && page.status == 400, "\(page.html)")
                #expect(
                    page.html.contains(
                        "<a class=\"button\" href=\"\(target.replacing("&", with: "&amp;"))\" rel=\"noopener noreferrer\">"
                            + "Back to <bdi>Shop &lt;&amp;&gt;</bdi></a>"), "\(page.html)")
                #expect(page.links["Start again"] == nil)
                // The page in another language knows the way as well.
                let german = try #require(page.links.values.first { $0.contains("lang=de") })
                #expect(try await TestBrowser(server).open(german).html.contains("Zurück zu"))
            }
        }
    }

    @Test
    func `Where nothing is known of the application the page leads to the sign-in`() async throws {
        try await TestServer.with(.development) { server in
            let browser = TestBrowser(server)
            let native = try #require(try await browser.land(PageStepTests.request("dev-native")).page)
            // Its address is one of loopback, with the port of a moment.
            let other = try await TestBrowser(server).open(native.path)
            #expect(other.kind == "start-again" && other.links.values.contains("/sign-in"))
            let none = try await browser.open("/sign-in?flow=\(String(repeating: "A", count: 43))")
            #expect(none.kind == "start-again" && none.links.values.contains("/sign-in"))
            let bare = try #require(try await browser.land("/authorize/continue?flow=none").page)
            #expect(bare.kind == "start-again" && bare.path == "/start-again")
        }
    }

    @Test
    func `Signing out at the request of an application leads back where it begins`() async throws {
        try await TestServer.with(.development) { server in
            try await shop(server) { $0.initiateLoginURI = "https://shop.example.com/begin" }
            let page = try #require(try await TestBrowser(server).land("/oidc/logout?client_id=shop").page)
            #expect(page.kind == "signed-out")
            #expect(page.links.values.contains { $0.hasPrefix("https://shop.example.com/begin?iss=") }, "\(page.html)")
            #expect(page.links.values.contains("/sign-in"))
            // An application that is not registered is none.
            let unknown = try await TestBrowser(server).open("/signed-out?client_id=evil")
            #expect(unknown.kind == "signed-out" && !unknown.html.contains("evil</a>"))
        }
    }

    @Test
    func `A sign-in that is over for its user leads back as well`() async throws {
        try await TestServer.with(.development) { server in
            try await shop(server)
            let user = try await server.account(SignInPageTests.address)
            var change = AccountChange()
            change.isDisabled = true
            _ = try await server.realm.accounts.change(user.id, change, by: .testAdministrator)
            let browser = TestBrowser(server)
            let first = try #require(try await browser.land(Self.request).page)
            let password = try await browser.submit(first, ["username": SignInPageTests.address])
            let page = try await browser.submit(password, ["password": NativeClient.password])
            #expect(page.kind == "disabled" && page.links.values.contains("https://shop.example.com/"), "\(page.html)")
        }
    }

    @Test
    func `The consent page links to what the application says of itself`() async throws {
        try await TestServer.with(.development) { server in
            try await shop(server) {
                $0.isFirstParty = false
                $0.policyURI = "https://shop.example.com/privacy"
                $0.termsURI = "https://shop.example.com/terms"
            }
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            let first = try #require(try await browser.land(Self.request).page)
            let password = try await browser.submit(first, ["username": SignInPageTests.address])
            let consent = try await browser.submit(password, ["password": NativeClient.password])
            #expect(consent.kind == "consent", "\(consent.html)")
            for target in ["privacy", "terms"] {
                #expect(
                    consent.html.contains(
                        "href=\"https://shop.example.com/\(target)\" rel=\"noopener noreferrer\""))
            }
        }
    }
}
