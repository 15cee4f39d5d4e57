import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// What a mail scanner does to the links of mails (web-pages 8.8; supabase/auth#1214, better-auth#9690, emdash#3298), also one that runs
/// the page's script and sends its forms (FusionAuth/fusionauth-site#2922, outline#9227).
@Suite("A scanner on mails")
struct MailedLinkScanTests {
    private static let newPassword = "another four long words"

    /// Links of mails by their template.
    private static func links(_ server: TestServer) async throws -> [String: String] {
        let mails = try await server.realm.outbox.messages().compactMap { message in
            message.content.values["link"].map { (message.content.template, "/\($0)") }
        }
        return Dictionary(mails, uniquingKeysWith: { $1 })
    }

    private static func ask(_ server: TestServer, _ kind: JSON, _ address: String) async throws {
        let reply = try await server.send(
            .post, "/identitytoolkit.googleapis.com/v1/projects/countersign/accounts:sendOobCode",
            headers: [.authorization: "Bearer owner", .contentType: "application/json"],
            body: JSON.object(["requestType": kind, "email": .string(address)]).bytes)
        #expect(reply.status == 200, "\(reply.text)")
    }

    @Test
    func `A scanner that opens every link of every mail uses none up, and each works for its reader afterwards`()
        async throws
    {
        try await TestServer.with(.development) { server in
            for name in ["reset", "moving", "leaving"] { _ = try await server.account("\(name)@example.com") }
            _ = try await server.account("verify@example.com", verified: false)
            try await Self.ask(server, "VERIFY_EMAIL", "verify@example.com")
            try await Self.ask(server, "PASSWORD_RESET", "reset@example.com")
            let moving = TestBrowser(server)
            _ = try await SignInPageTests.password(moving, "moving@example.com")
            let code = try await moving.submit(moving.open("/account/address"), ["email": "moved@example.com"])
            _ = try await moving.submit(code, ["code": server.code(mailedTo: "moved@example.com")])
            let leaving = TestBrowser(server)
            _ = try await SignInPageTests.password(leaving, "leaving@example.com")
            _ = try await leaving.submit(leaving.open("/account/delete"), ["typed": "leaving@example.com"])
            _ = try await InvitationTests.invite("invited@example.com", server)

            let links = try await Self.links(server)
            #expect(
                Set(links.keys) == [
                    "verify-email", "reset-password", "email-changed", "deletion-requested", "invitation",
                ], "\(links)")
            let mailed = try await server.realm.outbox.messages().count
            for link in links.values {
                let scanner = TestBrowser(server)
                for method in [HTTPRequest.Method.head, .get, .get] {
                    let reply = try await scanner.send(method, link)
                    #expect(reply.status == 200, "\(link): \(reply.text)")
                    // A scanner that runs scripts has none that sends a form.
                    let scripts = reply.text.matches(of: /<script[^>]*src="([^"]*)"/).map { String($0.1) }
                    #expect(scripts.allSatisfy { $0.hasSuffix("/form.js") }, "\(scripts)")
                    #expect(!reply.text.contains("http-equiv=\"refresh\""), "\(link)")
                }
            }
            #expect(try await server.realm.outbox.messages().count == mailed)

            func press(_ template: String, _ fields: [String: String] = [:]) async throws -> TestPage {
                let reader = TestBrowser(server)
                let page = try await reader.open(#require(links[template]))
                return try await reader.submit(page, fields.merging(["oobCode": oobCode(of: page)]) { $1 })
            }
            func oobCode(of page: TestPage) throws -> String {
                try #require(page.form(with: ["oobCode": ""])?.values["oobCode"], "\(page.html)")
            }
            #expect(try await press("verify-email").html.contains("Address confirmed"))
            #expect(
                try await press("reset-password", ["new_password": Self.newPassword]).html.contains("Password set"))
            #expect(try await press("email-changed").html.contains("Address restored"))
            #expect(try await press("deletion-requested").html.contains("Your account stays"))
            let invited = try await TestBrowser(server).open(#require(links["invitation"]))
            #expect(invited.kind == "sign-up" && invited.status == 200, "\(invited.html)")
        }
    }
}
