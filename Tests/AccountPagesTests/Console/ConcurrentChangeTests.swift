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

        /// What it would change, or why not.
        func review(_ typed: [String: String], without unticked: Set<String> = []) async throws -> TestPage {
            let form = try #require(page.forms.first { $0.action == path }, "\(page.html)")
            let values = form.values.merging(typed) { $1 }.filter { !unticked.contains($0.key) }
            let reply = try await browser.post(path, values)
            guard reply.status == 303, let location = reply.headers[.location] else {
                return TestPage(reply: reply, path: path, language: "en")
            }
            return try await browser.open(location)
        }

        /// The same, and saves it.
        func send(_ typed: [String: String], without unticked: Set<String> = []) async throws -> TestPage {
            try await ConsoleStage.confirmed(try await review(typed, without: unticked), in: browser)
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
            #expect(stale.html.contains("href=\"#name\""), "\(stale.html)")
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

    @Test func `A form changes the fields that it says alone, and unticks no box that its page did not show`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            let path = "/console/applications/target-app/settings"
            _ = try await Self.perform(
                Self.change {
                    $0.requiresPAR = true
                    $0.requiresDPoP = true
                    $0.backchannelLogoutURI = "https://target.example.com/logout"
                    $0.contacts = ["dev@example.com"]
                }, server)
            // What the page would carry if it showed no box, and one box.
            for (boxes, requiresDPoP) in [([String](), true), (["require-dpop"], false)] {
                let page = try await owner.open(path)
                let form = try #require(page.forms.first { $0.action == path }?.values)
                let shown = (form["shown"] ?? "").split(separator: " ").filter { mark in
                    (["name"] + boxes).contains { mark.hasPrefix("\($0)=") }
                }
                #expect(shown.count == boxes.count + 1, "\(form)")
                let part = [
                    "csrf": form["csrf"] ?? "", "shown": shown.joined(separator: " "), "name": "Partly \(boxes.count)",
                ]
                let review = TestPage(reply: try await owner.post(path, part), path: path, language: "en")
                #expect(try await ConsoleStage.confirmed(review, in: owner).kind == "console-application")
                let now = try #require(try await server.realm.applications.registered(ClientID(rawValue: "target-app")))
                    .registration
                #expect(now.displayName == part["name"] && now.contacts == ["dev@example.com"])
                #expect(now.oauth.requiresPAR && now.oauth.requiresDPoP == requiresDPoP, "\(part)")
                #expect(now.redirectURIs == ["https://target.example.com/callback"])
                #expect(now.oauth.backchannelLogoutURI == "https://target.example.com/logout")
            }
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

    @Test func `What a form changes is shown before it is done, and only what was shown is done`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            func registration() async throws -> ApplicationRegistration {
                try #require(try await server.realm.applications.registered(ClientID(rawValue: "target-app")))
                    .registration
            }
            func user() async throws -> User {
                try #require(try await server.realm.accounts.user(UserID(rawValue: "target")))
            }
            let path = "/console/applications/target-app/settings"
            let review = try await OpenForm(owner, path).review(["name": "<b>Mine", "reveal-addresses": "1"])
            #expect(review.status == 200 && review.kind == "console-review", "\(review.html)")
            for text in [
                "<bdi>&lt;b&gt;Mine</bdi>", "Answers disclose whether an address has an account", "reveals addresses",
                "countersign app set --name", "class=\"dangerous\"",
            ] { #expect(review.html.contains(text), "\(text): \(review.html)") }
            #expect(!review.html.contains("<b>Mine"))
            #expect(try await registration().displayName == nil, "A look changes nothing.")
            let form = try #require(review.forms.first { $0.names.contains("seen") })
            // Neither what another form says, nor another session's mark.
            for (name, value) in [
                ("name", "Other"), ("seen", ""), ("seen", "AAAA"), ("seen", form.values["csrf"] ?? ""),
            ] {
                let refused = try await owner.post(path, form.values.merging([name: value]) { $1 })
                let page = TestPage(reply: refused, path: path, language: "en")
                #expect(page.kind == "console-review", "\(name): \(page.html)")
                #expect(refused.status == (value.isEmpty ? 200 : 422), "\(name): \(refused.status)")
                #expect(try await registration().displayName == nil)
            }
            // Back to the form, which keeps what was typed.
            let again = try await owner.post(path, form.values.merging(["again": "1"]) { $1 })
            #expect(again.status == 200 && again.text.contains("value=\"&lt;b&gt;Mine\""), "\(again.text)")
            let back = TestPage(reply: again, path: path, language: "en")
            #expect(back.kind == "console-ask")
            #expect(try await OpenForm(owner, back, at: path).review([:]).kind == "console-review")
            // What somebody else changes after the look is told, though it is another field.
            _ = try await Self.perform(Self.change { $0.ownerNote = "Theirs" }, server)
            let stale = try await owner.post(path, form.values)
            #expect(stale.status == 422 && stale.text.contains("since you were shown what changes"), "\(stale.text)")
            #expect(try await registration().displayName == nil)
            let shown = TestPage(reply: stale, path: path, language: "en")
            let mark = try #require(shown.forms.first { $0.names.contains("seen") })
            let saved = try #require(try await owner.sendForm(mark, [:]).page)
            #expect(saved.kind == "console-application" && saved.notice == "The application was changed.")
            let both = try await registration()
            #expect(both.displayName == "<b>Mine" && both.ownerNote == "Theirs")
            let nothing = try await OpenForm(owner, path).send([:])
            #expect(nothing.notice == "Nothing was different, and nothing was changed.", "\(nothing.html)")

            // Of a user each attribute and each claim by itself, and what an operation refuses before it is asked about.
            let edit = "/console/users/target/edit"
            _ = try await Self.perform(
                SetUser(user: "target", attributes: ["city": "Paris", "age": .integer(1)], claims: ["tier": "a"]),
                server)
            let ofUser = try await OpenForm(owner, edit).review([
                "attributes": "{\"city\": \"Bonn\", \"plan\": \"<i>\"}", "claims": "{}",
                "picture": "https://a.example/p.png",
            ])
            #expect(ofUser.kind == "console-review", "\(ofUser.html)")
            let cells = ofUser.html.matches(of: /<td[^>]*>([\s\S]*?)<\/td>/).map { String($0.1) }.joined(separator: " ")
            for text in ["Paris", "Bonn", "&lt;i&gt;", "https://a.example/p.png", ">a<"] {
                #expect(cells.contains(text), "\(text): \(cells)")
            }
            let before = try await user().profile
            #expect(before.attributes["city"] == "Paris" && before.photoURL == nil)
            #expect(try await ConsoleStage.confirmed(ofUser, in: owner).kind == "console-user")
            #expect(try await user().profile.attributes == ["city": "Bonn", "plan": "<i>"])
            #expect(try await user().profile.photoURL == "https://a.example/p.png")
            #expect(try await user().profile.customClaims.isEmpty)
            for wrong in [["picture": "javascript:alert(1)"], ["claims": "{\"sub\": 1}"]] {
                let refused = try await OpenForm(owner, edit).review(wrong)
                #expect(refused.status == 422 && refused.kind == "console-ask", "\(refused.html)")
            }
            let moving = try await OpenForm(owner, edit).review(["email": "moved@example.com"])
            #expect(moving.kind == "console-review" && moving.html.contains("moved@example.com"), "\(moving.html)")
            #expect(moving.html.contains("signed out everywhere") && moving.html.contains("The address is the user"))
            #expect(!moving.html.contains("makes something weaker") && moving.html.contains("class=\"dangerous\""))
            #expect(try await ConsoleStage.confirmed(moving, in: owner).kind == "console-user")
            #expect(try await user().email?.canonical == "moved@example.com")
            #expect(try await !user().profile.emailVerified)
            let known = try await OpenForm(owner, edit).send(["verified": "1"])
            #expect(known.kind == "console-user", "\(known.html)")
            #expect(try await user().profile.emailVerified)
            // A browser that opens a setting's form itself is shown what it does, too.
            let setting = "/console/settings/passwords.minimumLength/change"
            let ofSetting = try await OpenForm(owner, setting).review(["value": "13"])
            #expect(ofSetting.kind == "console-review" && ofSetting.html.contains("<bdi>13</bdi>"), "\(ofSetting.html)")
            #expect(try await server.realm.settings().passwords.minimumLength != 13)
            _ = try await ConsoleStage.confirmed(ofSetting, in: owner)
            #expect(try await server.realm.settings().passwords.minimumLength == 13)
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

    @Test func `A setting is changed from whatever it is read as`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            func save(_ key: String, _ value: String) async throws -> TestPage {
                let path = "/console/settings/\(key)"
                let preview = try await owner.open("\(path)?value=\(value)")
                return try await OpenForm(owner, preview, at: path + "/change").send([:])
            }
            // A preset reads as what it does not take; a list may be empty, or have elements that no text has.
            _ = try await Self.perform(ChangeSetting(key: "passwords.minimumLength", value: .integer(9)), server)
            #expect(try await save("passwords", "nist").status == 200)
            #expect(try await server.realm.settings().passwords == .nist)
            for value in [JSONValue.array([]), .array(["a,b"])] {
                _ = try await Self.perform(ChangeSetting(key: "accounts.editableAttributes", value: value), server)
                #expect(try await save("accounts.editableAttributes", "city").status == 200, "\(value)")
                #expect(try await server.realm.settings().accounts.editableAttributes == ["city"])
            }
        }
    }

    @Test func `Null expects that a setting is null, over HTTP as well`() async throws {
        try await TestServer.with(.development) { server in
            func set(_ body: String) async throws -> Reply {
                try await server.send(
                    .post, "/admin/v1/settings:set",
                    headers: [.authorization: "Bearer \(server.adminToken)", .contentType: "application/json"],
                    body: Array(body.utf8))
            }
            let key = #""key":"passwords.minimumLengthAlone""#
            #expect(try await set("{\(key),\"value\":\"none\"}").status == 200)
            for (value, expecting, status) in [
                ("15", "20", 409), ("15", "null", 200), ("20", "null", 409), ("20", #""none""#, 409), ("20", "15", 200),
                ("21", #""20""#, 200), ("22", #""no number""#, 409), ("22", "[]", 409),
            ] {
                let reply = try await set("{\(key),\"value\":\(value),\"expecting\":\(expecting)}")
                #expect(reply.status == status, "\(value) \(expecting): \(reply.text)")
            }
            #expect(try await server.realm.settings().passwords.minimumLengthAlone == 21)
        }
    }

    @Test func `An attribute that was removed beside the form is asked about, and not lost without a word`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            func attributes() async throws -> [String: JSONValue]? {
                try await server.realm.accounts.user(UserID(rawValue: "target"))?.profile.attributes
            }
            let path = "/console/users/target/edit"
            _ = try await Self.perform(
                SetUser(user: "target", attributes: ["city": "Paris", "plan": "pro"]), server)
            let form = try await OpenForm(owner, path)
            _ = try await Self.perform(SetUser(user: "target", attributes: ["city": .null, "plan": .null]), server)
            let stale = try await form.send(["attribute.city": "Bonn"])
            #expect(stale.status == 422 && stale.html.contains("Bonn"), "\(stale.html)")
            #expect(stale.html.contains(Self.behind) && !stale.html.contains("attribute.plan\""), "\(stale.html)")
            #expect(try await attributes() == [:])
            #expect(try await OpenForm(owner, stale, at: path).send([:]).kind == "console-user")
            #expect(try await attributes() == ["city": "Bonn"])
            // What both removed is removed.
            let other = try await OpenForm(owner, path)
            _ = try await Self.perform(SetUser(user: "target", attributes: ["city": .null]), server)
            #expect(try await other.send(["attribute.city": ""]).kind == "console-user")
            #expect(try await attributes() == [:])
        }
    }

    @Test func `An API is copied by its form, and its scopes and levels are changed together`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            func resource(_ uri: String) async throws -> Resource? {
                try await server.realm.resources.list().first { $0.uri == uri }
            }
            let (uri, copy) = ("https://notes.example.com", "https://copy.example.com")
            _ = try await Self.perform(PutResource(uri: uri, displayName: "Notes", scopes: []), server)
            let page = "/console/apis/put?uri=https%3A%2F%2Fnotes%2Eexample%2Ecom"
            let copied = try await OpenForm(owner, page).send(["uri": copy, "scopes": "copy"])
            #expect(copied.kind == "console-apis", "\(copied.html)")
            #expect(try await resource(copy)?.name == "Notes")
            #expect(try await resource(copy)?.scopes.map(\.name) == ["copy"])

            _ = try await Self.perform(PutResource(uri: uri, scopes: ["read", "write"], minimumACR: "aal1"), server)
            let form = try await OpenForm(owner, page)
            _ = try await Self.perform(
                PutResource(uri: uri, scopes: ["read", "write"], scopeACRs: ["read": "aal1", "write": "aal2"]), server)
            let stale = try await form.send(["scopes": "read write pay"])
            #expect(stale.status == 422 && stale.html.contains(Self.behind), "\(stale.html)")
            #expect(stale.html.contains("read=aal1 write=aal2"), "\(stale.html)")
            let saved = try await OpenForm(owner, stale, at: "/console/apis/put").send([
                "levels": "read=aal1 write=aal2 pay=aal2"
            ])
            #expect(saved.kind == "console-apis", "\(saved.html)")
            let levels = try #require(try await resource(uri))
            #expect(levels.scopes.map(\.minimumACR) == [.aal1, .aal2, .aal2])
        }
    }

    @Test func `The same letter in another writing is another value, and a link fills no form in`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            let uri = "https://notes.example.com"
            _ = try await Self.perform(PutResource(uri: uri, displayName: "Caf\u{E9}", scopes: []), server)
            let form = try await OpenForm(owner, "/console/apis/put?uri=https%3A%2F%2Fnotes%2Eexample%2Ecom")
            #expect(try await form.send(["name": "Cafe\u{301}"]).kind == "console-apis")
            let api = try await server.realm.resources.list().first { $0.uri == uri }
            #expect(api?.name.map { Array($0.utf8) } == Array("Cafe\u{301}".utf8))
            let user = try await owner.open("/console/users/target/edit?verified=1&email=evil@example.com").html
            #expect(user.contains("<option value=\"\" selected>") && !user.contains("<option value=\"1\" selected>"))
            #expect(!user.contains("value=\"evil@example.com\""), "\(user)")
            let page = try await owner.open("/console/hooks/add?url=https%3A%2F%2Fevil.example.com&label=Theirs")
            // The links to other languages lie beside it, and lead to the same address.
            let main = try #require(
                page.html.components(separatedBy: "<main").last?.components(separatedBy: "</main>").first)
            #expect(page.status == 200 && main.contains("hook add"), "\(main)")
            #expect(!main.contains("evil.example.com") && !main.contains("Theirs"), "\(main)")
        }
    }

    @Test func `A change of a hook or an extension is judged before it is shown, and shown again if need be`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let (hook, service) = (
                try #require(stage.objects["hook"]), try #require(stage.objects["extension"])
            )
            let refused = try await OpenForm(owner, "/console/hooks/\(hook)/settings").review([
                "url": "http://hooks.example.com/in"
            ])
            #expect(refused.status == 422 && refused.kind == "console-ask", "\(refused.html)")
            #expect(refused.html.contains("has to begin with https"), "\(refused.html)")

            let path = "/console/extensions/\(service)/settings"
            let look = try await OpenForm(owner, path).review(["name": "Mine"])
            let form = try #require(look.forms.first { $0.names.contains("seen") }, "\(look.html)")
            // The form says nothing of the resource id, which was left alone.
            _ = try await Self.perform(
                AddExtension(
                    event: "token-issuance-start", targetURL: "https://service.example.com/claims",
                    displayName: "Claims", resourceID: "api://service.example.com/other", replaces: service), server)
            let stale = try await owner.post(path, form.values)
            #expect(stale.status == 422 && stale.text.contains("since you were shown what changes"), "\(stale.text)")
            var now = try await Self.perform(ShowExtension(id: service), server).extension
            #expect(now.displayName == "Claims" && now.resourceID == "api://service.example.com/other")
            let again = TestPage(reply: stale, path: path, language: "en")
            let mark = try #require(again.forms.first { $0.names.contains("seen") })
            #expect(try await owner.sendForm(mark, [:]).page?.kind == "console-extension")
            now = try await Self.perform(ShowExtension(id: service), server).extension
            #expect(now.displayName == "Mine" && now.resourceID == "api://service.example.com/other")
        }
    }

    @Test func `Taking a user out of a group says that no second factor is required any more, and is not done unsaid`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let browser = try await stage.administrator(.operator)
            let path = "/console/groups/staff/members/target/remove"
            let said = "because of this group alone"
            let before = try await browser.open(path)
            #expect(before.kind == "console-ask" && !before.html.contains(said), "\(before.html)")
            try await server.realm.changeSettings(by: .testAdministrator) {
                $0.secondFactors.requiredGroups = ["staff"]
            }
            let group = try await browser.open("/console/groups/staff")
            #expect(group.html.contains("The settings require a second factor of the members"), "\(group.html)")
            let form = try #require(before.forms.first { $0.action == path })
            let stale = try await browser.post(path, form.values)
            #expect(stale.status == 422 && stale.text.contains(said), "\(stale.text)")
            #expect(stale.text.contains("decide by that") && !stale.text.contains("save again"), "\(stale.text)")
            let staff = GroupName(rawValue: "staff")
            #expect(try await server.realm.groups.groups(of: UserID(rawValue: "target")) == [staff])
            let again = TestPage(reply: stale, path: path, language: "en")
            let asked = try #require(again.forms.first { $0.action == path })
            #expect(try await browser.sendForm(asked, [:]).page?.kind == "console-group")
            let target = UserID(rawValue: "target")
            #expect(try await server.realm.groups.groups(of: target).isEmpty)

            // A role that is taken says the same.
            let owner = try await stage.administrator(.owner)
            _ = try await server.realm.administrators.grant(.support, to: target, by: .testAdministrator)
            let role = "/console/administrators/target/revoke"
            #expect(try await !owner.open(role).html.contains("because of the role alone"))
            try await server.realm.changeSettings(by: .testAdministrator) {
                $0.secondFactors.requiredRoles = ["support"]
            }
            #expect(try await owner.open(role).html.contains("because of the role alone"))
        }
    }

    @Test func `Of two changes that expect the same, one is made: of whatever the console has forms for`()
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
            let service = try #require(stage.objects["extension"])
            let ofExtension = try await Self.perform(ShowExtension(id: service), server).revision
            #expect(
                try await made(
                    (0..<4).map {
                        AddExtension(
                            event: "token-issuance-start", targetURL: "https://service.example.com/claims",
                            displayName: "Claims \($0)", replaces: service, expecting: ofExtension)
                    }) == 1)
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
