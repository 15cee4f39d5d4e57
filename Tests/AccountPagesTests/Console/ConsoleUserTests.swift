import AdminServer
import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import SecurityChecks
import ServerHTTP
import Testing

@testable import ConsoleServer

/// The console's pages about people.
@Suite("People in the console")
struct ConsoleUserTests {
    /// What people may call themselves.
    private static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "{{page.title}}", "'; DROP TABLE users; --",
        "\u{202E}gnp.exe", "a\u{200B}b", "&lt;b&gt;", "日本語のとても長い名前", "🏴‍☠️", "x" + String(repeating: "\u{301}", count: 50),
    ]

    private func with(
        _ role: AdministratorRole = .owner, _ test: @Sendable (ConsoleStage, TestBrowser) async throws -> Void
    ) async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            try await test(stage, try await stage.administrator(role))
        }
    }

    /// Answers the question of a page, and follows what comes.
    private func confirm(
        _ path: String, _ fields: [String: String] = [:], in browser: TestBrowser
    ) async throws -> TestPage {
        let page = try await browser.open(path)
        #expect(page.kind == "console-ask", "\(path): \(page.html)")
        let form = try #require(page.forms.first { $0.action == path && fields.keys.allSatisfy($0.names.contains) })
        let answered = try #require(try await browser.sendForm(form, fields).page)
        return try await ConsoleStage.confirmed(answered, in: browser)
    }

    /// What the fields of several lines have, as a browser sends it.
    private static func lines(_ page: TestPage) -> [String: String] {
        page.html.matches(of: /<textarea[^>]* name="([^"]*)"[^>]*>\n([\s\S]*?)<\/textarea>/).reduce(into: [:]) {
            fields, match in
            fields[String(match.1)] = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
                .reduce(String(match.2)) { $0.replacing($1.0, with: $1.1) }
        }
    }

    @Test func `Users are found by the beginning of address, name and id, page by page`() async throws {
        try await with(.support) { stage, browser in
            for number in 0..<60 {
                _ = try await stage.server.realm.accounts.create(
                    id: UserID(rawValue: "bulk\(number)"), email: EmailAddress("bulk\(number)@example.com"),
                    password: nil, profile: UserProfile(displayName: "Öl \(number)"), by: .testAdministrator
                ).get()
                if number % 10 == 0 { try await stage.server.advance(1) }
            }
            let first = try await browser.open("/console/users")
            #expect(first.kind == "console-users" && first.links["Back"] == nil, "\(first.html)")
            #expect(first.html.contains("bulk59@example.com") && !first.html.contains("bulk3@example.com"))
            let second = try await browser.open(try #require(first.links["Next"]))
            #expect(second.html.contains("bulk3@example.com") && second.links["Next"] == nil)
            let back = try await browser.open(try #require(second.links["Back"]))
            #expect(back.html.contains("bulk59@example.com") && !back.html.contains("bulk3@example.com"))

            for (text, found) in [("bulk42", "bulk42@"), ("%C3%B6L%2042", "bulk42@"), ("TARGET", "target@example.com")]
            {
                let page = try await browser.open("/console/users?q=\(text)")
                #expect(page.html.contains(found) && !page.html.contains("bulk41@"), "\(text): \(page.html)")
            }
            #expect(try await browser.open("/console/users?q=nobody").html.contains("No user is found."))
            for wrong in [
                "filter=none", "after=nonsense", "before=nonsense", "q=" + String(repeating: "x", count: 300),
            ] {
                let page = try await browser.open("/console/users?\(wrong)")
                #expect(page.status == 400 && page.hasAlert && page.html.contains("class=\"menu\""), "\(wrong)")
            }
        }
    }

    @Test func `A list has no way to what the role may not do`() async throws {
        try await with(.auditor) { _, browser in
            for path in ["/console/users", "/console/users/target", "/console/groups/staff", "/console/tokens"] {
                let page = try await browser.open(path)
                #expect(page.status == 200)
                for target in page.links.values {
                    #expect(
                        !target.contains("/add") && !target.hasSuffix("/remove") && !target.hasSuffix("/disable")
                            && !target.hasSuffix("/revoke") && !target.hasSuffix("/delete"), "\(path): \(target)")
                }
            }
        }
    }

    @Test func `A user is disabled and enabled, and the log says by whom`() async throws {
        try await with(.operator) { stage, browser in
            let asked = try await browser.open("/console/users/target/disable")
            #expect(asked.html.contains("countersign user disable target"), "\(asked.html)")
            #expect(asked.html.contains("<bdi>target@example.com</bdi>"))
            let disabled = try await confirm("/console/users/target/disable", in: browser)
            #expect(disabled.kind == "console-user" && disabled.html.contains("role=\"status\""), "\(disabled.html)")
            #expect(disabled.html.contains("This user is disabled") && disabled.links["Enable"] != nil)
            let id = UserID(rawValue: "target")
            #expect(try await stage.server.realm.accounts.user(id)?.isDisabled == true)
            let event = try #require(try await stage.server.realm.auditLog.events(of: id, limit: 1).first)
            guard case .string(let by) = event.details["by"] else { throw Absent() }
            #expect(by.hasPrefix("user:") && event.clientID?.rawValue == "console")
            _ = try await confirm("/console/users/target/enable", in: browser)
            #expect(try await stage.server.realm.accounts.user(id)?.isDisabled == false)
        }
    }

    private struct Absent: Error {}

    @Test func `A user is deleted by typing the address, and not otherwise`() async throws {
        try await with(.operator) { stage, browser in
            let path = "/console/users/target/delete"
            // That is said of the choice that it is true of.
            let asked = try await browser.open(path).html
            #expect(asked.contains("at once: this cannot be undone") && !asked.contains("This cannot"), "\(asked)")
            for wrong in ["", "x", "other@example.com"] {
                let page = try await confirm(path, ["name": wrong], in: browser)
                #expect(page.status == 422 && page.hasAlert, "\(page.html)")
            }
            let gone = try await confirm(path, ["name": "Target@example.com"], in: browser)
            #expect(gone.kind == "console-users" && gone.html.contains("The user was deleted."))
            #expect(try await stage.server.realm.accounts.user(UserID(rawValue: "target")) == nil)
            #expect(try await browser.open("/console/users/target").status == 404)
        }
    }

    @Test func `A page of a user begins with whether the user can sign in, and unlocks by one press`() async throws {
        try await with(.operator) { stage, browser in
            let ada = try await stage.server.account("ada@example.com")
            let path = "/console/users/\(ada.id.rawValue)"
            #expect(try await browser.open(path).html.contains("This user can sign in."))
            let own = TestBrowser(stage.server)
            for number in 0..<12 {
                _ = try await SignInPageTests.password(own, "ada@example.com", password: "wrong \(number)")
            }
            let locked = try await browser.open(path)
            #expect(locked.html.contains("Something refuses this user at the moment."), "\(locked.html)")
            let form = try #require(locked.forms.first { $0.action == "/console/limits/lift" })
            let unlocked = try #require(try await browser.sendForm(form, [:]).page)
            #expect(
                unlocked.path.hasPrefix(path) && unlocked.html.contains("This user can sign in."), "\(unlocked.html)")
            #expect(unlocked.html.contains("role=\"status\""))
            // What was done is said by this server's word alone.
            let forged = try await browser.open("\(path)?done=consoleDoneDeleted")
            #expect(!forged.html.contains("The user was deleted."))
            let auditor = try await stage.administrator(.auditor)
            #expect(try await auditor.open(path).forms.allSatisfy { $0.action == "/sign-out" })
        }
    }

    @Test func `Profile, attributes and claims are edited, and what is not right is refused`() async throws {
        try await with(.operator) { stage, browser in
            let path = "/console/users/target/edit"
            #expect(try await browser.open(path).html.contains("{}</textarea>"))
            let done = try await confirm(
                path,
                [
                    "display_name": "Augusta <b>", "attributes": "{\"city\": \"London\", \"age\": 36}",
                    "claims": "{\"plan\": \"pro\"}",
                ], in: browser)
            #expect(done.kind == "console-user" && done.html.contains("Augusta &lt;b&gt;"), "\(done.html)")
            let user = try #require(try await stage.server.realm.accounts.user(UserID(rawValue: "target")))
            #expect(user.profile.attributes == ["city": "London", "age": .integer(36)])
            #expect(user.profile.customClaims == ["plan": "pro"])
            // Each is a field too, which says what its JSON does not.
            let typed = Self.lines(try await browser.open(path)).merging(["attribute.age": "35", "attribute.city": ""])
            { $1 }
            _ = try await confirm(path, typed, in: browser)
            let fields = try #require(try await stage.server.realm.accounts.user(UserID(rawValue: "target")))
            #expect(fields.profile.attributes == ["age": .integer(35)], "\(fields.profile.attributes)")
            // So is each claim that is no list and no object; claims are written together, and a value keeps its kind.
            func claims() async throws -> [String: JSONValue]? {
                try await stage.server.realm.accounts.user(UserID(rawValue: "target"))?.profile.customClaims
            }
            let written = #"{"beta": true, "plan": "pro", "seats": 3, "teams": ["a"], "two words": "x"}"#
            _ = try await confirm(path, ["claims": written], in: browser)
            let open = try await browser.open(path)
            #expect(open.html.contains("plan (claim)") && !open.html.contains("claim.teams"), "\(open.html)")
            #expect(!open.html.contains("claim.two words"))
            let changed = Self.lines(open).merging(["claim.seats": "5", "claim.beta": "false", "claim.plan": ""]) { $1 }
            _ = try await confirm(path, changed, in: browser)
            #expect(
                try await claims()
                    == ["beta": .bool(false), "seats": .integer(5), "teams": .array(["a"]), "two words": "x"])
            _ = try await confirm(
                path, ["display_name": "Ada", "attributes": "{\"age\": 37}", "claims": ""], in: browser)
            let after = try #require(try await stage.server.realm.accounts.user(UserID(rawValue: "target")))
            #expect(after.profile.attributes == ["age": .integer(37)] && after.profile.customClaims.isEmpty)
            for wrong in ["[]", "{", "{\"a\": {}}", "{\"a b\": 1}"] {
                let page = try await confirm(path, ["attributes": wrong], in: browser)
                #expect(page.status == 422 && page.hasAlert, "\(wrong)")
            }
            let reserved = try await confirm(path, ["claims": "{\"sub\": \"x\"}"], in: browser)
            #expect(reserved.status == 422)
            // One who is added has an id and a language at once.
            let added = try await confirm(
                "/console/users-add", ["email": "new@example.com", "id": "chosen", "locale": "ja"], in: browser)
            #expect(added.kind == "console-user", "\(added.html)")
            let chosen = try #require(try await stage.server.realm.accounts.user(UserID(rawValue: "chosen")))
            #expect(chosen.email?.canonical == "new@example.com" && chosen.profile.locale == "ja")
        }
    }

    @Test func `Security checks of a user and the findings of doctor are shown to those who may see them`() async throws
    {
        try await with(.auditor) { stage, auditor in
            let page = try await auditor.open("/console/users/target/checks")
            #expect(page.kind == "console-user-checks" && page.status == 200, "\(page.html)")
            #expect(page.html.contains("countersign user checks target"), "\(page.html)")
            #expect(
                try await auditor.open("/console/users/target").html.contains("href=\"/console/users/target/checks\""))
            let overview = try await auditor.open("/console")
            #expect(overview.links.values.contains("/console/doctor") && overview.html.contains("Servers"))
            #expect(overview.html.firstMatch(of: /class="standing (good|alarming)"/) != nil, "\(overview.html)")
            let support = try await stage.administrator(.support)
            #expect(try await !support.open("/console/users/target").html.contains("/console/users/target/checks"))
            let seen = try await support.open("/console")
            #expect(seen.status == 200 && !seen.html.contains("class=\"standing"), "\(seen.html)")
        }
    }

    @Test func `A check that blocks a user's client is shown on the user's page and lifted there`() async throws {
        try await with(.operator) { stage, browser in
            let server = stage.server
            let client = try await MobileClient.registered(on: server)
            let user = try #require(try await server.realm.accounts.user(UserID(rawValue: "target")))
            _ = try await server.realm.clients.changeContext(of: RegisteredClientID(rawValue: client.id)) { context in
                context.registeredUser = AuthenticatedUser(
                    id: user.id.rawValue, displayName: "<b>", authenticatedAt: .distantPast, authenticatedBy: "Login",
                    account: user.id, accountEpoch: user.tokenEpoch)
            }
            let scope = "RegisteredClient accessRestricted"
            for _ in 0..<3 { _ = try await client.preauthorize(scope, ["PinCodeAttempts": ["pin": "0000"]]) }
            let path = "/console/users/target/checks"
            let page = try await browser.open(path)
            #expect(page.html.contains("<bdi>PinCodeAttempts</bdi>") && page.html.contains("blocked"), "\(page.html)")
            #expect(!page.html.contains(client.id), "a client's id is a secret")
            // Among those of all users, by state, check and application; what is lifted there leads back there.
            let all = try await browser.open("/console/checks/open?state=blocked&check=PinCodeAttempts")
            #expect(all.kind == "console-checks-open" && all.links["Unblock"] != nil && all.links["Remove"] != nil)
            #expect(all.html.contains("/console/users/target\"") && !all.html.contains(client.id), "\(all.html)")
            #expect(all.html.contains("countersign client checks"), "\(all.html)")
            for path in ["state=success", "check=Other", "application=other"] {
                #expect(try await browser.open("/console/checks/open?\(path)").html.contains("No check is open."))
            }
            #expect(try await browser.open("/console/checks").links["Open checks"] == "/console/checks/open")
            // One client has a page, which does not say its id either.
            let list = try await browser.open("/console/checks")
            let own = try #require(list.links.values.first { $0.hasPrefix("/console/checks/client?client=") })
            let one = try await browser.open(own)
            #expect(one.kind == "console-client" && one.html.contains("<bdi>PinCodeAttempts</bdi>"), "\(one.html)")
            #expect(one.html.contains("countersign client show") && !one.html.contains(client.id), "\(one.html)")
            #expect(try await browser.open("/console/checks/client?client=none").status == 404)
            let asked = try #require(all.links["Remove"])
            #expect(asked.contains("list=open"), "\(asked)")
            let link = try #require(page.links["Unblock"], "\(page.html)")
            let done = try await ConsoleServerPagesTests.answer(browser, link)
            #expect(done.kind == "console-user-checks" && done.notice == "The client can answer again.", "\(done.html)")
            #expect(done.html.contains("No check is open."), "\(done.html)")
            let remove = try #require(done.links["Remove"])
            let removed = try await ConsoleServerPagesTests.answer(browser, remove)
            #expect(removed.kind == "console-user-checks" && removed.path.hasPrefix(path), "\(removed.path)")
        }
    }

    @Test func `A form marks what deceives and changes nothing of a value that was left alone`() async throws {
        try await with(.operator) { stage, browser in
            let (path, name, note) = ("/console/users/target/edit", "\u{202E}gnp.\u{200F}אבג 👩‍🚀", "\u{2067}x\u{E0041}")
            let realm = stage.server.realm
            _ = try await SetUser(
                user: "target", displayName: name, attributes: ["note": .string(note)], claims: ["note": .string(note)]
            ).perform(on: realm, as: .commandLine, by: .testAdministrator)
            let page = try await browser.open(path)
            #expect(page.html.contains("value=\"\u{FFFD}gnp.\u{FFFD}אבג 👩‍🚀\""), "\(page.html)")
            #expect(page.html.contains("\\u2067x\\udb40\\udc41"), "\(page.html)")
            for scalar in page.html.unicodeScalars { #expect(![0x202E, 0x200F, 0x2067].contains(scalar.value)) }
            // The user looks once at what was refused, too.
            let refused = try await confirm(path, ["display_name": name + "\nx", "claims": "\u{202E}{"], in: browser)
            #expect(refused.status == 422 && !refused.html.unicodeScalars.contains("\u{202E}"), "\(refused.html)")
            #expect(refused.html.contains("\u{FFFD}{</textarea>"))
            let saved = try await confirm(path, Self.lines(page).merging(["locale": "de"]) { $1 }, in: browser)
            #expect(saved.kind == "console-user", "\(saved.html)")
            let user = try #require(try await realm.accounts.user(UserID(rawValue: "target")))
            #expect(user.profile.displayName.map { Array($0.utf8) } == Array(name.utf8))
            #expect(
                user.profile.attributes["note"] == .string(note) && user.profile.customClaims["note"] == .string(note))
            _ = try await confirm(path, ["display_name": "\u{FFFD}gnp"], in: browser)
            let renamed = try #require(try await realm.accounts.user(UserID(rawValue: "target")))
            #expect(renamed.profile.displayName == "\u{FFFD}gnp")
        }
    }

    @Test func `Support mails a recovery code that waits a day, and cannot shorten that`() async throws {
        try await with(.support) { stage, browser in
            let path = "/console/users/target/mail-recovery-code"
            let asked = try await browser.open(path)
            #expect(!asked.html.contains("name=\"hold\""))
            let locks = ConsoleStage.locks(path, browser, stage.server)
            let forced = try await browser.post(path, locks.merging(["hold": "1"]) { $1 })
            #expect(forced.status == 404, "\(forced.text)")
            let done = try await confirm(path, in: browser)
            #expect(done.html.contains("The code is on its way."), "\(done.html)")
            let mail = try #require(
                try await stage.server.realm.outbox.messages().last { $0.content.template == "recovery-code-held" })
            #expect(!done.html.contains(try #require(mail.content.values["code"])))
            let invited = try await browser.open("/console/users/target/invite-to-enrol")
            #expect(invited.html.contains("countersign user invite-to-enrol target"))
        }
    }

    @Test func `Five hundred users can be ticked on one page, and what came of it is in the log`() async throws {
        try await with(.operator) { stage, browser in
            let (realm, now) = (stage.server.realm, stage.server.now)
            try await realm.store.write { transaction in
                for number in 0..<600 {
                    _ = try transaction.insert(User(id: UserID(rawValue: "many\(number)"), email: nil, createdAt: now))
                }
            }
            let whole = try await browser.open("/console/users").html
            #expect(whole.matches(of: /name="user\./).count == 50)
            #expect(whole.firstMatch(of: /6\d\d users\./) != nil, "\(whole)")
            for narrowing in ["q=many", "filter=disabled"] {
                let page = try await browser.open("/console/users?\(narrowing)").html
                #expect(page.firstMatch(of: /\d users\./) == nil, "\(narrowing): \(page)")
            }
            #expect(try await browser.open("/console/users?size=600").html.matches(of: /name="user\./).count == 50)
            let list = try await browser.open("/console/users?size=500")
            let boxes = list.html.matches(of: /name="(user\.[^"]+)"/).map { String($0.1) }
            #expect(boxes.count == 500 && list.links["Next"]?.contains("size=500") == true)
            // More than an address holds: the boxes are sent, and nothing is done before the question is answered.
            let chooser = try #require(list.forms.first { $0.action == "/console/users-bulk" }, "\(list.html)")
            var fields = chooser.values.merging(["action": "disable"]) { $1 }
            for box in boxes { fields[box] = "1" }
            let reply = try await browser.post(chooser.action, fields)
            #expect(reply.status == 200)
            let asked = TestPage(reply: reply, path: chooser.action, language: "en")
            #expect(asked.kind == "console-ask" && asked.html.contains("500"), "\(asked.html)")
            let events = try await realm.auditLog.events(limit: 1000)
            #expect(!events.contains { $0.kind == .userDisabled || $0.kind == .usersBulk })
            var form = try #require(asked.forms.first { $0.action == "/console/users-bulk" })
            #expect(form.values.keys.count { $0.hasPrefix("user.") } == 500)
            // A slow machine would not do all of them in its time.
            for box in boxes.dropFirst(20) { form.values[box] = nil }
            let result = try #require(try await browser.sendForm(form, [:]).page)
            #expect(result.html.contains("Done for 20."), "\(result.html)")
            let event = try #require(try await realm.auditLog.events(limit: 1000).first { $0.kind == .usersBulk })
            #expect(event.details["done"] == .integer(20) && event.details["action"] == "disable")
            #expect(event.details["left"] == .integer(0) && event.details["by"] != nil)
        }
    }

    @Test func `What is done to all who are ticked is done to each, and refusals are told`() async throws {
        try await with(.operator) { stage, browser in
            let email = try #require(EmailAddress("operator@example.com"))
            let own = try #require(try await stage.server.realm.accounts.user(email: email))
            let query = "action=disable&user.target=1&user.\(own.id.rawValue)=1&user.nobody=1"
            let asked = try await browser.open("/console/users-bulk?\(query)")
            let form = try #require(asked.forms.first { $0.action == "/console/users-bulk" }, "\(asked.html)")
            // Users are named as the list names them.
            #expect(asked.html.contains("<bdi>operator@example.com</bdi>"), "\(asked.html)")
            #expect(asked.html.contains("<bdi>nobody</bdi>") && !asked.html.contains("<bdi>\(own.id.rawValue)</bdi>"))
            let result = try #require(try await browser.sendForm(form, [:]).page)
            #expect(result.kind == "console-result" && result.html.contains("Done for 1."), "\(result.html)")
            // Each as pages say it, and no command that helps.
            #expect(result.html.contains("There is no user <bdi>nobody</bdi>."), "\(result.html)")
            #expect(result.html.contains("The user is an administrator. Owners alone change administrators."))
            #expect(!result.html.contains("countersign user list"))
            #expect(try await stage.server.realm.accounts.user(UserID(rawValue: "target"))?.isDisabled == true)
            #expect(try await stage.server.realm.accounts.user(own.id)?.isDisabled == false)
            // The result is this session's: elsewhere, and changed, it says nothing.
            let other = try await stage.administrator(.owner)
            #expect(!(try await other.open(result.path)).html.contains("Done for"))
            #expect(try await browser.open("/console/users-bulk").html.contains("No user is ticked."))
            let support = try await stage.administrator(.support)
            #expect(try await support.open("/console/users-bulk?\(query)").html.contains("No user is ticked."))
        }
    }

    @Test func `Users who are ticked come into a group and out of it, but where that lifts a second factor`()
        async throws
    {
        try await with(.operator) { stage, browser in
            let realm = stage.server.realm
            for name in ["one", "two"] {
                _ = try await realm.accounts.create(
                    id: UserID(rawValue: name), email: EmailAddress("\(name)@example.com"), password: nil,
                    by: .testAdministrator
                ).get()
            }
            func change(_ action: String, _ group: String) async throws -> TestPage {
                let ticked = "action=\(action)&user.one=1&user.two=1&user.nobody=1"
                let asked = try await browser.open("/console/users-bulk?\(ticked)")
                let form = try #require(asked.forms.first { $0.action == "/console/users-bulk" }, "\(asked.html)")
                #expect(asked.html.contains("value=\"staff\""), "\(asked.html)")
                return try #require(try await browser.sendForm(form, ["group": group]).page)
            }
            func groups(_ user: String) async throws -> [GroupName] {
                try await realm.groups.groups(of: UserID(rawValue: user))
            }
            let staff = GroupName(rawValue: "staff")
            #expect(try await change("add-to-group", "staff").html.contains("Done for 2."))
            for user in ["one", "two"] { #expect(try await groups(user) == [staff]) }
            #expect(try await change("add-to-group", "none").status == 422)
            try await realm.changeSettings(by: .testAdministrator) { $0.secondFactors.requiredGroups = ["staff"] }
            let kept = try await change("remove-from-group", "staff")
            #expect(kept.html.contains("Done for 0.") && kept.html.contains("one by one"), "\(kept.html)")
            #expect(kept.html.contains("<bdi>one@example.com</bdi>"), "Whoever was refused is named: \(kept.html)")
            #expect(try await groups("one") == [staff])
            try await realm.changeSettings(by: .testAdministrator) { $0.secondFactors.requiredGroups = nil }
            #expect(try await change("remove-from-group", "staff").html.contains("Done for 2."))
            #expect(try await groups("one").isEmpty)
        }
    }

    @Test func `Users are imported after a look, and exported as a file`() async throws {
        try await with { stage, browser in
            let line = "{\"localId\":\"new1\",\"email\":\"new1@example.com\"}\n\nno json\n"
            func look(_ lines: String) async throws -> TestPage {
                let page = try await browser.open("/console/users-import")
                let form = try #require(page.forms.first { $0.names.contains("lines") })
                return try #require(try await browser.sendForm(form, ["lines": lines]).page)
            }
            let looked = try await look(line)
            #expect(looked.kind == "console-review" && looked.html.contains("Nothing is written yet."))
            #expect(looked.html.contains(">Import this user</button>") && looked.html.contains("<bdi>3</bdi>"))
            #expect(!looked.html.contains("new1@example.com"), "What was pasted is not shown again: \(looked.html)")
            #expect(try await stage.server.realm.accounts.user(UserID(rawValue: "new1")) == nil)
            let done = try await ConsoleStage.confirmed(looked, in: browser)
            #expect(done.kind == "console-result" && done.html.contains("The import is done."), "\(done.html)")
            #expect(try await stage.server.realm.accounts.user(UserID(rawValue: "new1")) != nil)
            let none = try await look(line)
            #expect(none.html.contains("None of these lines would be imported"), "\(none.html)")
            #expect(!none.html.contains(">Import th") && none.html.contains(">Back to the form</button>"))
            let empty = try await confirm("/console/users-import", ["lines": ""], in: browser)
            #expect(empty.status == 422 && empty.hasAlert)
            let path = "/console/users-export"
            let file = try await browser.post(path, ["csrf": ConsoleStage.csrf(path, browser)])
            #expect(file.status == 200 && file.headers[.contentDisposition]?.hasPrefix("attachment") == true)
            #expect(file.text.contains("new1@example.com") && file.text.contains("target@example.com"))
        }
    }

    @Test func `What a user allowed an application is shown without a session, and is taken back`() async throws {
        try await with(.support) { stage, browser in
            let realm = stage.server.realm
            let user = try await stage.administrator(nil)
            let asked = try #require(try await user.land(PageStepTests.request()).page)
            #expect(asked.kind == "consent", "\(asked.html)")
            _ = try await user.sendForm(of: asked, ["decision": "allow"])
            let address = try #require(EmailAddress("user@example.com"))
            let id = try #require(try await realm.accounts.user(email: address)).id
            _ = try await EndSessions(user: id.rawValue).perform(on: realm, as: .commandLine, by: .testAdministrator)

            let path = "/console/users/\(id)/applications"
            let page = try await browser.open(path)
            let revoke = "\(path)/dev-web/revoke"
            #expect(page.html.contains("no session now") && page.links.values.contains(revoke), "\(page.html)")
            // Support has no page of the application to look at; an owner has.
            #expect(!page.links.values.contains("/console/applications/dev-web"))
            let owner = try await stage.administrator(.owner)
            #expect(try await owner.open(path).links.values.contains("/console/applications/dev-web"))
            let done = try await confirm(revoke, in: browser)
            #expect(done.path.hasPrefix(path) && !done.links.values.contains(revoke), "\(done.html)")
            #expect(try await realm.consents.list(of: id).isEmpty)
            let event = try #require(
                try await realm.auditLog.events(of: id, limit: 10).first { $0.kind == .consentRevoked })
            #expect(event.details["application"] == "dev-web" && event.details["by"] != nil)
            #expect(try await browser.open(revoke).status == 404)
        }
    }

    @Test func `An export that there are too many users for is refused, and the log has none`() async throws {
        try await with { stage, browser in
            let realm = stage.server.realm
            let refused = await #expect(throws: AdministrationError.self) {
                try await ExportUsers(most: 1).perform(on: realm, as: .commandLine, by: .testAdministrator)
            }
            #expect(refused?.code == .refused)
            let now = stage.server.now
            try await realm.store.write { transaction in
                for number in 0..<5001 {
                    let user = User(
                        id: UserID(rawValue: "many\(number)"), email: nil, createdAt: now)
                    _ = try transaction.insert(user)
                }
            }
            let page = try await confirm("/console/users-export", [:], in: browser)
            #expect(page.status == 422 && page.html.contains("There are more than"), "\(page.html)")
            #expect(try await realm.auditLog.events(limit: 100).allSatisfy { $0.kind != .usersExported })
        }
    }

    @Test func `Users are imported from a file, after a look, and what is wrong is told at its line`() async throws {
        try await with { stage, browser in
            let path = "/console/users-import"
            func fields() -> [String: String] {
                ConsoleStage.locks(path, browser, stage.server).merging(["lines": ""]) { $1 }
            }
            func send(_ text: String, _ more: [String: String]) async throws -> TestPage {
                let reply = try await browser.post(
                    path, fields().merging(more) { $1 }, files: ["file": ("users.jsonl", Array(text.utf8))])
                return try await browser.follow(reply, from: path)
            }
            #expect(try await browser.open(path).html.contains("enctype=\"multipart/form-data\""))
            let lines = "\u{FEFF}{\"localId\":\"file1\",\"email\":\"file1@example.com\"}\r\n\r\n\r\nno json"
            let looked = try await send(lines, [:])
            #expect(looked.kind == "console-review" && looked.html.contains("Nothing is written yet."))
            #expect(looked.html.contains("<bdi>4</bdi>"), "\(looked.html)")
            #expect(try await stage.server.realm.accounts.user(UserID(rawValue: "file1")) == nil)
            #expect(try await ConsoleStage.confirmed(looked, in: browser).html.contains("The import is done."))
            #expect(try await stage.server.realm.accounts.user(UserID(rawValue: "file1")) != nil)
            // As firebase auth:export writes it, cut off.
            let cut = "{\"users\":[\n{\"localId\":\"file2\",\"email\":\"file2@example.com\"},\n{\"loc"
            let listed = try await ConsoleStage.confirmed(try await send(cut, [:]), in: browser)
            #expect(listed.html.contains("The file ends in the middle of this user."), "\(listed.html)")
            #expect(try await stage.server.realm.accounts.user(UserID(rawValue: "file2")) != nil)
            let both = try await send(lines, ["lines": "{}"])
            #expect(both.status == 422 && both.html.contains("not both"), "\(both.html)")
            let neither = try await browser.post(path, fields(), files: ["file": ("", [])])
            #expect(neither.status == 422 && neither.text.contains("no line was pasted"), "\(neither.text)")
        }
    }

    @Test func `What an import was shown for is imported by its session alone, for a quarter of an hour`()
        async throws
    {
        try await with { stage, browser in
            let path = "/console/users-import"
            let form = try #require(try await browser.open(path).forms.first { $0.names.contains("lines") })
            let line = "{\"localId\":\"late\",\"email\":\"late@example.com\"}"
            let looked = try #require(try await browser.sendForm(form, ["lines": line]).page)
            let shown = try #require(looked.forms.first { $0.names.contains("seen") }, "\(looked.html)")
            let carried = try #require(shown.values["carried"])
            let other = try await stage.administrator(.owner, "other")
            let stolen = try await other.post(
                path, ConsoleStage.locks(path, other, stage.server).merging(["carried": carried]) { $1 })
            #expect(stolen.status == 422 && stolen.text.contains("15 minutes, which are over"), "\(stolen.text)")
            // The console is in use meanwhile.
            for seconds in [600.0, 301] {
                try await stage.server.advance(seconds)
                #expect(try await browser.open(path).kind == "console-ask")
            }
            let late = try await browser.post(path, shown.values)
            #expect(late.status == 422 && late.text.contains("15 minutes, which are over"), "\(late.text)")
            #expect(try await stage.server.realm.accounts.user(UserID(rawValue: "late")) == nil)
        }
    }

    @Test func `The locks of forms hold for a form with a file, and it has a bound`() async throws {
        try await with { stage, browser in
            let path = "/console/users-import"
            let file: [String: (name: String, bytes: [UInt8])] = [
                "file": ("users.jsonl", Array("{\"localId\":\"evil\"}".utf8))
            ]
            let csrf = ConsoleStage.csrf(path, browser)
            let own = [HTTPField.Name.known("Sec-Fetch-Site"): "same-origin"] as HTTPFields
            for (fields, headers) in [
                (["overwrite": "1"], own), (["overwrite": "1", "csrf": "x"], own),
                (["overwrite": "1", "csrf": ConsoleStage.csrf("/console/users-export", browser)], own),
                (["overwrite": "1", "csrf": csrf], [.known("Sec-Fetch-Site"): "cross-site"]),
                (["overwrite": "1", "csrf": csrf], [.known("Sec-Fetch-Site"): "same-site"]),
                (["overwrite": "1", "csrf": csrf], [:]),
            ] as [([String: String], HTTPFields)] {
                let reply = try await browser.post(path, fields, files: file, headers: headers)
                #expect(reply.status == 403, "\(fields) \(headers): \(reply.status)")
            }
            // Other pages take no files.
            let other = "/console/users-add"
            let added = try await browser.post(other, ["csrf": ConsoleStage.csrf(other, browser)], files: [:])
            #expect(added.status == 400, "\(added.text)")
            let large = try await browser.post(
                path, ["overwrite": "1", "csrf": csrf],
                files: ["file": ("users.jsonl", [UInt8](repeating: 0x20, count: ImportUsers.bodyLimit))])
            #expect(large.status == 413 && large.text.contains("larger than 4 MiB"), "\(large.text)")
            // Not whole: nothing of it counts.
            let body = "--b\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n\(csrf)\r\n--b"
            let cut = try await browser.send(
                .post, path,
                headers: [
                    .known("Sec-Fetch-Site"): "same-origin", .contentType: "multipart/form-data; boundary=b",
                ], body: Array(body.utf8))
            #expect(cut.status == 400, "\(cut.text)")
            #expect(try await stage.server.realm.accounts.user(UserID(rawValue: "evil")) == nil)
        }
    }

    @Test func `Why a line is not imported is said in the language of the page, and what it quotes is no mark-up`()
        async throws
    {
        try await with { _, browser in
            let lines = [
                #"{"localId":"a","emial":"x"}"#, #"{"localId":"b","groups":["<b>"]}"#,
                #"{"email":"c@example.com"}"#, "[]",
            ]
            _ = try await browser.open("/console?lang=de")
            let page = try await browser.open("/console/users-import")
            let form = try #require(page.forms.first { $0.names.contains("lines") }, "\(page.html)")
            let looked = try #require(
                try await browser.sendForm(form, ["lines": lines.joined(separator: "\n")]).page)
            for text in [
                "Das Feld „<bdi>emial</bdi>“ gibt es nicht. Meinten Sie <bdi>email</bdi>?",
                "groups enthält „<bdi>&lt;b&gt;</bdi>“, was kein Name einer Gruppe ist.", "localId fehlt:",
                "Die Zeile ist kein JSON-Objekt.",
            ] { #expect(looked.html.contains(text), "\(text): \(looked.html)") }
            #expect(!looked.html.contains("<span lang=\"en\">"))
            let empty = try await confirm("/console/users-import", ["lines": ""], in: browser)
            #expect(empty.status == 422 && empty.html.contains("keine Zeile wurde eingefügt"), "\(empty.html)")
        }
    }

    @Test func `A user is deleted after days, and kept by enabling`() async throws {
        try await with(.operator) { stage, browser in
            let path = "/console/users/target/delete"
            let leaving = try await browser.post(
                path,
                ConsoleStage.locks(path, browser, stage.server)
                    .merging(["name": "target@example.com", "grace": "7"]) { $1 })
            #expect(leaving.status == 303, "\(leaving.text)")
            let page = try await browser.open("/console/users/target")
            #expect(page.html.contains("This account is disabled, and will be removed at"), "\(page.html)")
            #expect(try await browser.open("/console/users").html.contains("to be removed"))
            _ = try await confirm("/console/users/target/enable", in: browser)
            let kept = try #require(try await stage.server.realm.accounts.user(UserID(rawValue: "target")))
            #expect(!kept.isDisabled && kept.deletionDueAt == nil)
        }
    }

    @Test func `Factors and sessions end one by one and all at once`() async throws {
        try await with(.operator) { stage, browser in
            let realm = stage.server.realm
            let factor = try #require(stage.objects["factor"])
            let page = try await browser.open("/console/users/target/factors")
            #expect(
                page.html.contains("Authenticator app") && page.links["Remove"]?.hasSuffix("\(factor)/remove") == true)
            let removed = try await confirm("/console/users/target/factors/\(factor)/remove", in: browser)
            #expect(removed.kind == "console-user-factors" && removed.html.contains("There are none."))
            #expect(try await browser.open("/console/users/target/factors/\(factor)/remove").status == 404)

            let ada = try await stage.server.account("ada@example.com")
            let own = TestBrowser(stage.server)
            _ = try await SignInPageTests.password(own, "ada@example.com")
            let listed = try await browser.open("/console/users/\(ada.id.rawValue)/sessions")
            let end = try #require(listed.links["End"], "\(listed.html)")
            #expect(try await browser.open(end).html.contains(", from <bdi>"), "Which session it is.")
            #expect(try await confirm(end, in: browser).html.contains("No session goes on."))
            #expect(try await own.open("/account").kind == "sign-in")
            let again = TestBrowser(stage.server)
            _ = try await SignInPageTests.password(again, "ada@example.com")
            _ = try await confirm("/console/users/\(ada.id.rawValue)/end-sessions", in: browser)
            #expect(try await again.open("/account").kind == "sign-in")
            #expect(try await realm.auditLog.events(of: ada.id, limit: 100).contains { $0.details["by"] != nil })
        }
    }

    @Test func `Support mails a link and sets no password, an operator may do both`() async throws {
        try await with(.support) { stage, browser in
            let path = "/console/users/target/reset-password"
            #expect(!(try await browser.open(path)).html.contains("value=\"generate\""))
            let locks = ConsoleStage.locks(path, browser, stage.server)
            let forced = try await browser.post(path, locks.merging(["method": "generate"]) { $1 })
            #expect(forced.status == 404, "\(forced.text)")
            #expect(try await confirm(path, in: browser).html.contains("The mail is on its way."))
            let mails = try await stage.server.realm.outbox.messages()
            #expect(mails.contains { $0.message.recipient == "target@example.com" })

            let operators = try await stage.administrator(.operator)
            let done = try await confirm(path, ["method": "generate"], in: operators)
            let secret = try #require(done.html.firstMatch(of: /<p class="secret"><span aria-hidden="true">([^<]+)</)).1
            let other = TestBrowser(stage.server)
            let signedIn = try await SignInPageTests.password(other, "target@example.com", password: String(secret))
            #expect(signedIn.kind == "code", "\(signedIn.html)")
        }
    }

    @Test func `Administrators are made and unmade, and the last owner stays`() async throws {
        try await with { stage, browser in
            let asked = try await browser.open("/console/administrators/grant")
            #expect(asked.html.contains("countersign admin grant ID-OR-EMAIL support"))
            let path = "/console/administrators/grant"
            let granted = try await confirm(path, ["user": "target@example.com", "role": "auditor"], in: browser)
            #expect(granted.kind == "console-administrators" && granted.html.contains("target@example.com"))
            // Who granted it is named as people are, with a way to the user; a role of the command line has no one.
            #expect(granted.html.contains("<bdi>owner@example.com</bdi></a>") && !granted.html.contains("<bdi>user:"))
            let unknown = try await browser.open(path)
            let refused = try await browser.submit(unknown, ["user": "nobody@example.com", "role": "auditor"])
            #expect(refused.status == 422 && refused.html.contains("nobody@example.com"), "\(refused.html)")
            _ = try await confirm("/console/administrators/target/revoke", in: browser)
            #expect(try await stage.server.realm.administrators.role(of: UserID(rawValue: "target")) == nil)

            let email = try #require(EmailAddress("owner@example.com"))
            let owner = try #require(try await stage.server.realm.accounts.user(email: email))
            let last = try await browser.open("/console/administrators/\(owner.id.rawValue)/revoke")
            #expect(last.kind == "error" && last.html.contains("last owner"), "\(last.html)")
        }
    }

    @Test
    func `Before a role is taken or a user enabled, a page says what becomes of tokens, and the list does after it`()
        async throws
    {
        try await with { stage, browser in
            let realm = stage.server.realm
            let target = UserID(rawValue: "target")
            _ = try await realm.administrators.grant(.owner, to: target, by: .testAdministrator)
            let paths = ["/console/administrators/target/revoke", "/console/users/target/disable"]
            let said = "of programs that the user answers for"
            for path in paths { #expect(try await browser.open(path).html.contains(said) == false) }
            for label in ["one", "two"] {
                _ = try await AddMachineToken(label: label, scopes: ["*"], lifetime: 86_400).perform(
                    on: realm, as: .user(target, .owner), by: .testAdministrator)
            }
            for path in paths + ["/console/users/target/delete"] {
                #expect(try await browser.open(path).html.contains("2 tokens \(said)"), "\(path)")
            }
            #expect(try await browser.open("/console/tokens").html.contains("opens nothing") == false)
            _ = try await DisableUser(user: "target").perform(on: realm, as: .commandLine, by: .testAdministrator)
            let enabling = try await browser.open("/console/users/target/enable").html
            #expect(enabling.contains("2 tokens \(said) end:") && enabling.contains("Keep these tokens"), "\(enabling)")
            _ = try await confirm("/console/users/target/enable", ["keep_tokens": "1"], in: browser)
            #expect(try await realm.machineTokens.count(of: target) == 2)
            _ = try await confirm("/console/administrators/target/revoke", in: browser)
            let page = try await browser.open("/console/tokens").html
            #expect(page.matches(of: /opens nothing: its maker does not administer/).count == 2, "\(page)")
            // Who says nothing about them ends them.
            _ = try await DisableUser(user: "target").perform(on: realm, as: .commandLine, by: .testAdministrator)
            _ = try await confirm("/console/users/target/enable", in: browser)
            #expect(try await realm.machineTokens.count(of: target) == 0)
            #expect(try await browser.open("/console/users/target/enable").html.contains(said) == false)
        }
    }

    @Test func `Of a file with very many lines that are no users a page keeps few, and counts them all`() throws {
        // The line after a thousandth is a user; every other is no UTF-8.
        let bytes = (1...100_000).flatMap { line -> [UInt8] in
            line % 1001 == 0 ? Array(#"{"localId":"u\#(line)"}"#.utf8) + [0x0A] : [0xFF, 0x0A]
        }
        let file = try ImportedFile(bytes)
        #expect(file.users.count == 99 && file.count == 99 && file.users[0].line == 1001)
        #expect(file.faults.map(\.line) == Array(1...12))
        #expect(file.faults.count + file.furtherFaults == 100_000 - 99)
        let error = #expect(throws: AdministrationError.self) {
            try ImportedFile((1...600).map { #"{"localId":"u\#($0)"}"# }.joined(separator: "\n").utf8)
        }
        #expect(error?.message == "These are 600 lines; at most 500 go at once.")
    }

    @Test func `A machine token is shown once, opens what it is for, and is revoked`() async throws {
        try await with { stage, browser in
            let made = try await confirm(
                "/console/tokens/add", ["label": "CI", "scope.users:read": "1", "days": "7"], in: browser)
            #expect(made.kind == "console-tokens", "\(made.html)")
            let token = try #require(made.html.firstMatch(of: /<p class="secret"><span aria-hidden="true">([^<]+)</)).1
            #expect(!(try await browser.open("/console/tokens")).html.contains(token))
            func list() async throws -> Int {
                try await stage.server.send(
                    .post, "/admin/v1/users:search",
                    headers: [.authorization: "Bearer \(token)", .contentType: "application/json"],
                    body: Array("{}".utf8)
                ).status
            }
            #expect(try await list() == 200)
            let tokens = try await stage.server.realm.machineTokens.list()
            let id = try #require(tokens.first { $0.name == "CI" }?.id)
            _ = try await confirm("/console/tokens/\(id)/revoke", in: browser)
            #expect(try await list() == 401)
            let none = try await confirm("/console/tokens/add", ["label": "none"], in: browser)
            #expect(none.status == 422 && none.html.contains("needs scopes"), "\(none.html)")
        }
    }

    @Test func `Groups are made, filled, emptied and removed`() async throws {
        try await with(.operator) { stage, browser in
            let made = try await confirm("/console/groups-add", ["group": "eng/core", "summary": "Core"], in: browser)
            #expect(made.kind == "console-group" && made.path.hasPrefix("/console/groups/eng%2Fcore"), "\(made.path)")
            let path = "/console/groups/eng%2Fcore"
            let filled = try await confirm("\(path)/add-member", ["user": "target@example.com"], in: browser)
            #expect(filled.html.contains("target@example.com"))
            let changed = try await confirm("\(path)/settings", ["summary": "Who <runs> it"], in: browser)
            #expect(changed.notice == "The group was changed." && changed.html.contains("Who &lt;runs&gt; it"))
            let same = try await confirm("\(path)/settings", in: browser)
            #expect(same.notice == "Nothing was different, and nothing was changed.", "\(same.html)")
            let longer = String(repeating: "x", count: 201)
            let long = try await confirm("\(path)/settings", ["summary": longer], in: browser)
            #expect(long.status == 422 && long.hasAlert)
            let emptied = try await confirm("\(path)/members/target/remove", in: browser)
            #expect(emptied.html.contains("The group has no members."))
            #expect(try await confirm("\(path)/remove", in: browser).kind == "console-groups")
            let twice = try await confirm("/console/groups-add", ["group": "staff"], in: browser)
            #expect(twice.status == 422 && twice.hasAlert)

            // From the user's page, and back to it.
            _ = try await confirm("/console/groups-add", ["group": "sales"], in: browser)
            let user = try await browser.open("/console/users/target")
            let leave = "/console/groups/staff/members/target/remove?from=user"
            #expect(user.html.contains("href=\"\(leave)\"") && user.html.contains("/console/users/target/add-to-group"))
            let question = try await browser.open("/console/users/target/add-to-group")
            #expect(question.html.contains("value=\"sales\"") && !question.html.contains("value=\"staff\""))
            let joined = try await confirm("/console/users/target/add-to-group", ["group": "sales"], in: browser)
            #expect(joined.path.hasPrefix("/console/users/target") && joined.html.contains("/console/groups/sales"))
            let full = try await browser.open("/console/users/target/add-to-group")
            #expect(full.html.contains("There is no other group.") && !full.html.contains("name=\"group\""))
            let asked = try await browser.open(leave)
            let form = try #require(asked.forms.first { $0.action == "/console/groups/staff/members/target/remove" })
            let left = try #require(try await browser.sendForm(form, [:]).page)
            #expect(left.kind == "console-user" && !left.html.contains("/console/groups/staff"), "\(left.html)")
            let none = try await confirm("/console/groups-add", ["group": "staff"], in: browser)
            #expect(none.status == 422, "It is there, without members.")
        }
    }

    @Test func `What people call themselves stays text on every page`() async throws {
        try await with { stage, browser in
            let realm = stage.server.realm
            for (number, name) in Self.hostile.enumerated() {
                let id = UserID(rawValue: "hostile\(number)")
                _ = try await realm.accounts.create(
                    id: id, email: EmailAddress("hostile\(number)@example.com"), password: nil,
                    profile: UserProfile(displayName: name, customClaims: ["note": .string(name)]),
                    by: .testAdministrator
                ).get()
            }
            for path in ["/console/users", "/console/users?q=%3Cscript%3Ealert(1)", "/console/users?q=%22%3E%3Cimg"]
                + Self.hostile.indices.map({ "/console/users/hostile\($0)" })
                + Self.hostile.indices.map({ "/console/users/hostile\($0)/disable" })
            {
                let page = try await browser.open(path)
                #expect(page.status == 200, "\(path)")
                #expect(!page.html.contains("<script>alert") && !page.html.contains("<img src=x"), "\(path)")
                #expect(!page.html.contains("\u{202E}") && !page.html.contains("\u{200B}"), "\(path)")
            }
        }
    }

    @Test(arguments: ["en", "de", "ja"])
    func `Every page of the console has its words in every language`(language: String) async throws {
        try await with { stage, browser in
            for row in ConsoleRow.all where !row.isFile {
                let (path, isThere) = row.page(stage.objects)
                let separator = path.contains("?") ? "&" : "?"
                let page = try await browser.open("\(path)\(separator)lang=\(language)", language: language)
                #expect(page.status == (isThere ? 200 : 404), "\(path)")
                #expect(page.html.contains("<html lang=\"\(language)\""), "\(path)")
                if row.path == "/console/users-invite" {
                    #expect(page.html.contains("value=\"\(language)\" selected"), "\(page.html)")
                }
                // A key without a message shows as itself.
                let bare = page.html.firstMatch(of: />\s*(console[A-Z][A-Za-z]+)\s*</)
                #expect(bare == nil, "\(row.path): \(bare?.1 ?? "")")
            }
        }
    }

    @Test func `Pages of sessions have those that go on, however many that are over are newer`() async throws {
        try await TestServer.with(.development) { server in
            let support = try await ConsoleStage(server).administrator(.support)
            let ada = try await server.account("ada@example.com")
            let path = "/console/users/\(ada.id)/sessions"
            #expect(try await support.open(path).html.contains("No session goes on."))
            try await server.addSessions(60, of: ada, named: "goes-on", age: 5000, isEnded: false)
            try await server.addSessions(501, of: ada, named: "over", age: 1000, isEnded: true)
            func rows(_ page: TestPage) -> [String] {
                page.html.matches(of: /sessions\/((?:goes-on|over)-\d+)\/end/).map { String($0.1) }
            }
            let first = try await support.open(path)
            #expect(rows(first) == (1010..<1060).reversed().map { "goes-on-\($0)" }, "\(first.html)")
            #expect(first.html.contains("/console/users/\(ada.id)/end-sessions"))
            let next = try #require(first.html.firstMatch(of: /<a href="([^"]*)" rel="next"/)).1
            let second = try await support.open(String(next).replacing("&amp;", with: "&"))
            #expect(rows(second) == (1000..<1010).reversed().map { "goes-on-\($0)" }, "\(second.html)")
            #expect(second.html.contains("rel=\"prev\"") && !second.html.contains("rel=\"next\""))
            // All are ended, wherever they stand.
            _ = try await EndSessions(user: ada.id.rawValue).perform(
                on: server.realm, as: .commandLine, by: .testAdministrator)
            #expect(try await support.open(path).html.contains("No session goes on."))
        }
    }
}
