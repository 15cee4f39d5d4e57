import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing

/// The operator's terms of use, the words of an API's scopes, and the user's own language.
@Suite("Terms, words of scopes, and the user's language")
struct TermsTests {
    private static let address = SignInPageTests.address

    private func ask(_ version: String?, _ server: TestServer) async throws {
        try await server.realm.changeSettings(by: .testAdministrator) {
            $0.terms.version = version
            $0.terms.url = "https://example.com/terms"
            $0.terms.urls = ["de": "https://example.com/bedingungen"]
        }
    }

    private func accepted(_ server: TestServer) async throws -> [String] {
        let email = try #require(EmailAddress(Self.address))
        return try await server.realm.accounts.user(email: email)?.profile.acceptedTerms.map(\.version) ?? []
    }

    @Test
    func `Terms are asked once for each version, before an application gets a code`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            let browser = TestBrowser(server)
            #expect(try await SignInPageTests.password(browser, Self.address).kind == "account")
            try await ask("2026-11", server)
            let request = PageStepTests.request("dev-native")
            let silent = try await browser.land(PageStepTests.request("dev-native", ["prompt": "none"]))
            #expect(silent.away?.contains("error=interaction_required") == true, "\(silent)")
            let page = try #require(try await browser.land(request).page)
            #expect(page.kind == "terms" && page.html.contains("2026-11"), "\(page.html)")
            #expect(page.links["Read the terms of use"] == "https://example.com/terms")
            let german = try await browser.open("\(page.path)&lang=de")
            #expect(german.links.values.contains("https://example.com/bedingungen"), "\(german.html)")
            let unanswered = try await browser.sendForm(of: page, ["decision": "maybe"])
            #expect(unanswered.answered == 422 && unanswered.page?.hasAlert == true)
            #expect(try await accepted(server) == [])
            let done = try await browser.sendForm(of: page, ["decision": "allow"])
            #expect(done.away?.hasPrefix("\(PageStepTests.callback)?code=") == true, "\(done)")
            #expect(try await accepted(server) == ["2026-11"])
            #expect(try await browser.land(request).away?.contains("code=") == true)

