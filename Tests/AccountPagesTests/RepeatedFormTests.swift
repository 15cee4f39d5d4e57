import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import Testing
import WebPages

@testable import ConsoleServer

/// Forms that a browser sends again, after "back" or by a reload (docs/decisions/0582).
@Suite("Forms that are sent again")
struct RepeatedFormTests {
    /// What a page shows once.
    private static func secret(of page: TestPage) -> String? {
        page.html.firstMatch(of: /<p class="secret"><span aria-hidden="true">([^<]+)</).map { String($0.1) }
    }

    /// What was done and mailed so far.
    private static func deeds(_ server: TestServer) async throws -> [String] {
        try await server.realm.auditLog.events(limit: 1000).map(\.id)
            + [String(try await server.realm.outbox.messages().count)]
    }

    @Test func `A form about what it removed leads to the list, where it is sent again`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            let page = try await owner.open("/console/apis/remove?uri=https://target.example.com/api")
            let form = try #require(page.forms.first { $0.action == "/console/apis/remove" }, "\(page.html)")
            #expect(try await owner.post(form.action, form.values).status == 303)
            let again = TestPage(
                reply: try await owner.post(form.action, form.values), path: form.action, language: "en")
            #expect(again.status == 409 && again.links["See what there is"] == "/console/apis", "\(again.html)")
        }
    }

    private static func form(_ path: String, _ browser: TestBrowser) async throws -> TestPage.Form {
        try #require(try await browser.open(path).forms.first { $0.action == path }, "\(path)")
    }

    // MARK: The console

    @Test func `Every form of the console has an id of its own, and only those that change nothing repeat`()
        async throws
    {
        let repeating = Console.routes.filter { $0.repeats != nil }.map { "/" + $0.fullPath }
        #expect(Set(repeating) == Set(ConsoleRow.all.filter(\.repeats).map(\.path)))
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            var ids: [String] = []
            for row in ConsoleRow.all where !row.isFile {
                let path = row.page(stage.objects).path
                // The list's form only leads to the question.
                for form in try await owner.open(path).forms
                where form.action.hasPrefix("/console/") && !form.names.contains("step") {
                    ids.append(try #require(form.values[FormID.field], "\(path): \(form)"))
                }
            }
            #expect(ids.count > 30 && Set(ids).count == ids.count && !ids.contains(""), "\(ids.count)")
        }
    }

    @Test func `A form of the console acts once, and what it gave out is not shown again`() async throws {
        let rows: [(path: String, typed: [String: String], hasSecret: Bool)] = [
            ("/console/tokens/add", ["label": "CI", "scope.users:read": "1", "days": "7"], true),
            ("/console/registrations-tokens/add", ["label": "Partner", "count": "2", "days": "7"], true),
            ("/console/hooks/add", ["url": "https://hooks.example.com/other", "label": "Other"], true),
            ("/console/hooks/{hook}/secret", [:], true),
            ("/console/applications/{id}/secret", ["overlap": "0"], true),
            ("/console/users/{user}/mail-recovery-code", [:], false),
            ("/console/users/{user}/reset-password", ["method": "generate"], true),
            ("/console/users/{user}/end-sessions", [:], false),
            ("/console/users/{user}/disable", [:], false),
        ]
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            for row in rows {
                let path = row.path.contains("{") ? Self.concrete(row.path, stage) : row.path
                let form = try await Self.form(path, owner)
                let values = form.values.merging(row.typed) { $1 }
                let first = try await owner.post(path, values)
                #expect(first.status == 303, "\(path): \(first.text)")
                let shown = try await owner.open(first.headers[.location] ?? "")
                let secret = Self.secret(of: shown)
                #expect((secret != nil) == row.hasSecret, "\(path): \(shown.html)")
                let deeds = try await Self.deeds(server)
                let again = TestPage(reply: try await owner.post(path, values), path: path, language: "en")
                #expect(again.status == 409 && again.kind == "form-sent", "\(path): \(again.html)")
                #expect(again.links["See what there is"]?.hasPrefix("/console/") == true, "\(path): \(again.html)")
                #expect(secret.map { again.html.contains($0) } != true, "\(path)")
                #expect(try await Self.deeds(server) == deeds, "\(path) did something again.")
            }
        }
    }

    private static func concrete(_ path: String, _ stage: ConsoleStage) -> String {
        stage.objects.reduce(path) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    @Test func `Of five who send one form at once one acts, and a form that was refused is good again`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            let path = "/console/tokens/add"
            func made() async throws -> Int {
                try await server.realm.machineTokens.list().count { $0.name == "CI" }
            }
            let form = try await Self.form(path, owner)
            let refused = try await owner.post(path, form.values.merging(["label": "CI"]) { $1 })
            #expect(refused.status == 422 && refused.text.contains("needs scopes"), "\(refused.text)")
            let values = form.values.merging(["label": "CI", "scope.users:read": "1"]) { $1 }
            let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<5 { group.addTask { try await owner.post(path, values).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(answers.sorted() == [303, 409, 409, 409, 409])
            #expect(try await made() == 1)
            // Without an id that this page has given out nothing is done.
            let other = ConsoleStage.locks("/console/users-add", owner, server)[FormID.field] ?? ""
            for id in ["", "AAAA", "a.b.c", other] {
                let reply = try await owner.post(path, values.merging([FormID.field: id]) { $1 })
                #expect(reply.status == 422 && reply.text.contains("too old"), "\(id): \(reply.text)")
            }
            #expect(try await made() == 1)
        }
    }

    @Test func `An import is looked at as often as one likes, and done once, and an export goes on`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            let path = "/console/users-import"
            let form = try await Self.form(path, owner)
            let line = #"{"localId":"new1","email":"new1@example.com"}"#
            var looked: [TestPage] = []
            for _ in 0..<2 {
                let reply = try await owner.post(path, form.values.merging(["lines": line]) { $1 })
                looked.append(TestPage(reply: reply, path: path, language: "en"))
            }
            #expect(looked.allSatisfy { $0.status == 200 && $0.kind == "console-review" }, "\(looked)")
            let shown = try #require(looked[0].forms.first { $0.names.contains("seen") }, "\(looked[0].html)")
            for status in [303, 409] {
                let reply = try await owner.post(path, shown.values)
                #expect(reply.status == status, "\(reply.text)")
            }
            let export = try await Self.form("/console/users-export", owner)
            for _ in 0..<2 { #expect(try await owner.post(export.action, export.values).status == 200) }
        }
    }

    // MARK: The account

    /// Forms that give the session another token, or end it: the form is of a session that is over.
    private static let endSession: Set<String> = [
        "/account/passkeys", "/account/authenticator", "/account/password", "/account/delete",
    ]

    /// What scripts are told, as the options of a passkey, changes nothing.
    @Test(arguments: LiveForm.all.filter { $0.path.hasPrefix("/account/") && !$0.path.hasSuffix("/options") })
    func `A form of the account that is sent again does nothing, and says so`(form row: LiveForm) async throws {
        try await TestServer.with(.development) { server in
            let scene = try await row.reach(server, "ada@example.com")
            let (browser, fields) = (scene.browser, try scene.fields())
            let session = browser.cookies[SignInPageTests.session]
            let first = try await browser.post(row.path, fields)
            #expect(first.status == 303, "\(first.text)")
            let deeds = try await Self.deeds(server)
            let again = TestPage(reply: try await browser.post(row.path, fields), path: row.path, language: "en")
            if browser.cookies[SignInPageTests.session] == session {
                #expect(again.status == 409 && again.kind == "form-sent", "\(again.html)")
                #expect(again.links["See what there is"]?.hasPrefix("/account/") == true, "\(again.html)")
            } else {
                #expect(Self.endSession.contains(row.path) && [303, 403].contains(again.status), "\(again.html)")
            }
            #expect(try await Self.deeds(server) == deeds, "Something was done again.")
        }
    }

    // MARK: Ids

    @Test func `A form's id is of one purpose of one session, for a day`() throws {
        let random = SystemRandom()
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let session = Secret(String(repeating: "s", count: 43))
        let id = FormID(for: "a", session: session, at: now, random)
        #expect(id.text != FormID(for: "a", session: session, at: now, random).text)
        let read = try #require(FormID(id.text, for: "a", session: session, at: now + SentForms.lifetime - 1))
        #expect(read.text == id.text && read.expiresAt == now + SentForms.lifetime && id.expiresAt == read.expiresAt)
        #expect(FormID(id.text, for: "a", session: session, at: now + SentForms.lifetime) == nil)
        #expect(FormID(id.text, for: "b", session: session, at: now) == nil)
        #expect(FormID(id.text, for: "a", session: Secret(String(repeating: "t", count: 43)), at: now) == nil)
        #expect(FormID("1" + id.text, for: "a", session: session, at: now) == nil)
        for text in [nil, "", "..", id.text + ".", String(repeating: "a", count: 300)] {
            #expect(FormID(text, for: "a", session: session, at: now) == nil)
        }
    }
}
