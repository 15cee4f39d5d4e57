import CountersignCore
import CountersignServer
import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import Testing

/// What a scanner does: follows every link, and puts what breaks pages elsewhere into every field and every part of a query (web-pages 8.11).
/// That each answer is sound HTML, without a script of its own, ``TestBrowser`` sees to.
@Suite("A scanner on the pages")
struct PageScanTests {
    private static let payloads = [
        "\"><script>alert(1)</script>", "' onmouseover='alert(1)' x='",
        "x\r\nX-Injected: 1\r\n\r\n<script>alert(1)</script>",
        "javascript:alert(1)//\u{0}\u{202E}", "../../../../etc/passwd", "{{page.site}}{{{.}}}${7*7}",
        "' OR 1=1; DROP TABLE users;--", String(repeating: "%F0%9F", count: 800),
    ]
    /// What none of an answer may have of them.
    private static let traces = [
        "<script>alert", "onmouseover='alert", "href=\"javascript:", "root:x:0", "SQLITE", "syntax error",
    ]

    private static func judge(_ reply: Reply, _ what: String) {
        #expect(reply.status < 500, "\(what): \(reply.status) \(reply.text.prefix(400))")
        for trace in traces where reply.has(trace) { Issue.record("\(what): \(trace)") }
        #expect(reply.headers[.known("X-Injected")] == nil, "\(what)")
        if let location = reply.headers[.location] {
            // To a page of ours, or to what an application registered.
            let isOurs = location.hasPrefix("/") && !location.hasPrefix("//") && !location.hasPrefix("/\\")
            #expect(isOurs || location.hasPrefix(PageStepTests.callback), "\(what): \(location)")
            #expect(!location.contains("<"), "\(what): \(location)")
        }
    }

    @Test(arguments: LiveForm.all)
    func `No field of a form is run, is shown as it is, or breaks the server`(form row: LiveForm) async throws {
        try await TestServer.with(.development) { server in
            let scene = try await row.reach(server, "ada@example.com")
            let (browser, fields, action) = (scene.browser, try scene.fields(), try scene.form().action)
            let held = browser.cookies
            for name in fields.keys.sorted() {
                // A wrong token is refused before anything is read: one is enough.
                for payload in ["csrf", "form_id"].contains(name) ? Array(Self.payloads.prefix(1)) : Self.payloads {
                    browser.keep(held)
                    // Each is looked at as if none had been sent before.
                    let end = server.now + 2 * SentForms.lifetime
                    _ = try await server.realm.store.write {
                        try $0.deleteUsedTokens(expiredBefore: end, limit: 1000)
                    }
                    let reply = try await browser.post(action, fields.merging([name: payload]) { $1 })
                    Self.judge(reply, "\(row.testDescription), \(name)=\(payload.prefix(24))")
                }
            }
        }
    }

    // MARK: Links

    /// Who looks.
    enum Visitor: String, CaseIterable, Sendable {
        case nobody, user, owner
    }

    /// Where one begins: pages that no link leads to.
    private static func beginnings(_ visitor: Visitor) -> [String] {
        switch visitor {
        case .nobody:
            [
                "/", "/sign-in", "/sign-in?to=activate", "/sign-up", "/forgot", "/activate", "/signed-out", "/owner",
                "/sign-in/passkey", "/sign-in/other-device", "/oidc/logout", "/no-such-page",
                "/auth/action?mode=verifyEmail&oobCode=x", "/authorize?client_id=none", PageStepTests.request(),
            ]
        case .user: ["/", "/account", "/account/device", "/activate", "/sign-in", "/sign-out", PageStepTests.request()]
        case .owner: ["/console", "/account"]
        }
    }