            try await ask("2027-01", server)
            let other = try #require(try await browser.land(request).page)
            #expect(other.kind == "terms")
            // What was shown is what is agreed to.
            try await ask("2027-02", server)
            let changed = try await browser.sendForm(of: other, ["decision": "allow"])
            #expect(changed.page?.kind == "terms" && changed.page?.html.contains("2027-02") == true, "\(changed)")
            let denied = try await browser.sendForm(of: try #require(changed.page), ["decision": "deny"])
            #expect(denied.away?.contains("error=access_denied") == true, "\(denied)")
            #expect(try await accepted(server) == ["2026-11"])
            try await ask(nil, server)
            #expect(try await browser.land(request).away?.contains("code=") == true)
        }
    }

    @Test
    func `Terms come between a sign-in and the account, and those who deny are led to sign out`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            try await ask("1", server)
            let page = try await SignInPageTests.password(TestBrowser(server), Self.address)
            #expect(page.kind == "terms", "\(page.html)")
            let browser = TestBrowser(server)
            let terms = try await SignInPageTests.password(browser, Self.address)
            #expect(try await browser.submit(terms, ["decision": "deny"]).kind == "sign-out")
            #expect(try await browser.submit(terms, ["decision": "allow"]).kind == "account")
            #expect(try await accepted(server) == ["1"])
            let again = TestBrowser(server)
            #expect(try await SignInPageTests.password(again, Self.address).kind == "account")
        }
    }

    @Test
    func `Twenty agreements at once are one`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address)
            try await ask("1", server)
            let browser = TestBrowser(server)
            let terms = try await SignInPageTests.password(browser, Self.address)
            let form = try #require(terms.form(with: ["decision": ""]))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await browser.post(form.action, form.values.merging(["decision": "allow"]) { $1 }).status
                    }
                }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
            #expect(statuses == [303])
            #expect(try await accepted(server) == ["1"])
        }
    }

    @Test
    func `A scope is asked for in the words of its API, in the language of the page where there are some`() async throws
    {
        try await TestServer.with(.development) { server in
            let resource = Resource(
                uri: "https://notes.example", name: "Notes",
                scopes: [
                    Resource.Scope(
                        name: "notes", text: "Read your notes", texts: ["de": "Ihre Notizen <b>lesen</b>"])
                ])
            #expect(try await server.realm.resources.put(resource, by: .testAdministrator) == .done)
            var registration = ApplicationRegistration(
                redirectURIs: ["http://127.0.0.1/callback"], scopes: ["openid", "notes"])
            registration.oauth.kind = .native
            registration.oauth.resources = ["https://notes.example"]
            _ = try await server.realm.applications.add(
                id: ClientID(rawValue: "reader"), registration, by: .testAdministrator)
            _ = try await server.account(Self.address)
            let browser = TestBrowser(server)
            _ = try await SignInPageTests.password(browser, Self.address)
            let request = PageStepTests.request("reader", scope: "openid notes")
            let page = try #require(try await browser.land(request).page)
            #expect(page.kind == "consent" && page.html.contains("Read your notes"), "\(page.html)")
            let german = try await browser.open("\(page.path)&lang=de")
            #expect(german.html.contains("Ihre Notizen &lt;b&gt;lesen&lt;/b&gt;"), "\(german.html)")
            let japanese = try await browser.open("\(page.path)&lang=ja")
            #expect(japanese.html.contains("Read your notes"), "\(japanese.html)")
        }
    }

    @Test
    func `A user's own language stands behind the browser's choice, and before what it accepts`() async throws {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.address, profile: UserProfile(locale: "de-AT"))
            let browser = TestBrowser(server)
            let page = try await SignInPageTests.password(browser, Self.address)
            #expect(page.kind == "account" && page.html.contains("<html lang=\"de\""), "\(page.html)")
            let request = PageStepTests.request("dev-web", ["ui_locales": "ja"])
            let consent = try #require(try await browser.land(request).page)
            #expect(consent.kind == "consent" && consent.html.contains("<html lang=\"de\""), "\(consent.html)")
            #expect(try await browser.open("/account?lang=ja").html.contains("<html lang=\"ja\""))
            #expect(try await browser.open("/account").html.contains("<html lang=\"ja\""))
        }
    }

    @Test
    func `A new account has the language of the page that made it, and mails are in the user's`() async throws {
        try await TestServer.with(.development) { server in
            let browser = TestBrowser(server)
            let verify = try await browser.submit(
                try await browser.open("/sign-up?lang=ja"), ["email": Self.address])
            let choose = try await browser.submit(
                verify, ["code": try await server.code(mailedTo: Self.address)])
            #expect(
                try await browser.submit(choose, ["new_password": "four separate long words"]).kind == "account")
            let email = try #require(EmailAddress(Self.address))
            let user = try #require(try await server.realm.accounts.user(email: email))
            #expect(user.profile.locale == "ja")
            let elsewhere = TestBrowser(server)
            _ = try await elsewhere.submit(try await elsewhere.open("/forgot"), ["email": Self.address])
            let mail = try await server.realm.outbox.messages().last { $0.message.recipient == Self.address }
            #expect(mail?.content.locale == "ja")
        }
    }

    @Test(arguments: [
        ("en", true), ("de-AT", true), ("zh-Hant-TW", true), ("", false), ("e", false), ("english", false),
        ("de_AT", false), ("de-", false), ("de-waytoolong", false), ("d\u{e9}", false), ("en\n", false),
        ("xx", true), ("de-CH-1901", true), ("zh-cmn-Hans-CN", true), ("en-u-ca-gregory", true), ("de-X-mine", true),
        ("en-a", false), ("en-x", false), ("en-1", false), ("de--AT", false), ("de-419-DE", false), ("x-mine", false),
    ])
    func `A language is a tag of BCP 47`(text: String, isOne: Bool) {
        #expect(UserProfile.isLocale(text) == isOne)
    }
}
