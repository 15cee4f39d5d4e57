import AdminServer
import CountersignCore
import DialectTestSupport
import Foundation
import Testing

/// The console's pages of applications that registered themselves, and what their users read.
@Suite("Registrations in the console", .serialized)
struct ConsoleRegistrationTests {
    private func with(_ test: @Sendable (ConsoleStage, TestBrowser) async throws -> Void) async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            try await test(stage, try await stage.administrator(.operator))
        }
    }

    private func confirm(
        _ path: String, _ fields: [String: String] = [:], in browser: TestBrowser
    ) async throws -> TestPage {
        let page = try await browser.open(path)
        #expect(page.kind == "console-ask", "\(path): \(page.html)")
        let form = try #require(page.forms.first { $0.action == path && fields.keys.allSatisfy($0.names.contains) })
        return try #require(try await browser.sendForm(form, fields).page)
    }

    @Test func `An operator makes a token that is shown once, and removes it`() async throws {
        try await with { stage, browser in
            let made = try await confirm(
                "/console/registrations-tokens/add",
                ["label": "<b>Partner</b>", "count": "2", "days": "7", "allow.client_credentials": "1"], in: browser)
            #expect(made.kind == "console-registration-tokens", "\(made.html)")
            let secret = try #require(
                made.html.firstMatch(of: /<p class="secret"><span aria-hidden="true">([^<]+)</)
            ).1
            #expect(secret.hasPrefix("csreg_") && !made.html.contains("<b>Partner"))
            let again = try await browser.open("/console/registrations-tokens")
            #expect(!again.html.contains(secret) && again.html.contains("client_credentials"))
            let token = try #require(
                await stage.server.realm.registrationTokens.list().first { $0.name == "<b>Partner</b>" })
            #expect(token.remaining == 2 && token.allowance.grantTypes == ["client_credentials"])
            _ = try await confirm("/console/registrations-tokens/\(token.id)/remove", in: browser)
            #expect(try await !stage.server.realm.registrationTokens.list().contains { $0.id == token.id })
            let bad = try await confirm("/console/registrations-tokens/add", ["count": "0"], in: browser)
            #expect(bad.status == 422 && bad.html.contains("1 to 10000"), "\(bad.html)")
            let none = try await confirm("/console/registrations-tokens/add", ["scopes": "read <b>"], in: browser)
            #expect(none.status == 422 && none.html.contains("is no scope of the APIs"), "\(none.html)")
        }
    }

    @Test func `An application that registered itself is listed with its host, approved, and blocked`() async throws {
        try await with { stage, browser in
            let id = try #require(stage.objects["registered"])
            let list = try await browser.open("/console/registrations")
            for text in [
                "Partner", "partner.example.com", "not checked", "never", try #require(stage.objects["initial"]),
            ] {
                #expect(list.html.contains(text), "\(text): \(list.html)")
            }
            let shown = try await browser.open("/console/applications/\(id)")
            #expect(shown.html.contains("itself") && shown.html.contains("not checked"), "\(shown.html)")
            let approved = try await confirm("/console/registrations/\(id)/approve", in: browser)
            #expect(approved.kind == "console-application", "\(approved.html)")
            let realm = stage.server.realm
            func kept() async throws -> OAuthRegistration {
                try #require(await realm.applications.registered(ClientID(rawValue: id))).registration.oauth
            }
            #expect(try await !kept().isUnchecked)
            #expect(try await kept().approval?.by?.hasPrefix("user:") == true)
            _ = try await confirm("/console/registrations/\(id)/withdraw", in: browser)
            #expect(try await kept().isUnchecked)
            _ = try await confirm("/console/applications/\(id)/disable", in: browser)
            #expect(try await realm.applications.application(ClientID(rawValue: id)) == nil)
            #expect(try await browser.open("/console/registrations").html.contains("console-registrations"))
            let kinds = try await realm.auditLog.events().map(\.kind)
            #expect(kinds.contains(.applicationApproved) && kinds.contains(.registrationTokenAdded))
            // An administrator's own application is vouched for already.
            let own = try await confirm("/console/registrations/target-app/approve", in: browser)
            #expect(own.html.contains("did not register itself"), "\(own.html)")
        }
    }
}