    @Test(arguments: Visitor.allCases)
    func `No link is broken, and no part of a query is run or breaks the server`(visitor: Visitor) async throws {
        try await TestServer.with(.development) { server in
            let browser = try await browser(of: visitor, on: server)
            let routes = Routes(try server.countersign.endpoints().filter { $0.method == .get }.map(\.path))
            var waiting = Self.beginnings(visitor)
            let own = Set(waiting)
            var seen: Set<String> = []
            var mutated: Set<String> = []
            var pages = 0
            while let path = waiting.popLast(), pages < 300 {
                guard seen.insert(Self.shape(of: path)).inserted else { continue }
                pages += 1
                let reply = try await browser.send(.get, path, headers: [.acceptLanguage: "en"])
                let held = browser.cookies
                Self.judge(reply, path)
                // A link of a page leads somewhere; what was typed into the address need not.
                #expect(own.contains(path) || reply.status < 400, "\(path): \(reply.status)")
                if let location = reply.headers[.location], location.hasPrefix("/") { waiting.append(location) }
                waiting += Self.links(of: reply.text)
                for query in Self.mutations(of: path, route: routes.route(of: path), &mutated) {
                    Self.judge(try await browser.send(.get, query), query)
                }
                browser.keep(held)
            }
            let least = [Visitor.nobody: 15, .user: 20, .owner: 40][visitor] ?? 0
            #expect(pages > least, "\(visitor): \(pages) pages")
        }
    }

    private func browser(of visitor: Visitor, on server: TestServer) async throws -> TestBrowser {
        switch visitor {
        case .nobody: return TestBrowser(server)
        case .user:
            _ = try await server.account(SignInPageTests.address)
            let browser = TestBrowser(server)
            _ = try await SignInPageTests.password(browser)
            return browser
        case .owner: return try await ConsoleStage(server).administrator(.owner)
        }
    }

    /// A path and the names of its query: pages that differ in values alone are one. The language is none of them.
    private static func shape(of path: String) -> String {
        let parts = path.split(separator: "#")[0].split(separator: "?", maxSplits: 1)
        let names = parts.dropFirst().first?.split(separator: "&").map { $0.prefix { $0 != "=" } } ?? []
        return "\(parts.first ?? "/")?\(names.filter { $0 != "lang" }.sorted().joined(separator: "&"))"
    }

    /// The pages and files of ours that a page names.
    private static func links(of html: String) -> [String] {
        html.matches(of: /(?:href|src)="([^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
            // The same page in another language is as it is in this one.
            .filter { $0.hasPrefix("/") && !$0.contains("lang=") }
    }

    /// The same path with each part of its query replaced, with a language and a notice that there are not, and with one part more.
    ///
    /// Pages of one route whose queries have the same names are made by the same code, whatever they are about: of the pages of some seventy
    /// settings each is visited, and the first one's query is changed.
    /// - Parameter mutated: what was done for earlier pages.
    private static func mutations(of path: String, route: String, _ mutated: inout Set<String>) -> [String] {
        let parts = path.split(separator: "#")[0].split(separator: "?", maxSplits: 1).map(String.init)
        guard let page = parts.first, !page.hasPrefix("/assets/") else { return [] }
        let items = parts.dropFirst().first?.split(separator: "&").map(String.init) ?? []
        let names = items.map { String($0.prefix { $0 != "=" }) }
        let isFirstOfRoute = mutated.insert(route).inserted
        let isFirstWithNames = mutated.insert("\(route)?\(names.sorted().joined(separator: "&"))").inserted
        return escapedPayloads.flatMap { payload -> [String] in
            var paths: [String] = []
            if isFirstWithNames {
                paths += items.indices.map { index -> String in
                    var changed = items
                    changed[index] = "\(names[index])=\(payload)"
                    return "\(page)?\(changed.joined(separator: "&"))"
                }
            }
            if isFirstOfRoute {
                // An unknown language and an unknown notice are passed over whatever else is said: both go in one request.
                paths += ["\(page)?\((items + ["lang=\(payload)", "done=\(payload)"]).joined(separator: "&"))"]
                paths += ["\(page)/\(payload)"]
            }
            return paths
        }
    }

    private static let escapedPayloads = payloads.map {
        $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// Which route of the server a path is of.
    private struct Routes: Sendable {
        private let patterns: [(text: String, parts: [Substring])]

        /// - Parameter patterns: as routes spell them, with parts that vary in braces.
        init(_ patterns: [String]) {
            // Words before braces, as the router has it.
            let known = patterns.map { (text: $0, parts: $0.split(separator: "/")) }
            self.patterns = known.filter { !$0.text.contains("{") } + known.filter { $0.text.contains("{") }
        }

        /// The route as it is spelled; the path where it is of none.
        func route(of path: String) -> String {
            let path = path.prefix { $0 != "?" && $0 != "#" }
            let parts = path.split(separator: "/")
            let found = patterns.first { pattern in
                pattern.parts.count == parts.count
                    && zip(pattern.parts, parts).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
            }
            return found?.text ?? String(path)
        }
    }
}
