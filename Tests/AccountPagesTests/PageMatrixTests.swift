import CountersignCore
import CountersignServer
import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import Testing

/// Every form of every page, against all that a stranger's page can have a browser send (web-pages 8.4, 8.7).
@Suite("Every form against strangers")
struct PageMatrixTests {
    private static let site = HTTPField.Name.known("Sec-Fetch-Site")
    private static let destination = HTTPField.Name.known("Sec-Fetch-Dest")
    private static let evil = "https://evil.example"
    private static let ada = "ada@example.com"
    private static let bob = "bob@example.com"

    // MARK: The table is whole

    /// Ways of posting that are no form of a page: they answer with a redirect to themselves by GET, and change nothing.
    private static let postedFromElsewhere: Set<String> = ["/authorize", "/oidc/logout"]
    /// For programs, whose failures browsers see as pages: it takes JSON alone, which no form sends.
    private static let postedByTests = "/dev/clock"

    @Test
    func `Every endpoint whose forms are pages' stands in the table, and each other one answers programs`() async throws
    {
        try await TestServer.with(.development) { server in
            var pages: Set<String> = []
            for endpoint in try server.countersign.endpoints() where endpoint.method == .post {
                let path = Self.concrete(endpoint.path)
                let reply = try await server.send(
                    .post, path,
                    headers: [
                        Self.site: "cross-site", .origin: Self.evil, .accept: "text/html",
                        .contentType: "application/x-www-form-urlencoded",
                    ], body: Array("x=1".utf8))
                #expect(reply.headers[.setCookie] == nil, "\(path)")
                if path == Self.postedByTests {
                    #expect(reply.status == 415)
                } else if Self.postedFromElsewhere.contains(path) {
                    #expect(reply.status == 303 || reply.status >= 400, "\(path): \(reply.status)")
                } else if reply.headers[.contentType]?.hasPrefix("text/html") == true {
                    #expect(reply.status == 403, "\(path) takes a form of another site: \(reply.status)")
                    pages.insert(path)
                } else {
                    #expect(reply.status != 303, "\(path) leads browsers on, and is no page's")
                }
            }
            // The console's forms are all one form, which ConsoleMatrixTests tries on every path.
            let ofConsole = Set(ConsoleRow.all.filter(\.isForm).map { Self.concrete($0.path) })
            #expect(pages == Set(LiveForm.all.map(\.path)).union(ofConsole))
        }
    }

