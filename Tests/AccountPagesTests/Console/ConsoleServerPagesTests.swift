import AdminServer
import CountersignCore
import CountersignServer
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing
import WebPages

/// The console's pages about the server: log, settings, keys, limits, deliveries, doctor.
@Suite("The console's pages about the server")
struct ConsoleServerPagesTests {
    /// Opens a page that asks, and sends its form with these fields; where that leads.
    static func answer(
        _ browser: TestBrowser, _ path: String, _ fields: [String: String] = [:]
    ) async throws -> TestPage {
        let page = try await browser.open(path)
        let action = path.prefix { $0 != "?" }
        let form = try #require(page.forms.first { $0.action == action }, "\(path): \(page.html)")
        let reply = try await browser.post(String(action), form.values.merging(fields) { _, typed in typed })
        guard reply.status == 303, let location = reply.headers[.location] else {
            let answered = TestPage(reply: reply, path: path, language: "en")
            return try await ConsoleStage.confirmed(answered, in: browser)
        }
        return try await browser.open(location)
    }

    @Test func `Every setting and what it takes is said in the language of the page, and so is why a value is refused`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            let keys = try await ShowSettings().perform(on: server.realm, as: .commandLine, by: .testAdministrator)
                .settings
                .map(\.key)
            #expect(keys.count > 50)
            for path in ["/console/settings", "/console/rules"] + keys.map({ "/console/settings/\($0)" }) {
                let page = try await owner.open(path, language: "de")
                #expect(page.status == 200 && !page.html.contains("<span lang=\"en\">"), "\(path): \(page.html)")
            }
            let refused = try await owner.open("/console/settings/audit.retentionDays?value=many", language: "ja")
            #expect(refused.html.contains("1～36500 日"), "\(refused.html)")
        }
    }

    @Test(arguments: ["de", "ja"])
    func `What doctor says is said in the language of the page, by strict and by weak settings`(language: String)
        async throws
    {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            for name in 0..<7 {
                var application = ApplicationRegistration(audiences: nil, revealsAddresses: name < 6)
                if name < 6 { application.oauth = OAuthRegistration(kind: .web) }
                application.oauth.isFirstParty = true
                _ = try await server.realm.applications.add(
                    id: ClientID(rawValue: "app\(name)"), application, by: .testAdministrator)
            }
            let weak: [(String, JSONValue)] = [
                ("passwords.minimumLength", .integer(6)), ("passwords.maximumLength", .integer(20)),
                ("passwords.required", .string("digit")),
                ("passwords.refusesCommon", .bool(false)), ("secondFactors.offersPasskeys", .bool(false)),
                ("passkeys.userVerification", .string("preferred")), ("privacy.hidesAddresses", .bool(false)),
                ("signUp.allowsAnonymous", .bool(true)),
            ]
            for round in 0...1 {
                if round == 1 {
                    for (key, value) in weak {
                        _ = try await ChangeSetting(key: key, value: value, confirmed: true).perform(
                            on: server.realm, as: .commandLine, by: .testAdministrator)
                    }
                }
                let page = try await owner.open("/console/doctor?level=3", language: language)
                #expect(page.kind == "console-doctor")
                #expect(!page.html.contains("<span lang=\"en\">"), "\(page.html)")
                #expect(page.html.contains("<code>countersign config set browserSessions.preset aal3</code>"))
            }
        }
    }

    @Test func `Every kind of event has a sentence in the log`() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let catalogue = Messages.ofServer
        let files = try #require(
            FileManager.default.enumerator(at: root.appendingPathComponent("Sources"), includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains("extension AuditEvent.Kind {") else { continue }
            for match in text.matches(of: /static let \w+ = Self\(rawValue: "([a-z-]+\.[a-z-]+)"\)/) {
                let words = match.1.split { $0 == "." || $0 == "-" }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
                #expect(catalogue.has("event\(words.joined())"), "\(match.1)")
                count += 1
            }
        }
        #expect(count > 60)
    }

    @Test func `The log is filtered, an event is shown as it is stored, and the file has what was filtered`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let hostile = "<b onmouseover=alert(1)>\u{202E}x"
            _ = try await AddGroup(group: "ops").perform(on: server.realm, as: .commandLine, by: .testAdministrator)
            let all = try await owner.open("/console/log")
            #expect(all.kind == "console-log" && all.html.contains("A group was added"))
            #expect(all.html.contains("A user signed in"))
            let groups = try await owner.open("/console/log?kind=group")
            #expect(groups.html.contains("A group was added") && !groups.html.contains("A user signed in"))
            let query = hostile.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let none = try await owner.open("/console/log?source=\(query)")
            #expect(none.status == 200 && !none.html.contains("<b onmouseover") && !none.html.contains("\u{202E}"))
            // The page is there: the user whom its form names is not.
            let unknown = try await owner.open("/console/log?user=\(query)")
            #expect(unknown.kind == "console-log" && unknown.status == 422 && unknown.hasAlert, "\(unknown.html)")
            #expect(!unknown.html.contains("<b onmouseover") && !unknown.html.contains("\u{202E}"))
            #expect(!unknown.html.contains("A user signed in"))
            let mistyped = try await owner.open("/console/log?since=yesterday&source=10.0.0.1")
            #expect(mistyped.kind == "console-log" && mistyped.status == 422 && mistyped.hasAlert, "\(mistyped.html)")
            #expect(mistyped.html.contains("value=\"10.0.0.1\"") && mistyped.html.contains("value=\"yesterday\""))
            let nothing = try await owner.open("/console/log?kind=nope")
            #expect(nothing.kind == "console-log" && nothing.status == 422 && nothing.html.contains("no kind of event"))
            // By the minute, in UTC; the file too.
            let next = Timestamp(server.now + 60).text.prefix(16)
            let after = try await owner.open("/console/log?since=\(next)")
            #expect(after.status == 200 && !after.html.contains("A group was added"), "\(after.html)")
            #expect(after.html.contains("type=\"datetime-local\" value=\"\(next)\"") && after.html.contains("UTC)"))
            #expect(try await owner.open("/console/log?until=\(next)").html.contains("A group was added"))
            #expect(try await owner.send(.get, "/console/log-export?kind=group&since=\(next)").text.isEmpty)

            let event = try #require(
                try await server.realm.auditLog.events(limit: 100).first { $0.kind == .groupAdded })
            let page = try await owner.open("/console/log/\(event.id)")
            #expect(page.kind == "console-event" && page.html.contains("&quot;group.added&quot;"), "\(page.html)")
            #expect(try await owner.open("/console/log/0").status == 404)

            let file = try await owner.send(.get, "/console/log-export?kind=group")
            #expect(file.headers[.contentDisposition]?.hasPrefix("attachment") == true)
            let lines = file.text.split(separator: "\n")
            #expect(!lines.isEmpty && lines.allSatisfy { $0.contains("\"kind\":\"group.") })
            for language in ["de", "ja"] {
                #expect(try await owner.open("/console/log", language: language).html.contains("lang=\"\(language)\""))
            }
        }
    }

    @Test func `The page of the log says up to where it is sealed or what does not hold, and the overview warns`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let seals = server.realm.auditSeals
            #expect(try await owner.open("/console/log").html.contains("Nothing of the log is sealed yet"))
            try await server.advance(200)
            #expect(try await seals.seal() == 1)
            try await seals.check()
            for (language, text) in [
                ("en", "The log is sealed up to"), ("de", "versiegelt"), ("ja", "まで封印されています"),
            ] {
                let html = try await owner.open("/console/log", language: language).html
                #expect(html.contains(text), "\(html)")
            }
            #expect(try await !owner.open("/console").html.contains("The sealed log does not hold"))

            try await server.realm.store.write {
                try $0.replaceAuditDetails(of: UserID(rawValue: "target"), .userCreated, with: ["x": "y"])
            }
            try await seals.check()
            for path in ["/console/log", "/console"] {
                for (language, text) in [
                    ("en", "An event is not as it was sealed"), ("de", "Ein Ereignis ist nicht so"),
                    ("ja", "イベントが封印時と異なります"),
                ] {
                    let html = try await owner.open(path, language: language).html
                    #expect(html.contains(text) && html.contains("countersign audit accept 1"), "\(path): \(html)")
                }
            }
            // Nothing of the log is for support.
            let support = try await stage.administrator(.support)
            #expect(try await !support.open("/console").html.contains("countersign audit accept"))
            // Each event of it has words.
            let found = try await owner.open("/console/log?kind=log").html
            #expect(found.contains("A part of the sealed log does not hold"), "\(found)")
            let link = try #require(try await owner.open("/console/log").links["Take this message away"])
            let accepted = try await Self.answer(owner, link)
            #expect(accepted.kind == "console-log" && accepted.html.contains("The log is sealed up to"))
            #expect(try await owner.open(link).status == 404)
            let auditor = try await stage.administrator(.auditor)
            #expect(try await auditor.open("/console/log").links["Take this message away"] == nil)
        }
    }

    @Test func `A file of the log looks at so many events, and says where the next one begins`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            // Newer than all that the stage did, and more than one file looks at.
            let later = server.now + 3600
            try await server.realm.store.write { transaction in
                for number in 0..<50_100 {
                    let at = later + Double(number) / 1000
                    try transaction.append(
                        AuditEvent(
                            id: AuditBound.bound(at).id + "00000000", at: at, kind: .mailQueued, userID: nil,
                            clientID: nil, dialect: nil, source: nil, reason: nil, details: [:]))
                }
            }
            func lines(_ path: String) async throws -> (events: [JSONValue], last: JSONValue?) {
                let file = try await owner.send(.get, path)
                #expect(file.status == 200)
                let lines = try file.text.split(separator: "\n").map {
                    try JSONDecoder().decode(JSONValue.self, from: Data($0.utf8))
                }
                return (lines.filter { $0["isWhole"] == nil }, lines.last.flatMap { $0["isWhole"] == nil ? nil : $0 })
            }
            let full = try await lines("/console/log-export?kind=mail")
            #expect(full.events.count == 10_000 && full.last?["isWhole"] == .bool(false))
            let second = try await lines(try #require(full.last?["path"]?.stringValue))
            #expect(second.events.count == 10_000)
            #expect(Set((full.events + second.events).compactMap { $0["id"]?.stringValue }).count == 20_000)

            // What is rare lies behind what one file looks at.
            let none = try await lines("/console/log-export?kind=user")
            #expect(none.events.isEmpty)
            let rest = try await lines(try #require(none.last?["path"]?.stringValue))
            #expect(!rest.events.isEmpty && rest.last == nil)
            #expect(rest.events.allSatisfy { $0["kind"]?.stringValue?.hasPrefix("user.") == true })
            #expect(try await owner.open("/console/log").html.contains("isWhole"))
        }
    }

    @Test func `A setting is changed by those who may, and the list says who did it`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let auditor = try await stage.administrator(.auditor)
            let path = "/console/settings/passwords.minimumLength"
            let seen = try await owner.open("\(path)?value=%3Ci%3E5")
            #expect(seen.hasAlert && !seen.html.contains("<i>5"), "\(seen.html)")
            let wrong = try await Self.answer(owner, "\(path)/change", ["value": "<i>5"])
            #expect(wrong.status == 422 && wrong.hasAlert && !wrong.html.contains("<i>5"), "\(wrong.html)")
            let former = try await server.realm.settings().passwords.minimumLength
            let preview = try await owner.open("\(path)?value=12")
            #expect(preview.html.contains("choose the next one") && !preview.hasAlert, "\(preview.html)")
            #expect(try await server.realm.settings().passwords.minimumLength != 12, "A look changes nothing.")
            let form = try #require(preview.forms.first { $0.action == "\(path)/change" }, "\(preview.html)")
            let reply = try await owner.post("\(path)/change", form.values)
            #expect(reply.headers[.location]?.hasPrefix("/console/rules?") == true, "\(reply.text)")
            #expect(try await owner.open(reply.headers[.location] ?? "").html.contains("The setting was changed."))
            let list = try await owner.open("/console/settings")
            #expect(try await server.realm.settings().passwords.minimumLength == 12)
            let event = try #require(
                try await server.realm.auditLog.events(limit: 10).first { $0.kind == .settingsChanged })
            #expect(event.details["by"]?.stringValue?.hasPrefix("user:") == true)
            #expect(event.details["before"] == .integer(Int64(former)) && event.details["value"] == .integer(12))
            let who = try #require(event.details["by"]?.stringValue?.dropFirst("user:".count))
            #expect(list.html.contains("href=\"/console/users/\(who)\"") && list.html.contains("owner@example.com"))
            // More happens than a search of the log looks at.
            let now = server.now
            try await server.realm.store.write { transaction in
                for number in 0..<6000 {
                    let at = now + Double(number + 1) / 1000
                    try transaction.append(
                        AuditEvent(
                            id: AuditBound.bound(at).id + "00000000", at: at, kind: .mailQueued, userID: nil,
                            clientID: nil, dialect: nil, source: nil, reason: nil, details: [:]))
                }
            }
            #expect(try await owner.open("/console/settings").html.contains("href=\"/console/users/\(who)\""))
            #expect(try await !stage.administrator(.support).open("/console/settings").html.contains(who))
            let sought = try await owner.open("/console/settings?q=minimumlength")
            #expect(sought.html.contains("passwords.minimumLength") && !sought.html.contains("tokens.sessionDays"))
            #expect(try await owner.open("/console/settings/no.such").status == 404)
            let read = try await auditor.open("/console/settings")
            #expect(read.status == 200 && !read.html.contains("href=\"/console/settings/passwords"))
        }
    }

    @Test func `Keys are replaced, and the page says which sign`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let before = try await server.realm.store.read { try $0.signingKeys() }
            let other = try #require(
                try await owner.open("/console/keys/rotate").forms.first { $0.action == "/console/keys/rotate" })
            let page = try await Self.answer(owner, "/console/keys/rotate")
            #expect(page.kind == "console-keys" && page.html.contains("New keys sign from now on."), "\(page.html)")
            let after = try await server.realm.store.read { try $0.signingKeys() }
            #expect(after.count == before.count + 2)
            for key in after { #expect(page.html.contains(key.id)) }
            #expect(page.html.contains("countersign key list"))
            // A form that was open beside it replaces no keys that it did not show.
            #expect(try await owner.post(other.action, other.values).status == 422)
            #expect(try await server.realm.store.read { try $0.signingKeys() }.count == after.count)
        }
    }

    @Test func `A key is retired, and what signs instead is on the page with what it signs`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let key = try #require(try await server.realm.keyring.records().first { $0.algorithm == .es256 })
            let page = try await Self.answer(owner, "/console/keys/\(key.id)/retire")
            #expect(page.kind == "console-keys" && page.html.contains("OpenID Connect"), "\(page.html)")
            let left = try await server.realm.keyring.records()
            #expect(!left.contains { $0.id == key.id })
            let successor = try #require(left.first { $0.algorithm == .es256 && $0.retiredAt == nil })
            #expect(page.html.contains(successor.id))
            #expect(try await owner.open("/console/keys/none/retire").status == 404)
        }
    }

    @Test
    func `A hook is changed, switched off and on, tried and sent an event again, and a dead one is on the overview`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let hook = try #require(try await server.realm.eventHooks.list().first)
            let path = "/console/hooks/\(hook.id)"
            #expect(try await owner.open("/console/hooks").links.values.contains(path))
            let changed = try await Self.answer(owner, "\(path)/settings", ["label": "<b>CRM"])
            #expect(changed.kind == "console-hook" && changed.html.contains("&lt;b&gt;CRM"), "\(changed.html)")
            let wrong = try await Self.answer(owner, "\(path)/settings", ["url": "ftp://x"])
            #expect(wrong.status == 422 && wrong.hasAlert)
            #expect(try await Self.answer(owner, "\(path)/disable").html.contains("switched off"))
            #expect(try await server.realm.eventHooks.hook(hook.id)?.registration.isEnabled == false)
            _ = try await Self.answer(owner, "\(path)/enable", ["skip": "on"])
            #expect(try await server.realm.eventHooks.hook(hook.id)?.registration.isEnabled == true)
            let secret = try await Self.answer(owner, "\(path)/secret")
            #expect(secret.html.contains("whsec_"), "\(secret.html)")
            // Services of tests are not called: what came of the message is told.
            let trial = try await Self.answer(owner, "\(path)/test")
            #expect(trial.status == 422 && trial.hasAlert && trial.html.contains("not delivered"), "\(trial.html)")
            let event = try #require(stage.objects["event"])
            let again = try await Self.answer(owner, "\(path)/replay", ["event": event])
            #expect(again.status == 422 && again.html.contains("not delivered"), "\(again.html)")
            #expect(try await Self.answer(owner, "\(path)/replay", ["event": "none"]).status == 422)

            #expect(try await !owner.open("/console").links.values.contains(path))
            var dead = try #require(try await server.realm.eventHooks.hook(hook.id))
            dead.registration.isEnabled = false
            dead.progress.disabledBecause = "unreachable"
            dead.progress.answers = [
                .init(event: event, at: server.now, isDelivered: false, result: "status-503")
            ]
            let fixed = dead
            #expect(try await server.realm.store.write { try $0.update(fixed) })
            #expect(try await owner.open("/console").links.values.contains(path))
            let page = try await owner.open(path)
            #expect(
                page.html.contains("answered <bdi>503</bdi>") && page.html.contains("\(path)/replay?event=\(event)"))
        }
    }

    @Test func `What ends within thirty days is on the overview, the soonest first, for those who may look at it`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let (auditor, operators) = (
                try await stage.administrator(.auditor), try await stage.administrator(.operator)
            )
            #expect(try await !auditor.open("/console").html.contains("Backup"))
            func token(_ label: String, days: Int) async throws {
                _ = try await AddMachineToken(label: label, scopes: ["users:read"], lifetime: days * 86_400).perform(
                    on: server.realm, as: .commandLine, by: .testAdministrator)
            }
            try await token("<b>Backup", days: 29)
            try await token("Later", days: 60)
            _ = try await AddRegistrationToken(label: "Partners", lifetime: 86_400).perform(
                on: server.realm, as: .commandLine, by: .testAdministrator)
            var change = RegistrationChange()
            change.displayName = "Rotating"
            change.hasSecret = true
            let id = try await AddApplication(id: "rotating", registration: change).perform(
                on: server.realm, as: .commandLine, by: .testAdministrator
            ).application.id
            change.secretOverlap = 48
            _ = try await ChangeApplication(id: id, registration: change).perform(
                on: server.realm, as: .commandLine, by: .testAdministrator)

            let html = try await auditor.open("/console").html
            let table = try #require(html.components(separatedBy: "What runs out").last)
            let places = ["Partners", "Rotating", "Backup"].map { name in
                table.range(of: name).map { table.distance(from: table.startIndex, to: $0.lowerBound) } ?? -1
            }
            #expect(places == places.sorted() && !places.contains(-1), "\(places): \(html)")
            #expect(!table.contains("Later") && !html.contains("<b>Backup"))
            #expect(try await auditor.open("/console").links.values.contains("/console/applications/rotating"))
            let own = try await operators.open("/console").html
            #expect(own.contains("Rotating") && own.contains("Partners") && !own.contains("Backup"))

            // A secret whose time is over is gone, as was wanted; a token that has ended is still to be replaced or removed.
            try await server.realm.store.write { transaction in
                for token in try transaction.machineTokens(after: nil, limit: 9) where token.name == "<b>Backup" {
                    _ = try transaction.deleteMachineToken(token.id)
                    let ended = MachineToken(
                        id: token.id, digest: token.digest, name: "Ended", scopes: token.scopes, createdBy: nil,
                        createdAt: token.createdAt, expiresAt: token.createdAt)
                    _ = try transaction.insert(ended)
                }
            }
            let later = try await auditor.open("/console").html
            #expect(later.contains("Ended") && later.contains("expired"), "\(later)")
        }
    }

    @Test(arguments: [("de", "Sie muss mit https://"), ("ja", "https:// で始めて")])
    func `Why the address of a hook is refused is said in one language`(language: String, words: String) async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            for (url, isSaid) in [
                ("http://10.0.0.1/", true), ("no url", false),
                ("https://a.example/" + String(repeating: "x", count: 3000), false),
            ] {
                let page = try await owner.open("/console/hooks/add?lang=\(language)", language: language)
                let refused = try await owner.submit(page, ["url": url, "event-users": "1"])
                #expect(refused.status == 422 && refused.hasAlert, "\(refused.html)")
                #expect(!isSaid || refused.html.contains(words), "\(refused.html)")
                for english in ["has to begin", "is no https", "has more than"] {
                    #expect(!refused.html.contains(english), "\(refused.html)")
                }
            }
        }
    }

    @Test func `Mails are shown with made-up values in each language, and a device without an address gets no test`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let list = try await owner.open("/console/delivery/templates")
            #expect(list.links.values.contains("/console/delivery/templates/verify-email"), "\(list.html)")
            let german = try await owner.open("/console/delivery/templates/reset-password?language=de")
            #expect(german.html.contains("https://login.example.com/") && german.html.contains("Passwort"))
            let command = "countersign delivery preview --locale de reset-password --server http"
            #expect(german.html.contains(command), "\(german.html)")
            #expect(list.html.contains("countersign delivery templates --server http"))
            #expect(try await owner.open("/console/delivery/templates/none").status == 404)
            for template in try await ListMailTemplates().perform(
                on: server.realm, as: .commandLine, by: .testAdministrator
            ).templates {
                let names = template.wordings.map(\.language)
                #expect(names == ["de", "en", "ja"], "\(template.name)")
                for language in names {
                    let mail = try await PreviewMail(template: template.name, locale: language).perform(
                        on: server.realm, as: .commandLine, by: .testAdministrator)
                    #expect(mail.language == language && !mail.subject.isEmpty && !mail.text.isEmpty)
                }
            }
            #expect(try await Self.answer(owner, "/console/delivery/test-push", ["device": "none"]).status == 422)
        }
    }

    @Test func `An extension is added, shown with its command, checked and removed`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let wrong = try await Self.answer(owner, "/console/extensions/add", ["url": "ftp://x"])
            #expect(wrong.status == 422 && wrong.hasAlert, "\(wrong.html)")
            let fields = [
                "event": "token-issuance-start", "url": "https://service.example.org/claims", "name": "<b>Roles",
                "claims": "roles:my_roles born",
            ]
            // One that is there listens to the same event of every application.
            let present = try #require(try await server.realm.customExtensions.all().first)
            let second = try await Self.answer(owner, "/console/extensions/add", fields)
            #expect(second.status == 422 && second.html.contains(present.id), "\(second.html)")
            _ = try await Self.answer(owner, "/console/extensions/\(present.id)/remove")
            let added = try await Self.answer(owner, "/console/extensions/add", fields)
            #expect(added.kind == "console-extension" && added.html.contains("&lt;b&gt;Roles"), "\(added.html)")
            #expect(added.html.contains("roles → my_roles, born"))
            let made = try #require(
                try await server.realm.customExtensions.all().first { $0.displayName == "<b>Roles" })
            #expect(added.html.contains("Nothing failed lately."), "\(added.html)")
            // It is changed in its place, and what is not typed stays.
            let settings = "/console/extensions/\(made.id)/settings"
            let changed = try await Self.answer(
                owner, settings,
                ["constants": "tier = <b>gold", "timeout": "500", "tokens": "access", "retries": "1"])
            #expect(changed.kind == "console-extension", "\(changed.html)")
            #expect(changed.html.contains("roles → my_roles, born, tier = &lt;b&gt;gold"), "\(changed.html)")
            let after = try #require(
                try await server.realm.customExtensions.all().first { $0.displayName == "<b>Roles" })
            #expect(after.id == made.id && after.timeout == 500 && after.retries == 1)
            #expect(after.tokens.map(\.rawValue) == ["access"] && after.claims.count == 3)
            for (name, text) in [("constants", "tier"), ("timeout", "5"), ("on-error", "<i>")] {
                let refused = try await Self.answer(owner, settings, [name: text])
                #expect(refused.status == 422 && refused.hasAlert && !refused.html.contains("<i>"), "\(refused.html)")
            }
            // Its page has its own failures, and the page of deliveries those of all.
            let events = [(made.id, "own"), (present.id, "of-another")].map { extensionID, reason in
                AuditEvent(
                    id: AuditEvent.freshID(at: server.now, random: server.realm.random), at: server.now,
                    kind: .extensionFailed, userID: nil, clientID: nil, dialect: .nativeAuth, source: nil,
                    reason: reason, details: ["extension": .string(extensionID)])
            }
            try await server.realm.store.write { transaction in
                for event in events { try transaction.append(event) }
            }
            let failing = try await owner.open("/console/extensions/\(made.id)").html
            #expect(failing.contains("<bdi>own</bdi>") && !failing.contains("of-another"), "\(failing)")
            #expect(try await owner.open("/console/delivery").html.contains("<bdi>of-another</bdi>"))
            // The service is not there: what came of the call is told.
            let checked = try await Self.answer(owner, "/console/extensions/\(made.id)/check")
            #expect(checked.status == 422 && checked.hasAlert, "\(checked.html)")
            _ = try await owner.open("/console?lang=ja")
            let inJapanese = try await Self.answer(owner, "/console/extensions/\(made.id)/check")
            #expect(inJapanese.html.contains("サービスに接続できない"), "\(inJapanese.html)")
            let host = try await Self.answer(
                owner, "/console/extensions/add", fields.merging(["url": "ftp://<x>"]) { _, new in new })
            #expect(host.html.contains("「<bdi>ftp://&lt;x&gt;</bdi>」は呼び出せません。URL は https で"), "\(host.html)")
            let left = try await Self.answer(owner, "/console/extensions/\(made.id)/remove")
            #expect(left.kind == "console-extensions" && !left.html.contains("&lt;b&gt;Roles"))
        }
    }

    @Test func `Figures have what was delivered and how long requests took, as plots and as a table, in each language`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            let before = try await owner.open("/console/figures").html
            #expect(before.contains("No requests in 24 hours.") && !before.contains("plot-outline"))
            // Neither files nor what waits is a request that says how the server fares.
            _ = try await owner.open("/console/users")
            try await server.countersign.measured.write(to: server.realm)
            for (language, pages, requests, delivered) in [
                ("en", "Latency: pages", "requests in 24 hours", "Mails delivered"),
                ("de", "Antwortzeiten: Seiten", "Anfragen in 24 Stunden", "Zugestellte Mails"),
                ("ja", "応答時間: ページ", "件のリクエスト", "配送されたメール"),
            ] {
                let html = try await owner.open("/console/figures", language: language).html
                #expect(html.contains("<h2>\(pages)</h2>") && html.contains("<title>\(pages)</title>"), "\(html)")
                #expect(html.contains(requests) && html.contains("<h2>\(delivered)</h2>"), "\(html)")
                #expect(html.contains("plot-outline") && html.contains("<table"), "\(html)")
            }
            let answer = try await ShowFigures().perform(
                on: server.realm, as: .commandLine, by: .testAdministrator)
            let latencies = Dictionary(uniqueKeysWithValues: answer.latencies.map { ($0.requests, $0) })
            #expect(latencies.keys.sorted() == ["administration", "applications", "pages"])
            let measured = try #require(latencies["pages"])
            #expect(measured.total > 3 && measured.medians[23] > 0 && measured.highs[23] >= measured.medians[23])
            #expect(measured.medians[0] == 0 && measured.counts[0] == 0)
        }
    }

    @Test func `A password that is blocked is on the page of limits, and lifted there`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let user = try await server.account("blocked@example.com")
            for _ in 0..<10 {
                _ = try await SignInPageTests.password(
                    TestBrowser(server), "blocked@example.com", password: "wrong password")
            }
            let limits = try await server.realm.standingLimits.list(ListRange(limit: 100)).rows
            let limit = try #require(limits.first { $0.user == user.id })
            let page = try await owner.open("/console/limits")
            let link = "/console/limits/lift?kind=password&subject=\(limit.subject)"
            #expect(page.links.values.contains(link), "\(page.html)")
            let done = try await Self.answer(owner, link)
            #expect(done.kind == "console-limits" && done.html.contains("The limit was lifted."))
            #expect(try await server.realm.standingLimits.list(ListRange(limit: 100)).rows.isEmpty)
        }
    }

    @Test func `A test mail is sent, waits on the page, and doctor tells what is short in each level`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            let wrong = try await Self.answer(owner, "/console/delivery/test-mail", ["address": "nowhere"])
            #expect(wrong.status == 422 && wrong.hasAlert)
            let sent = try await Self.answer(owner, "/console/delivery/test-mail", ["address": "ops@example.com"])
            #expect(sent.kind == "console-delivery" && sent.html.contains("The test mail is on its way."))
            let templates = try await server.realm.outbox.messages().map(\.content.template)
            #expect(templates.contains("test-mail"))
            #expect(try await Self.answer(owner, "/console/delivery/retry?channel=email").kind == "console-delivery")

            let second = try await owner.open("/console/doctor")
            #expect(second.kind == "console-doctor" && second.html.contains("ASVS-6.3.3"))
            #expect(!second.html.contains("ASVS-10.4.14"), "That is level 3.")
            #expect(try await owner.open("/console/doctor?level=3").html.contains("ASVS-10.4.14"))
            #expect(try await owner.open("/console/doctor?level=9").status == 400)
            #expect(try await owner.open("/console/doctor?level=abc").status == 400)
            #expect(second.html.contains("countersign doctor --level 2 --assurance 2"))
        }
    }
}
