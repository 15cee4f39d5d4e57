import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// The colour of an application on the pages of its sign-ins.
@Suite("Colours of applications on pages")
struct ApplicationAccentTests {
    private func set(_ accent: String, _ server: TestServer) async throws -> Reply {
        let body = JSON.object(["id": "dev-native", "registration": .object(["accent": .string(accent)])])
        return try await server.send(
            .post, "/admin/v1/applications:set",
            headers: [.contentType: "application/json", .authorization: "Bearer \(server.adminToken)"],
            body: body.bytes)
    }

    private func path(on page: TestPage?) -> String? {
        page?.html.firstMatch(of: /<link rel="stylesheet" href="(\/assets\/accents\/[^"]*)">/).map { String($0.1) }
    }

    @Test
    func `A colour is on the pages of its application, as a file of this server, and gone with it`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            let request = PageStepTests.request("dev-native")
            #expect(try await path(on: browser.land(request).page) == nil)
            let set = try await set("#8A1C4A", server)
            #expect(set.status == 200, "\(set.text)")
            #expect(set.json["application"]["oauth"]["accent"] == "#8a1c4a", "\(set.text)")
            let page = try #require(try await browser.land(request).page)
            let accent = try #require(path(on: page))
            #expect(page.html.contains("#8a1c4a") == false, "Pages have no style of their own.")
            let sheet = try await server.send(.get, accent)
            #expect(sheet.status == 200 && sheet.headers[.contentType] == "text/css; charset=utf-8")
            #expect(sheet.headers[.cacheControl]?.contains("immutable") == true)
            #expect(sheet.text.hasPrefix(":root { --accent: #8a1c4a; --on-accent: #fff; }"), "\(sheet.text)")
            // Each page of the sign-in has it, a refused one too; pages without the application have not.
            let password = try await browser.submit(page, ["username": SignInPageTests.address])
            #expect(path(on: password) == accent)
            #expect(try await path(on: browser.submit(password, ["password": "not that one"])) == accent)
            #expect(try await path(on: browser.open("/sign-in")) == nil)
            #expect(try await self.set("", server).status == 200)
            #expect(try await path(on: browser.land(request).page) == nil)
            for wrong in ["x.css", "8a1c4a.css", "8a1c4a-8a1c4a", "%7D-%7D.css"] {
                #expect(try await server.send(.get, "/assets/accents/\(wrong)").status == 404, "\(wrong)")
            }
        }
    }

    @Test(arguments: ["red", "#fff", "155eaf", "#155eag", "#155eaf;}", "url(https://evil.example)"])
    func `What is no colour is refused, and changes nothing`(text: String) async throws {
        try await TestServer.with(.development) { server in
            let refused = try await set(text, server)
            #expect(refused.status == 400 && refused.text.contains("#rrggbb"), "\(refused.status) \(refused.text)")
            let application = try await server.realm.applications.application(ClientID(rawValue: "dev-native"))
            #expect(application?.registration.oauth.accent == nil)
        }
    }
}
