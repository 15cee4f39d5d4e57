import AdminServer
import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import JSON
import Testing

/// What somebody else changes while an administrator has a form of the console open.
@Suite("Changes beside an open form of the console")
struct ConcurrentChangeTests {
    private static let behind = "What it is now stands below"

    /// The page of the form, and what it is answered with the fields that were typed.
    private struct OpenForm {
        let browser: TestBrowser
        let page: TestPage
        let path: String

        init(_ browser: TestBrowser, _ path: String) async throws {
            self.browser = browser
            self.path = String(path.prefix { $0 != "?" })
            page = try await browser.open(path)
        }

        init(_ browser: TestBrowser, _ page: TestPage, at path: String) {
            (self.browser, self.page, self.path) = (browser, page, path)
        }

        func send(_ typed: [String: String], without unticked: Set<String> = []) async throws -> TestPage {
            let form = try #require(page.forms.first { $0.action == path }, "\(page.html)")
            let values = form.values.merging(typed) { $1 }.filter { !unticked.contains($0.key) }
            let reply = try await browser.post(path, values)
            guard reply.status == 303, let location = reply.headers[.location] else {
                return TestPage(reply: reply, path: path, language: "en")
            }
            return try await browser.open(location)
        }
    }

    private static func perform<Operation: AdministrationOperation>(
        _ operation: Operation, _ server: TestServer
    ) async throws -> Operation.Answer {
        try await operation.perform(on: server.realm, as: .commandLine, by: .testAdministrator)
    }

    private static func change(_ set: (inout RegistrationChange) -> Void) -> ChangeApplication {
        var change = RegistrationChange()
        set(&change)
        return ChangeApplication(id: "target-app", registration: change)
    }

    @Test func `An application keeps what was changed beside the form, and what both changed is asked once more`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            func registration() async throws -> ApplicationRegistration {
                try #require(try await server.realm.applications.registered(ClientID(rawValue: "target-app")))
                    .registration
            }
            let path = "/console/applications/target-app/settings"
            let form = try await OpenForm(owner, path)
            _ = try await Self.perform(
                Self.change {
                    $0.redirectURIs = ["https://target.example.com/moved"]
                    $0.displayName = "Theirs"
                    $0.requiresPAR = true
                    $0.scopes = ["openid", "email"]
                }, server)
            // A box that was not ticked when the page was made is no wish to untick it.
            let merged = try await form.send(["note": "Mine"])
            #expect(merged.kind == "console-application", "\(merged.html)")
            var now = try await registration()
            #expect(now.ownerNote == "Mine" && now.displayName == "Theirs" && now.oauth.requiresPAR)
            #expect(now.redirectURIs == ["https://target.example.com/moved"] && now.scopes == ["openid", "email"])