    @Test
    func `What a browser would show of any endpoint, it shows in no frame`() async throws {
        try await TestServer.with(.development) { server in
            var pages = 0
            for endpoint in try server.countersign.endpoints() where endpoint.method == .get {
                let path = Self.concrete(endpoint.path)
                let open = try await server.send(.get, path, headers: [.accept: "text/html"])
                guard open.headers[.contentType]?.hasPrefix("text/html") == true else { continue }
                pages += 1
                #expect(open.headers[.known("X-Frame-Options")] == "DENY", "\(path)")
                #expect(
                    open.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true, "\(path)")
                let framed = try await server.send(
                    .get, path, headers: [.accept: "text/html", Self.destination: "iframe", Self.site: "cross-site"])
                #expect(framed.status == 403 || open.status >= 400, "\(path): \(framed.status)")
            }
            #expect(pages > 10)
        }
    }

    /// An address of the endpoint: parts that vary are `x`.
    private static func concrete(_ pattern: String) -> String {
        let parts = pattern.split(separator: "/").map { part in
            part.replacing(/\{[^}]*\}|\*+/, with: "x")
        }
        return "/" + parts.joined(separator: "/")
    }

    // MARK: The table

    @Test(arguments: LiveForm.all)
    func `A form counts from its own page, in its own browser, with its own token, and no other way`(
        form row: LiveForm
    ) async throws {
        try await TestServer.with(.development) { server in
            let stranger = try await row.reach(server, Self.bob)
            let scene = try await row.reach(server, Self.ada)
            var form = try scene.form()
            #expect(form.action == row.path || row.path.hasPrefix(form.action + "/"))
            form.action = row.path
            let before = scene.browser.cookies
            for attempt in try await Self.attempts(row, scene, stranger) {
                let reply = try await attempt.send(form.action)
                #expect(
                    (400..<500).contains(reply.status) && reply.status != 422, "\(attempt.name): \(reply.status)")
                #expect(scene.browser.cookies == before, "\(attempt.name) changed cookies")
                #expect(!reply.text.contains(Self.ada), "\(attempt.name) tells an address")
            }
            try await expectNoFrame(scene)
            try await expectNothing(forOthersIn: scene, stranger.browser)
            // By GET it does nothing, whatever the address says.
            let query = try Self.encoded(scene.fields())
            let read = try await scene.browser.send(.get, "\(row.path)?\(query)")
            #expect(read.status < 500)
            #expect(scene.browser.cookies[SignInPageTests.session] == before[SignInPageTests.session])

            // Whatever was tried, the page and its form are as they were.
            let again = try await scene.browser.open(scene.page.path)
            #expect(again.kind == scene.page.kind, "\(again.html)")
            let landing = try await scene.browser.sendForm(form, scene.typed)
            #expect(row.leads(landing), "\(landing.away ?? landing.page?.html ?? "")")
            // What a form did is never the answer itself, which a reload would do again; scripts are told as JSON.
            #expect(landing.answered == 303 || landing.page?.reply.json != .null, "\(landing.answered)")
        }
    }

    /// A form that must not count.
    private struct Attempt: Sendable {
        let name: String
        let browser: TestBrowser
        var fields: [String: String]
        var headers: HTTPFields = [PageMatrixTests.site: "same-origin"]
        var contentType: String? = "application/x-www-form-urlencoded"
        /// The body as it is sent; nil: the fields as a form.
        var body: String?
        var query = ""

        func send(_ path: String) async throws -> Reply {
            var headers = headers
            headers[.contentType] = contentType
            let text = body ?? PageMatrixTests.encoded(fields)
            return try await browser.send(.post, path + query, headers: headers, body: Array(text.utf8))
        }
    }

    private static func attempts(
        _ row: LiveForm, _ scene: LiveForm.Scene, _ stranger: LiveForm.Scene
    ) async throws -> [Attempt] {
        let (browser, fields) = (scene.browser, try scene.fields())
        var attempts = fromElsewhere(browser, fields, hasToken: row.isLockedByToken)
        attempts += inOtherForms(browser, fields)
        switch row.lock {
        case .secret(let field):
            for (name, value) in [("no", nil), ("an empty", ""), ("an invented", "AAAA")] {
                attempts.append(
                    Attempt(name: "\(name) code", browser: browser, fields: fields.setting(field, to: value)))
            }
            return attempts
        case .token: return attempts + (try await withOtherTokens(row, scene, stranger))
        }
    }

    /// The right fields with another token, or by another browser.
    private static func withOtherTokens(
        _ row: LiveForm, _ scene: LiveForm.Scene, _ stranger: LiveForm.Scene
    ) async throws -> [Attempt] {
        let (browser, fields) = (scene.browser, try scene.fields())
        var attempts: [Attempt] = []
        let own = try #require(fields["csrf"])
        let otherPage = try await browser.open(row.path == "/forgot" ? "/sign-up" : "/forgot")
        let ofOtherForm = try #require(otherPage.form(with: ["email": ""])?.values["csrf"])
        #expect(ofOtherForm != own)
        let ofStranger = try #require(try stranger.fields()["csrf"])
        #expect(ofStranger != own)
        let tokens: [(String, String?)] = [
            ("no token", nil), ("an empty token", ""), ("an invented token", "AAAA"),
            ("a token with another beginning", (own.hasPrefix("A") ? "B" : "A") + own.dropFirst()),
            ("a token of another form", ofOtherForm), ("a token of another user", ofStranger),
        ]
        attempts += tokens.map {
            Attempt(name: $0.0, browser: browser, fields: fields.setting("csrf", to: $0.1))
        }
        attempts.append(
            Attempt(
                name: "the token in the address", browser: browser, fields: fields.setting("csrf", to: nil),
                query: "?csrf=\(encoded(own))"))
        attempts.append(
            Attempt(
                name: "two tokens", browser: browser, fields: [:], body: encoded(fields) + "&csrf=AAAA"
            ))
        attempts.append(
            Attempt(
                name: "all in the address", browser: browser, fields: [:], query: "?\(encoded(fields))"
            ))
        // The whole form, in a browser that was not given it.
        attempts.append(Attempt(name: "another browser", browser: stranger.browser, fields: fields))
        attempts.append(Attempt(name: "a new browser", browser: TestBrowser(browser.server), fields: fields))
        return attempts
    }

    /// The right form, as a page of another site would have the browser send it.
    private static func fromElsewhere(
        _ browser: TestBrowser, _ fields: [String: String], hasToken: Bool
    ) -> [Attempt] {
        var headers: [(String, HTTPFields)] = [
            ("from another site", [site: "cross-site"]), ("from a neighbour", [site: "same-site"]),
            ("from no page", [site: "none"]), ("from a site that browsers do not name yet", [site: "elsewhere"]),
            ("from another origin", [.origin: evil]), ("from no origin", [.origin: "null"]),
            ("from another origin, of this site", [site: "same-origin", .origin: evil]),
            ("from another site, of this origin", [site: "cross-site", .origin: "http://127.0.0.1:8080"]),
            ("from another port", [.origin: "http://127.0.0.1:8081"]),
            ("from a longer name", [.origin: "http://127.0.0.1:8080.evil.example"]),
        ]
        // A form with a secret of its own may come from a client that is no browser.
        if hasToken { headers.append(("without a word of where it is from", [:])) }
        return headers.map { Attempt(name: $0.0, browser: browser, fields: fields, headers: $0.1) }
    }

    /// The right fields, as scripts and forms of other kinds write them.
    private static func inOtherForms(_ browser: TestBrowser, _ fields: [String: String]) -> [Attempt] {
        let json = JSON.object(fields.mapValues { .string($0) }).bytes
        let boundary = "----form"
        let multipart = fields.map { name, value in
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
        }.joined()
        return [
            Attempt(
                name: "text/plain", browser: browser, fields: fields, contentType: "text/plain"),
            Attempt(
                name: "text/plain as forms write it", browser: browser, fields: [:], contentType: "text/plain",
                body: fields.map { "\($0)=\($1)\r\n" }.joined()),
            Attempt(
                name: "JSON", browser: browser, fields: [:], contentType: "application/json",
                body: String(decoding: json, as: UTF8.self)),
            Attempt(
                name: "JSON as text", browser: browser, fields: [:], contentType: "text/plain",
                body: String(decoding: json, as: UTF8.self)),
            Attempt(
                name: "multipart", browser: browser, fields: [:],
                contentType: "multipart/form-data; boundary=\(boundary)", body: "\(multipart)--\(boundary)--\r\n"),
            Attempt(name: "no type", browser: browser, fields: fields, contentType: nil),
        ]
    }

    // MARK: Frames and other browsers

    private func expectNoFrame(_ scene: LiveForm.Scene) async throws {
        for destination in ["iframe", "frame", "object", "embed", "image", "script", "style", "worker", "fencedframe"] {
            let reply = try await scene.browser.send(
                .get, scene.page.path, headers: [Self.destination: destination, Self.site: "cross-site"])
            #expect(reply.status == 403 && !reply.text.contains(Self.ada), "\(destination): \(reply.status)")
        }
        let shown = try await scene.browser.send(.get, scene.page.path)
        #expect(shown.headers[.known("X-Frame-Options")] == "DENY")
        #expect(shown.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'none'") == true)
    }

    /// The link of the page shows another browser nothing of this one, whether that is new or in the middle of the same thing.
    private func expectNothing(forOthersIn scene: LiveForm.Scene, _ other: TestBrowser) async throws {
        let isBound = ["attempt=", "flow="].contains { scene.page.path.contains($0) }
        for browser in [other, TestBrowser(other.server)] {
            let session = browser.heldSession
            let followed = try await browser.land(scene.page.path)
            if isBound {
                #expect(followed.kind == "start-again" && followed.page?.status == 400, "\(followed)")
                #expect(followed.page?.html.contains("127.0.0.1") == false)
            }
            // A mailed link is good in any browser: who has it may use it.
            let isLink = ["oobCode=", "ticket=", "invitation="].contains { scene.page.path.contains($0) }
            #expect(isLink || followed.page?.html.contains(Self.ada) != true, "\(followed)")
            #expect(browser.heldSession == session)
        }
    }

    fileprivate static func encoded(_ fields: [String: String]) -> String {
        fields.map { "\(encoded($0.key))=\(encoded($0.value))" }.joined(separator: "&")
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    // MARK: Two tabs, two applications

    /// The order in which two tabs take their steps: three each, in every order.
    private static let orders: [String] = (0..<64).map { number in
        String((0..<6).map { number >> $0 & 1 == 0 ? "a" : "b" })
    }.filter { order in order.count { $0 == "a" } == 3 }

    @Test(arguments: orders)
    func `Two tabs of two applications end each at its own, in whatever order: keycloak#46564`(order: String)
        async throws
    {
        try await TestServer.with(.development) { server in
            _ = try await server.account(Self.ada)
            let browser = TestBrowser(server)
            var tabs: [Character: Landing] = [:]
            for (tab, port) in [("a" as Character, 50001), ("b", 50002)] {
                var registration = ApplicationRegistration(
                    redirectURIs: ["http://127.0.0.1:\(port)/callback"], scopes: ["openid"])
                registration.oauth.kind = .native
                _ = try await server.realm.applications.add(
                    id: ClientID(rawValue: "tab-\(tab)"), registration, by: .testAdministrator)
                tabs[tab] = try await browser.land(
                    PageStepTests.request(
                        "tab-\(tab)", scope: "openid",
                        ["redirect_uri": "http://127.0.0.1:\(port)/callback", "state": "of-\(tab)"]))
            }
            // After its three steps a tab may need one more: the session has changed under it.
            for tab in order + "abab" {
                guard let page = tabs[tab]?.page else { continue }
                tabs[tab] = try await Self.step(browser, page)
            }
            for (tab, port) in [("a" as Character, 50001), ("b", 50002)] {
                let away = try #require(tabs[tab]?.away, "\(tabs[tab]?.page?.html ?? "")")
                #expect(away.hasPrefix("http://127.0.0.1:\(port)/callback?code="), "\(away)")
                #expect(away.contains("state=of-\(tab)"), "\(away)")
            }
        }
    }

    /// What a person does at a page of a sign-in.
    private static func step(_ browser: TestBrowser, _ page: TestPage) async throws -> Landing {
        switch page.kind {
        case "sign-in": try await browser.sendForm(of: page, ["username": ada])
        case "password": try await browser.sendForm(of: page, ["password": NativeClient.password])
        case "consent": try await browser.sendForm(of: page, ["decision": "allow"])
        default: throw Unexpected(what: page.html)
        }
    }
}

extension TestBrowser {
    /// The session of the browser's cookie, whose stamp of the last use any page renews after five minutes.
    fileprivate var heldSession: String? {
        cookies[SignInPageTests.session].map { Sessions.lastingPart(ofBrowser: Secret($0)).reveal() }
    }
}

extension LiveForm {
    fileprivate var isLockedByToken: Bool {
        if case .token = lock { true } else { false }
    }
}

extension [String: String] {
    /// The same with another value; nil takes the field away.
    fileprivate func setting(_ name: String, to value: String?) -> [String: String] {
        var fields = self
        fields[name] = value
        return fields
    }
}
