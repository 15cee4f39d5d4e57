import AdminServer
import CountersignCore
import DialectTestSupport
import Foundation
import HTTPTypes
import ServerHTTP
import Testing

/// What pages of the console say in words, whole, and of now.
@Suite("Words of the console")
struct ConsoleWordsTests {
    @Test func `An event says why it was refused in the page's language, with the code beside it`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            let id = AuditEvent.freshID(at: server.now, random: server.realm.random)
            let events = [
                AuditEvent(
                    id: id, at: server.now, kind: AuditEvent.Kind(rawValue: "answer.refused"), userID: nil,
                    clientID: nil, dialect: .oauth, source: nil,
                    reason: "wrong-answer", details: [:])
            ]
            try await server.realm.store.write { transaction in
                for event in events { try transaction.append(event) }
            }
            for (language, words) in [("en", "wrong answer"), ("de", "falsche Antwort"), ("ja", "誤った回答")] {
                let page = try await owner.open("/console/log/\(id)", language: language)
                #expect(page.html.contains("\(words) (<code>wrong-answer</code>)"), "\(page.html)")
            }
        }
    }

    @Test func `A note, contacts and redirect URIs are shown whole on the application's page`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            let note = String(repeating: "note ", count: 99) + "<end>"
            let contacts = (0..<8).map { "\($0)" + String(repeating: "c", count: 240) + "-last\($0)" }
            let redirect = "https://target.example.com/" + String(repeating: "deep/", count: 80) + "last"
            var change = RegistrationChange()
            change.ownerNote = note
            change.contacts = contacts
            change.redirectURIs = ["https://target.example.com/callback", redirect]
            change.jwksURI = "https://target.example.com/keys.json"
            change.authMethod = "private_key_jwt"
            _ = try await ChangeApplication(id: "target-app", registration: change).perform(
                on: server.realm, as: .commandLine, by: .testAdministrator)
            let page = try await owner.open("/console/applications/target-app").html.replacing("<wbr>", with: "")
            #expect(page.contains("note &lt;end&gt;</bdi>"), "\(page)")
            for contact in contacts { #expect(page.contains("<bdi>\(contact)</bdi>"), "\(contact)") }
            #expect(
                page.contains("<bdi>\(redirect)</bdi>") && page.contains("<bdi>https://target.example.com/keys.json"))
            // A list has room for the beginning.
            let list = try await owner.open("/console/applications").html
            #expect(!list.contains("&lt;end&gt;") && list.contains("…"), "\(list)")
        }
    }

    @Test func `A name that was mistyped is told with the nearest one, in the page's language`() async throws {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            let path = "/console/administrators/grant"
            for (language, words) in [
                ("en", "Did you mean <bdi>support</bdi>?"), ("de", "Meinten Sie <bdi>support</bdi>?"),
                ("ja", "<bdi>support</bdi> のことですか?"),
            ] {
                let form = try #require(try await owner.open(path).forms.first { $0.action == path })
                let refused = try await owner.post(
                    path, form.values.merging(["user": "target", "role": "suport"]) { $1 },
                    headers: [.known("Sec-Fetch-Site"): "same-origin", .acceptLanguage: language])
                #expect(refused.status == 422 && refused.text.contains(words), "\(refused.text)")
            }
        }
    }

    @Test func `The overview finds what ends by itself, and nothing that was ended`() async throws {
        try await TestServer.with(.development) { server in
            let stage = try await ConsoleStage(server)
            let owner = try await stage.administrator(.owner)
            func overview() async throws -> String { try await owner.open("/console").html }
            func perform<Operation: AdministrationOperation>(_ operation: Operation) async throws {
                _ = try await operation.perform(on: server.realm, as: .commandLine, by: .testAdministrator)
            }
            func rotate(_ id: String, overlap: Int?) async throws {
                var change = RegistrationChange()
                change.hasSecret = true
                change.secretOverlap = overlap
                try await perform(ChangeApplication(id: id, registration: change))
            }
            #expect(try await !overview().contains("rotated"))
            var registration = RegistrationChange()
            registration.kind = "service"
            registration.hasSecret = true
            registration.authMethod = "client_secret_basic"
            for id in ["rotated", "cut"] {
                registration.displayName = "App \(id)"
                try await perform(AddApplication(id: id, registration: registration))
            }
            try await rotate("rotated", overlap: 48)
            try await rotate("cut", overlap: nil)
            let shown = try await overview()
            #expect(shown.contains("App rotated") && !shown.contains("App cut"), "\(shown)")
            server.clock.advance(49 * 3600)
            let later = try await stage.administrator(.owner, "second")
            #expect(try await !later.open("/console").html.contains("App rotated"), "What is over is what was wanted.")
        }
    }

    @Test func `The overview shows what doctor found within a minute, and looks again where a setting changed`()
        async throws
    {
        try await TestServer.with(.development) { server in
            let owner = try await ConsoleStage(server).administrator(.owner)
            func short() async throws -> String {
                let html = try await owner.open("/console").html
                return String(try #require(html.firstMatch(of: /class="standing [\s\S]{0,300}/)).0)
            }
            let first = try await short()
            _ = try await server.realm.applications.add(
                id: ClientID(rawValue: "open"), ApplicationRegistration(audiences: nil, revealsAddresses: true),
                by: .testAdministrator)
            #expect(try await short() == first, "Nothing looks at every application within a minute.")
            _ = try await ChangeSetting(key: "passwords.refusesCommon", value: .bool(false)).perform(
                on: server.realm, as: .commandLine, by: .testAdministrator)
            #expect(try await short() != first)
        }
    }
}