            let stale = try await form.send(["name": "<b>Mine", "require-dpop": "1"])
            #expect(stale.status == 422 && stale.hasAlert && stale.html.contains(Self.behind), "\(stale.html)")
            #expect(stale.html.contains("Theirs") && stale.html.contains("&lt;b&gt;Mine"), "\(stale.html)")
            now = try await registration()
            #expect(now.displayName == "Theirs" && !now.oauth.requiresDPoP, "Nothing is half done.")
            // Having seen both, the administrator saves what the page has.
            let again = try await OpenForm(owner, stale, at: path).send([:])
            #expect(again.kind == "console-application", "\(again.html)")
            now = try await registration()
            #expect(now.displayName == "<b>Mine" && now.oauth.requiresDPoP && now.oauth.requiresPAR)
            // What both wrote alike is no matter for a question.
            let same = try await OpenForm(owner, path)
            _ = try await Self.perform(Self.change { $0.displayName = "Alike" }, server)
            #expect(try await same.send(["name": "Alike"]).kind == "console-application")
            let unticked = try await OpenForm(owner, path).send([:], without: ["require-par"])
            #expect(unticked.kind == "console-application")
            #expect(try await !registration().oauth.requiresPAR)
        }
    }

    @Test func `A hook, a user and an API keep what was changed beside their forms`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let hook = try #require(stage.objects["hook"])
            let ofHook = try await OpenForm(owner, "/console/hooks/\(hook)/settings")
            _ = try await Self.perform(ChangeHook(id: hook, url: "https://hooks.example.com/other"), server)
            #expect(try await ofHook.send(["label": "Mine"]).kind == "console-hook")
            var kept = try await Self.perform(ShowHook(id: hook), server).hook
            #expect(kept.url == "https://hooks.example.com/other" && kept.label == "Mine")
            let stale = try await ofHook.send(["url": "https://hooks.example.com/mine"])
            #expect(stale.status == 422 && stale.html.contains(Self.behind), "\(stale.html)")
            kept = try await Self.perform(ShowHook(id: hook), server).hook
            #expect(kept.url == "https://hooks.example.com/other")

            _ = try await Self.perform(
                SetUser(user: "target", attributes: ["city": "Paris", "age": .integer(1)]), server)
            let ofUser = try await OpenForm(owner, "/console/users/target/edit")
            _ = try await Self.perform(
                SetUser(
                    user: "target", displayName: "Theirs", attributes: ["city": "Rome", "plan": "pro"],
                    claims: ["tier": .integer(2)]), server)
            let merged = try await ofUser.send(["attribute.age": "2", "locale": "de"])
            #expect(merged.kind == "console-user", "\(merged.html)")
            let user = try #require(try await server.realm.accounts.user(UserID(rawValue: "target")))
            #expect(user.profile.attributes == ["city": "Rome", "plan": "pro", "age": .integer(2)])
            #expect(user.profile.displayName == "Theirs" && user.profile.locale == "de")
            #expect(user.profile.customClaims == ["tier": .integer(2)])
            let both = try await ofUser.send(["attribute.city": "Bonn"])
            #expect(both.status == 422 && both.html.contains("Rome") && both.html.contains("Bonn"), "\(both.html)")

            let uri = "https://notes.example.com"
            _ = try await Self.perform(PutResource(uri: uri, displayName: "Notes", scopes: ["read"]), server)
            let page = "/console/apis/put?uri=https%3A%2F%2Fnotes%2Eexample%2Ecom"
            let ofAPI = try await OpenForm(owner, page)
            let adding = try await OpenForm(owner, "/console/apis/put")
            _ = try await Self.perform(PutResource(uri: uri, displayName: "Notes", scopes: ["read", "write"]), server)
            #expect(try await ofAPI.send(["name": "Mine"]).kind == "console-apis")
            func resource() async throws -> Resource? {
                try await server.realm.resources.list().first { $0.uri == uri }
            }
            #expect(try await resource()?.name == "Mine")
            #expect(try await resource()?.scopes.map(\.name) == ["read", "write"])
            #expect(try await ofAPI.send(["scopes": "other"]).html.contains(Self.behind))
            // A form that adds does not replace what is there under the name, and none brings back what was removed.
            let there = try await adding.send(["uri": uri, "name": "New"])
            #expect(there.status == 422 && there.html.contains("There is an API"), "\(there.html)")
            _ = try await Self.perform(RemoveResource(uri: uri), server)
            let gone = try await ofAPI.send(["name": "Mine too"])
            #expect(gone.status == 422 && gone.html.contains("removed this API"), "\(gone.html)")
            #expect(try await resource() == nil)
        }
    }

    @Test func `A setting that was changed since its effects were shown is not replaced unseen`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            let path = "/console/settings/passwords.minimumLength"
            let preview = try await owner.open("\(path)?value=12")
            _ = try await Self.perform(
                ChangeSetting(key: "passwords.minimumLength", value: .integer(14)), server)
            let form = OpenForm(owner, preview, at: path + "/change")
            let stale = try await form.send([:])
            #expect(stale.status == 422 && stale.html.contains("it is <bdi>14</bdi> now"), "\(stale.html)")
            #expect(try await server.realm.settings().passwords.minimumLength == 14)
            let again = try await OpenForm(owner, stale, at: path + "/change").send([:])
            #expect(again.html.contains("12"), "\(again.html)")
            #expect(try await server.realm.settings().passwords.minimumLength == 12)
        }
    }

    @Test func `Of two changes that expect the same, one is made: of applications, hooks, users, APIs and settings`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let hook = try #require(stage.objects["hook"])
            let uri = "https://notes.example.com"
            /// How many of the operations were made, all at once; the others were refused as conflicts.
            func made(_ operations: [any AdministrationOperation]) async throws -> Int {
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for operation in operations {
                        group.addTask {
                            do {
                                _ = try await Self.done(operation, server)
                                return true
                            } catch let error as AdministrationError {
                                #expect(error.code == .conflict && error.message.contains("changed meanwhile"))
                                return false
                            }
                        }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
            }
            let application = try await Self.perform(ShowApplication(id: "target-app"), server).revision
            #expect(application != nil)
            #expect(
                try await made(
                    (0..<4).map { number in
                        var change = Self.change { $0.ownerNote = "Note \(number)" }
                        change.expecting = application
                        return change
                    }) == 1)
            let ofHook = try await Self.perform(ShowHook(id: hook), server).revision
            #expect(
                try await made((0..<4).map { ChangeHook(id: hook, label: "Label \($0)", expecting: ofHook) }) == 1)
            let user = try await Self.perform(ShowUser(user: "target"), server).revision
            #expect(
                try await made((0..<4).map { SetUser(user: "target", displayName: "Name \($0)", expecting: user) }) == 1
            )
            #expect(
                try await made((0..<4).map { PutResource(uri: uri, displayName: "API \($0)", expecting: "") }) == 1)
            let resource = try await Self.perform(ListResources(), server).resources.first { $0.uri == uri }?.revision
            #expect(
                try await made(
                    (0..<4).map { PutResource(uri: uri, displayName: "Other \($0)", expecting: resource) }) == 1)
            let length = try await server.realm.settings().passwords.minimumLength
            #expect(
                try await made(
                    (10..<14).map {
                        ChangeSetting(
                            key: "passwords.minimumLength", value: .integer(Int64($0)),
                            expecting: .integer(Int64(length)))
                    }) == 1)
            // A new secret does not change what others see, and nobody can try secrets by the revision.
            let before = try await Self.perform(ShowApplication(id: "target-app"), server).revision
            _ = try await Self.perform(Self.change { $0.hasSecret = true }, server)
            let first = try await Self.perform(ShowApplication(id: "target-app"), server).revision
            _ = try await Self.perform(Self.change { $0.hasSecret = true }, server)
            #expect(try await Self.perform(ShowApplication(id: "target-app"), server).revision == first)
            #expect(before != nil && first != nil)
        }
    }

    private static func done<Operation: AdministrationOperation>(
        _ operation: Operation, _ server: TestServer
    ) async throws -> Bool {
        _ = try await perform(operation, server)
        return true
    }
}
