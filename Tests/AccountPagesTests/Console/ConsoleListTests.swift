import AdminServer
import CountersignCore
import DialectTestSupport
import Foundation
import Testing
import WebPages

/// What all lists of the console have in common.
@Suite("The console's lists")
struct ConsoleListTests {
    /// Where a page's link to a neighbour leads; nil where it has none.
    private static func link(_ relation: String, in page: TestPage) throws -> String? {
        let pattern = try Regex("<a href=\"([^\"]*)\" rel=\"\(relation)\"", as: (Substring, Substring).self)
        return page.html.firstMatch(of: pattern).map { String($0.1).replacing("&amp;", with: "&") }
    }

    @Test func `Pages show users by name beside their ids, and by the id alone once they are removed`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let realm = server.realm
            let made = try await realm.accounts.create(
                id: UserID(rawValue: "ada-1"), email: EmailAddress("ada@example.com"), password: nil,
                by: .testAdministrator
            ).get()
            let address = try #require(EmailAddress("owner@example.com"))
            let boss = try #require(try await realm.accounts.user(email: address))
            var client = ClientContext.testAdministrator
            client.administrator = "user:\(boss.id)"
            let token = try await AddMachineToken(label: "of the owner", scopes: ["users:read"], lifetime: 86_400)
                .perform(on: realm, as: .user(boss.id, .owner), by: client)
            #expect(token.token.createdBy == "user:\(boss.id)")
            let link = "<a href=\"/console/users/ada-1\"><bdi>ada@example.com</bdi><br><bdi>ada-1</bdi></a>"
            let log = try await owner.open("/console/log?kind=user")
            #expect(log.html.contains(link), "\(log.html)")
            let event = try #require(try await realm.auditLog.events(of: made.id, limit: 1).first)
            let shown = try await owner.open("/console/log/\(event.id)")
            #expect(shown.html.contains("<bdi>ada@example.com</bdi><br><bdi>ada-1</bdi>"), "\(shown.html)")
            let tokens = try await owner.open("/console/tokens")
            #expect(
                tokens.html.contains(
                    "<a href=\"/console/users/\(boss.id)\"><bdi>owner@example.com</bdi><br><bdi>\(boss.id)</bdi></a>"),
                "\(tokens.html)")

            _ = try await realm.accounts.delete(made.id, by: .testAdministrator)
            let later = try await owner.open("/console/log?kind=user")
            #expect(later.html.contains("<bdi>ada-1</bdi>") && !later.html.contains("/console/users/ada-1"))
            #expect(!later.html.contains("ada@example.com"))
        }
    }

    /// A page comes whole with one request, whatever is on it (keycloak#18183, keycloak#33001), and is as long as any other
    /// (authentik#25683).
    @Test func `Every list goes forwards to its end and back to its beginning, and shows the same pages both ways`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            for number in 0..<120 {
                let name = "row-\(1000 + number)"
                let user = UserID(rawValue: name)
                _ = try await server.realm.accounts.create(
                    id: user, email: EmailAddress("\(name)@example.com"), password: nil, by: .testAdministrator
                ).get()
                _ = try await AddGroup(group: name).perform(on: server.realm, as: .commandLine, by: .testAdministrator)
                _ = try await AddGroupMember(group: "staff", user: name).perform(
                    on: server.realm, as: .commandLine, by: .testAdministrator)
                // No application has the id of a user.
                let application = try await server.realm.applications.add(
                    id: ClientID(rawValue: "of-\(name)"), ApplicationRegistration(), by: .testAdministrator)
                #expect(application != nil)
                _ = try await server.realm.administrators.grant(.auditor, to: user, by: .testAdministrator)
                _ = try await AddMachineToken(label: name, scopes: ["users:read"], lifetime: 86_400).perform(
                    on: server.realm, as: .commandLine, by: .testAdministrator)
                _ = try await AddRegistrationToken(label: name, lifetime: 86_400).perform(
                    on: server.realm, as: .commandLine, by: .testAdministrator)
            }
            let target = try #require(try await server.realm.accounts.user(UserID(rawValue: "target")))
            try await server.addSessions(120, of: target, named: "row", age: 3600, isEnded: false)
            for path in [
                "/console/users", "/console/groups", "/console/groups?q=ROW", "/console/groups/staff",
                "/console/applications", "/console/applications?q=of-row", "/console/administrators",
                "/console/log?kind=group",
                "/console/tokens",
                "/console/registrations-tokens",
                "/console/users/target/sessions",
            ] {
                var pages = [try await owner.open(path)]
                #expect(try Self.link("prev", in: pages[0]) == nil, "\(path): the first page")
                while let next = try Self.link("next", in: pages[pages.count - 1]), pages.count < 20 {
                    pages.append(try await owner.open(next))
                }
                #expect((3...6).contains(pages.count), "\(path): \(pages.count)")
                func rows(_ page: TestPage) -> [String] {
                    page.html.matches(of: /row-\d{4}/).map { String($0.output) }
                }
                var back = [pages[pages.count - 1]]
                while let previous = try Self.link("prev", in: back[back.count - 1]), back.count < 20 {
                    back.append(try await owner.open(previous))
                }
                #expect(back.reversed().map(rows) == pages.map(rows), "\(path)")
                if !path.contains("log") {
                    #expect(Set(pages.flatMap(rows)).count == 120, "\(path)")
                }
            }
            for path in [
                "/console/users", "/console/groups", "/console/applications", "/console/administrators",
                "/console/limits",
                "/console/registrations", "/console/registrations-documents", "/console/checks", "/console/checks/open",
                "/console/applications/target-app/sessions", "/console/tokens", "/console/registrations-tokens",
                "/console/hooks", "/console/users/target/sessions",
            ] {
                for place in ["after=zzz", "before=zzz"] {
                    let page = try await owner.open("\(path)?\(place)")
                    #expect((400..<500).contains(page.status), "\(path)?\(place): \(page.status)")
                }
            }
        }
    }
}
