import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// The picture of an application on the pages of its sign-ins.
@Suite("Pictures of applications")
struct ApplicationLogoTests {
    private static let client = ClientID(rawValue: "dev-native")
    private static let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="

    /// Sets it as administrators do.
    private func set(_ png: String?, _ server: TestServer) async throws -> Reply {
        let body = JSON.object([
            "id": .string(Self.client.rawValue), "png": png.map { .string($0) } ?? .null,
        ])
        return try await server.send(
            .post, "/admin/v1/applications:set-logo",
            headers: [.contentType: "application/json", .authorization: "Bearer \(server.adminToken)"],
            body: body.bytes)
    }

    private func path(on page: TestPage?) -> String? {
        page?.html.firstMatch(of: /<p class="application"><img src="([^"]*)" alt=""><\/p>/).map { String($0.1) }
    }

    @Test
    func `A picture is on the pages of its application, served anew, and gone with it`() async throws {
        try await TestServer.with(.development) { server in
            let browser = TestBrowser(server)
            let request = PageStepTests.request("dev-native")
            #expect(try await path(on: browser.land(request).page) == nil)
            let hidden = "<script>alert(1)</script>"
            let file = try #require(Data(base64Encoded: Self.png)) + Data(hidden.utf8)
            let set = try await set(file.base64EncodedString(), server)
            #expect(set.status == 200, "\(set.text)")
            let logo = try #require(try await path(on: browser.land(request).page))
            #expect(logo.hasPrefix("/assets/logos/"), "\(logo)")
            let picture = try await server.send(.get, logo)
            #expect(picture.status == 200 && picture.headers[.contentType] == "image/png")
            #expect(picture.headers[.cacheControl]?.contains("immutable") == true)
            #expect(picture.headers[.contentSecurityPolicy] == "default-src 'none'; sandbox")
            #expect(!picture.text.contains(hidden))
            // Pages without the application have none.
            #expect(try await path(on: browser.open("/sign-in")) == nil)
            for wrong in [
                "/assets/logos/", "/assets/logos/x.png", "/assets/logos/\(String(repeating: "a", count: 32)).png",
            ] {
                #expect(try await server.send(.get, wrong).status == 404)
            }
            let taken = try await self.set(nil, server)
            #expect(taken.status == 200)
            #expect(try await path(on: browser.land(request).page) == nil)
            #expect(try await server.send(.get, logo).status == 404)
            #expect(try await self.set(Self.png, server).status == 200)
            let again = try #require(try await path(on: browser.land(request).page))
            #expect(try await server.send(.get, again).status == 200)
            #expect(try await server.realm.applications.remove(Self.client, by: .testAdministrator))
            #expect(try await server.send(.get, again).status == 404)
        }
    }

    @Test func `A picture of the largest size is taken over HTTP, and a rehearsal keeps none`() async throws {
        try await TestServer.with(.development) { server in
            // What follows the picture in its file is not kept, and counts.
            let picture = try #require(Data(base64Encoded: Self.png))
            let file = picture + Data(count: 256 * 1024 - picture.count)
            let body = JSON.object([
                "id": .string(Self.client.rawValue), "png": .string(file.base64EncodedString()), "dryRun": true,
            ])
            let rehearsal = try await server.send(
                .post, "/admin/v1/applications:set-logo",
                headers: [.contentType: "application/json", .authorization: "Bearer \(server.adminToken)"],
                body: body.bytes)
            #expect(rehearsal.status == 200, "\(rehearsal.text)")
            #expect(try await server.realm.applications.application(Self.client)?.registration.oauth.logo == nil)
            #expect(try await set(file.base64EncodedString(), server).status == 200)
            #expect(try await set((file + Data([0])).base64EncodedString(), server).status == 400)
        }
    }

    @Test(arguments: ["", "no base64!", "PHN2Zy8+", "iVBORw0KGgo="])
    func `What is no picture is refused, and changes nothing: CVE-2026-56398`(text: String) async throws {
        try await TestServer.with(.development) { server in
            let refused = try await set(text, server)
            #expect(refused.status == 400, "\(refused.status) \(refused.text)")
            let application = try await server.realm.applications.application(Self.client)
            #expect(application?.registration.oauth.logo == nil)
        }
    }
}
