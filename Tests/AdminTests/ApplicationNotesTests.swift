import AdminServer
import CountersignCore
import DialectTestSupport
import Foundation
import SecurityChecks
import Testing

/// What operators note about an application, what it uses, and levels of single scopes.
@Suite("Notes about applications")
struct ApplicationNotesTests {
    private static func set(_ server: TestServer, _ change: RegistrationChange) async throws -> ApplicationSummary {
        try await ChangeApplication(id: "noted", registration: change).perform(
            on: server.realm, as: .commandLine, by: .testAdministrator
        ).application
    }

    @Test func `What a server of before says of an application is read`() throws {
        let said = Data(
            #"""
            {"assertionAudience":"issuer","grantTypes":[],"hasLogo":false,"isFirstParty":false,"issuerStyle":"standard",
            "postLogoutRedirectURIs":[],"requiresDPoP":false,"requiresPAR":false,"resources":[],"idTokenAlgorithm":"RS256"}
            """#.utf8)
        let oauth = try JSONDecoder().decode(ApplicationSummary.OAuth.self, from: said)
        #expect(oauth.idTokenAlgorithm == "RS256" && oauth.idTokenAlgorithmInUse == nil)
    }

    /// The answer "done" to an overlap alone would make an administrator believe that the secret is another.
    @Test func `An overlap of secrets is refused where there is no new secret`() async throws {
        try await TestServer.with { server in
            var change = RegistrationChange()
            change.hasSecret = true
            _ = try await AddApplication(id: "noted", registration: change).perform(
                on: server.realm, as: .commandLine, by: .testAdministrator)
            for hasSecret in [nil, false] as [Bool?] {
                var alone = RegistrationChange()
                alone.hasSecret = hasSecret
                alone.secretOverlap = 24
                await #expect("\(String(describing: hasSecret))") {
                    _ = try await Self.set(server, alone)
                } throws: { ($0 as? AdministrationError)?.code == .invalid }
            }
            change.secretOverlap = 24
            #expect(try await Self.set(server, change).isConfidential)
            change = RegistrationChange()
            change.secret = SecretText(String(repeating: "s", count: 40))
            change.secretOverlap = 24
            #expect(try await Self.set(server, change).isConfidential)
        }
    }

    @Test func `A note and contacts are taken as lines, and left alone by a change of something else`() async throws {
        try await TestServer.with { server in
            _ = try await AddApplication(id: "noted").perform(
                on: server.realm, as: .commandLine, by: .testAdministrator)
            var change = RegistrationChange()
            change.ownerNote = "Anna's"
            change.contacts = ["anna@example.com"]
            var shown = try await Self.set(server, change)
            #expect(shown.ownerNote == "Anna's" && shown.contacts == ["anna@example.com"])
            change = RegistrationChange()
            change.displayName = "Shop"
            shown = try await Self.set(server, change)
            #expect(shown.ownerNote == "Anna's" && shown.contacts == ["anna@example.com"])
            let long = String(repeating: "x", count: 501)
            let marked = "a" + String(repeating: "\u{301}", count: 500)
            for (note, contacts) in [
                ("two\nlines", nil), ("\u{2028}", nil), ("\u{1B}[2J", nil), (long, nil), (nil, [""]), (nil, ["a\tb"]),
                (nil, [long]), (nil, Array(repeating: "a", count: 9)), (" ", nil), (nil, [" "]), (marked, nil),
                (nil, [marked]),
            ] as [(String?, [String]?)] {
                var wrong = RegistrationChange()
                wrong.ownerNote = note
                wrong.contacts = contacts
                await #expect(throws: AdministrationError.self, "\(note ?? "") \(contacts ?? [])") {
                    _ = try await Self.set(server, wrong)
                }
            }
            change = RegistrationChange()
            change.ownerNote = ""
            change.contacts = []
            shown = try await Self.set(server, change)
            #expect(shown.ownerNote == nil && shown.contacts == nil && shown.displayName == "Shop")
        }
    }

    /// A setting of a check may be a PIN, and of digits it is tried out from a revision in no time.
    @Test func `What applications set of checks is shown to those alone who may change applications`() async throws {
        try await TestServer.with { server in
            let version = ApplicationVersion(
                clientPlatform: "ios", scopeElementMapping: ["pay": "PinCode"],
                securityCheckConfigurations: ["PinCode": ["pinCode": "98765", "maxAttempts": "2"]])
            var change = RegistrationChange()
            change.versions = [version]
            _ = try await AddApplication(id: "noted", registration: change).perform(
                on: server.realm, as: .commandLine, by: .testAdministrator)
            for (role, isShown) in [(.owner, true), (.operator, true), (.auditor, false)]
                as [(AdministratorRole, Bool)]
            {
                let caller = AdministrationCaller.user(UserID(rawValue: "anna"), role)
                let shown = try await ShowApplication(id: "noted").perform(
                    on: server.realm, as: caller, by: .testAdministrator)
                let listed = try await ListApplications().perform(on: server.realm, as: caller, by: .testAdministrator)
                #expect((shown.revision != nil) == isShown, "\(role)")
                for application in [shown.application, listed.applications.first { $0.id == "noted" }] {
                    let settings = application?.versions.first?.securityCheckConfigurations["PinCode"]
                    #expect(settings?.keys.sorted() == ["maxAttempts", "pinCode"], "\(role)")
                    #expect((settings?["pinCode"] == "98765") == isShown, "\(role)")
                    #expect((settings?["maxAttempts"] == "2") == isShown, "\(role)")
                    #expect(application?.versions.first?.scopeElementMapping == ["pay": "PinCode"], "\(role)")
                }
                // What was read without the values does not come in their place.
                var written = RegistrationChange()
                written.versions = shown.application.versions
                if isShown {
                    #expect(try await Self.set(server, written).versions == [version], "\(role)")
                } else {
                    await #expect {
                        _ = try await Self.set(server, written)
                    } throws: { ($0 as? AdministrationError)?.code == .invalid }
                }
            }
            let long = String(repeating: "x", count: 129)
            for (platform, number) in [("", "*"), ("*", ""), ("i\nos", "*"), (long, "*")] {
                var wrong = RegistrationChange()
                wrong.versions = [ApplicationVersion(clientPlatform: platform, version: number)]
                await #expect("\(platform) \(number)") {
                    _ = try await Self.set(server, wrong)
                } throws: { ($0 as? AdministrationError)?.code == .invalid }
            }
        }
    }

    @Test func `Protocols are those of the registration and those that were used, the latest first`() async throws {
        try await TestServer.with { server in
            var change = RegistrationChange()
            change.kind = "native"
            change.redirectURIs = ["http://127.0.0.1/callback"]
            change.authMethod = "none"
            change.challengeTypes = ["oob", "redirect"]
            let added = try await AddApplication(id: "noted", registration: change).perform(
                on: server.realm, as: .commandLine, by: .testAdministrator
            ).application
            #expect(added.protocols?.map(\.name) == ["oauth", "native-auth"] && added.lastUsedAt == nil)
            #expect(added.protocols?.allSatisfy { $0.isRegistered && $0.lastUsedAt == nil } == true)
            let id = ClientID(rawValue: "noted")
            server.realm.applicationUses.note(id, by: .nativeAuth)
            try await server.advance(5)
            server.realm.applicationUses.note(id, by: .guardian)
            let shown = try await ShowApplication(id: "noted").perform(
                on: server.realm, as: .commandLine, by: .testAdministrator
            ).application
            #expect(shown.protocols?.map(\.name) == ["guardian", "native-auth", "oauth"])
            #expect(shown.protocols?.map(\.isRegistered) == [false, true, true])
            #expect(shown.lastUsedAt == Timestamp(server.now) && shown.protocols?.last?.lastUsedAt == nil)
            let listed = try await ListApplications().perform(
                on: server.realm, as: .commandLine, by: .testAdministrator
            ).applications
            #expect(listed.first { $0.id == "noted" } == shown)
        }
    }

    @Test func `A scope has its own level before that of all, and a level of no scope is refused`() async throws {
        try await TestServer.with { server in
            func put(_ least: String?, _ levels: [String: String]?) async throws -> ResourceSummary {
                try await PutResource(
                    uri: "https://pay.example", scopes: ["see", "pay"], minimumACR: least, scopeACRs: levels
                ).perform(on: server.realm, as: .commandLine, by: .testAdministrator).resource
            }
            let cases: [(String?, [String: String]?, [String?], common: String?)] = [
                (nil, nil, [nil, nil], nil), ("aal2", nil, ["aal2", "aal2"], "aal2"),
                ("", [:], [nil, nil], nil), (nil, ["pay": "aal2"], [nil, "aal2"], nil),
                ("aal1", ["pay": "aal2"], ["aal1", "aal2"], nil),
                ("aal2", ["see": "aal1"], ["aal1", "aal2"], nil),
                (nil, ["see": "aal1", "pay": "aal1"], ["aal1", "aal1"], "aal1"),
            ]
            for (least, levels, expected, common) in cases {
                let made = try await put(least, levels)
                #expect(made.scopes.map(\.minimumACR) == expected && made.commonACR == common, "\(expected)")
            }
            for (least, levels) in [("aal3", nil), (nil, ["pay": ""]), (nil, ["pay": "phr"]), (nil, ["gone": "aal2"])]
                as [(String?, [String: String]?)]
            {
                await #expect(throws: AdministrationError.self) { _ = try await put(least, levels) }
            }
        }
    }
}
