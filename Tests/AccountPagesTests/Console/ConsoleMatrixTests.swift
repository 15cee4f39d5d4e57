import AdminServer
import CountersignCore
import CountersignServer
import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import Testing
import WebPages

/// Every page of the console against every kind of visitor (web-pages 8.5).
@Suite("The console's pages by role")
struct ConsoleMatrixTests {
    private static let site = HTTPField.Name.known("Sec-Fetch-Site")
    private static let signIn = "/sign-in?to=console"

    /// What the log says was changed, the newest first: to look at a user's data is logged too.
    private static func changes(_ server: TestServer) async throws -> [String] {
        try await server.realm.auditLog.events(limit: 1000).filter { $0.kind != .userDataShown }.map(\.id)
    }

    @Test func `Every route of the console has a row, and every row a route`() async throws {
        try await TestServer.with(.development) { server in
            let endpoints = try server.countersign.endpoints().filter {
                $0.path == "/console" || $0.path.hasPrefix("/console/") && !$0.path.hasSuffix("**")
            }
            #expect(Set(endpoints.filter { $0.method == .get }.map(\.path)) == Set(ConsoleRow.all.map(\.path)))
            #expect(
                Set(endpoints.filter { $0.method == .post }.map(\.path))
                    == Set(ConsoleRow.all.filter(\.isForm).map(\.path)))
        }
    }

    @Test func `No page has a fixed word where another one has what people name`() async throws {
        // Ids of hooks and extensions are the server's.
        let named = ["{user}", "{group}", "{id}", "{registered}", "{session}", "{application}"]
        let paths = ConsoleRow.all.map { $0.path.split(separator: "/").map(String.init) }
        for one in paths {
            for other in paths where other.count == one.count && other != one {
                let meets = zip(one, other).allSatisfy { $0 == $1 || $0.hasPrefix("{") || $1.hasPrefix("{") }
                let differing = zip(one, other).filter { $0 != $1 && !$1.hasPrefix("{") }.map(\.0)
                #expect(!meets || Set(differing).isDisjoint(with: named), "\(one) and \(other)")
            }
        }
    }

    @Test func `Users with the words of paths as ids have their pages, and none passes for a token`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            for id in ["add", "invite", "import", "users-add", "users-bulk", "admin-token", "console", "factors"] {
                let user = User(
                    id: UserID(rawValue: id), email: EmailAddress("\(id)@example.com"), profile: UserProfile(),
                    createdAt: server.now)
                // As a server of before made them: no new user is called `admin-token`.
                #expect(try await server.realm.store.write { try $0.insert(user) })
                let page = try await owner.open("/console/users/\(id)")
                #expect(page.kind == "console-user" && page.html.contains("\(id)@example.com"), "\(page.html)")
                #expect(try await owner.open("/console/users/\(id)/factors").kind == "console-user-factors")
                _ = try await AddGroup(group: id).perform(on: server.realm, as: .commandLine, by: .testAdministrator)
                #expect(try await owner.open("/console/groups/\(id)").kind == "console-group", "\(id)")
            }
            // Who calls himself as the log calls the first token is told apart from it.
            let user = UserID(rawValue: "admin-token")
            _ = try await server.realm.administrators.grant(.owner, to: user, by: .testAdministrator)
            _ = try await AddMachineToken(label: "his", scopes: ["*"], lifetime: 86_400).perform(
                on: server.realm, as: .user(user, .owner), by: .testAdministrator)
            _ = try await server.realm.accounts.delete(user, by: .testAdministrator)
            let tokens = try await owner.open("/console/tokens").html
            #expect(tokens.contains("<bdi>user:admin-token</bdi>"), "\(tokens)")
        }
    }

    @Test func `Each page is for the roles of its row, and for no other visitor`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let nobody = TestBrowser(server)
            let user = try await stage.administrator(nil)
            let weak = TestBrowser(server)
            let weakUser = try await server.account("weak@example.com")
            _ = try await server.realm.administrators.grant(.owner, to: weakUser.id, by: .testAdministrator)
            #expect(try await SignInPageTests.password(weak, "weak@example.com").kind == "account")
            var administrators: [(AdministratorRole, TestBrowser)] = []
            for role in AdministratorRole.allCases {
                administrators.append((role, try await stage.administrator(role)))
            }
            let log = try await Self.changes(server)

            for row in ConsoleRow.all {
                let path = row.path(stage.objects)
                for (name, browser, status) in [("nobody", nobody, 303), ("aal1", weak, 303), ("user", user, 403)] {
                    let reply = try await browser.send(.get, path)
                    #expect(reply.status == status, "\(path) \(name): \(reply.status)")
                    if status == 303 {
                        let target = reply.headers[.location] ?? ""
                        #expect(target.hasPrefix(Self.signIn), "\(path) \(name): \(target)")
                    }
                    guard row.isForm else { continue }
                    let posted = try await browser.post(path, ["csrf": ConsoleStage.csrf(path, browser)])
                    #expect(posted.status == status, "POST \(path) \(name): \(posted.status)")
                }
                for (role, browser) in administrators {
                    let page = row.page(stage.objects)
                    let reply = try await browser.send(.get, page.path)
                    if row.roles.contains(role) {
                        let status = page.isThere ? 200 : 404
                        #expect(reply.status == status, "\(page.path) \(role): \(reply.status) \(reply.text)")
                        continue
                    }
                    let refusal = row.isOfObject ? 404 : 403
                    #expect(reply.status == refusal, "\(path) \(role): \(reply.status)")
                    guard row.isForm else { continue }
                    // With the token that the form would have: the right alone is missing.
                    let posted = try await browser.post(path, ["csrf": ConsoleStage.csrf(path, browser)])
                    #expect(posted.status == refusal, "POST \(path) \(role): \(posted.status)")
                }
            }
            #expect(try await Self.changes(server) == log, "Something was done.")

            // Left alone for a quarter of an hour, all of them have to prove who they are.
            try await server.advance(901)
            for (role, browser) in administrators {
                for row in ConsoleRow.all {
                    let path = row.path(stage.objects)
                    let reply = try await browser.send(.get, path)
                    let shown = reply.headers[.location] ?? ""
                    #expect(reply.status == 303 && shown.hasPrefix(Self.signIn), "\(path) \(role)")
                    guard row.isForm else { continue }
                    let posted = try await browser.post(path, ["csrf": ConsoleStage.csrf(path, browser)])
                    let refused = posted.headers[.location] ?? ""
                    #expect(posted.status == 303 && refused.hasPrefix(Self.signIn), "\(path) \(role)")
                }
            }
            #expect(try await Self.changes(server) == log, "Something was done.")
        }
    }

    @Test func `No page of the console asks about what does not exist, and its form does nothing`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let log = try await Self.changes(server)
            var count = 0
            for row in ConsoleRow.all where row.isForm {
                // One thing is missing at a time, and of a query all that it says, too.
                var pages = row.names.map { name in
                    row.page(stage.objects.merging([name: "none"]) { $1 }).path
                }
                if !row.query.isEmpty { pages.append(row.path(stage.objects)) }
                for page in pages {
                    count += 1
                    let path = String(page.prefix { $0 != "?" })
                    #expect(try await owner.send(.get, page).status == 404, "\(page)")
                    var fields = ConsoleStage.locks(path, owner, server)
                    for item in page.dropFirst(path.count).dropFirst().split(separator: "&") {
                        let parts = item.split(separator: "=").map(String.init)
                        fields[parts[0]] = parts[1]
                    }
                    let posted = try await owner.post(path, fields)
                    #expect(posted.status == 404, "POST \(page): \(posted.status)")
                }
            }
            #expect(count > 50, "\(count)")
            #expect(try await Self.changes(server) == log, "Something was done.")
        }
    }

    @Test func `No form of the console is taken without both locks`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let other = try await stage.administrator(.owner, "other")
            let log = try await Self.changes(server)
            for row in ConsoleRow.all where row.isForm {
                let path = row.path(stage.objects)
                let own = ConsoleStage.csrf(path, owner)
                for token in [nil, "", "AAAA", ConsoleStage.csrf(path, other), ConsoleStage.csrf(path + "x", owner)] {
                    var fields: [String: String] = [:]
                    fields["csrf"] = token
                    let reply = try await owner.post(path, fields)
                    #expect(reply.status == 403, "\(path) \(token ?? "nil"): \(reply.status)")
                }
                let strangers: [HTTPFields] = [
                    [Self.site: "cross-site"], [Self.site: "same-site"], [Self.site: "none"], [:],
                    [.origin: "https://evil.example"], [Self.site: "same-origin", .origin: "https://evil.example"],
                ]
                for headers in strangers {
                    let reply = try await owner.post(path, ["csrf": own], headers: headers)
                    #expect(reply.status == 403, "\(path) \(headers): \(reply.status)")
                }
                let reply = try await owner.post(
                    path, ["csrf": own], headers: [Self.site: "same-origin", .contentType: "text/plain"])
                #expect(reply.status == 400, "\(path): \(reply.status)")
            }
            #expect(try await Self.changes(server) == log, "Something was done.")
        }
    }
}
