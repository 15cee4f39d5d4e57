import AdminServer
import CountersignCore
import Foundation
import TestSupport
import Testing

@testable import countersign

/// `apply` and `export` against the built program and its data.
@Suite struct ApplyCommandTests {
    /// Something of each kind, with nested members, secrets and texts that YAML could take for something else.
    private static let everything = """
        version: 1
        groups:
          - group: staff
            summary: "Those who work here: all of them"
          - group: ops
        applications:
          - id: shop
            displayName: "The shop: no. 1"
            kind: web
            authMethod: client_secret_basic
            redirectURIs: ["https://shop.example.com/callback"]
            grantTypes: [authorization_code, refresh_token]
            resources: ["https://api.example.com"]
            scopes: [openid, email, orders]
            secret: {environment: SHOP_SECRET}
          - id: "007"
            displayName: "yes"
            ownerNote: "Anna's: it goes in May"
            contacts: [anna@example.com]
            challengeTypes: [oob, password, redirect]
            attributes:
              - name: city
                type: string
                isRequired: true
            requiresSecondFactor: true
          - id: com.example.bank
            versions:
              - clientPlatform: ios
                version: "1.0"
                scopeElementMapping: {balance: UserLogin}
                securityCheckConfigurations:
                  UserLogin: {maxAttempts: "3"}
                sharedChecks: [UserLogin, PinCode]
        resources:
          - uri: https://api.example.com
            displayName: Orders
            scopes: [orders, "orders:write"]
            scopeTexts:
              orders: {"": See your orders, de: "Ihre Bestellungen sehen"}
            scopeClaims:
              orders: [attributes.city, plan]
            owner: shop
            lifetime: 600
            minimumACR: aal2
          - uri: https://pay.example.com
            scopes: [see, pay, refund]
            minimumACR: aal1
            scopeACRs: {pay: aal2, see: aal1}
          - uri: https://alike.example.com
            scopes: [first, second]
            scopeACRs: {first: aal2, second: aal2}
        extensions:
          - event: token-issuance-start
            targetURL: https://claims.example.com/start
            resourceID: api://claims.example.com/00000000-0000-0000-0000-000000000001
            applications: [shop]
            claims:
              - id: tier
                jwtClaimType: membership
        settings:
          passwords:
            minimumLength: 12
            minimumLengthAlone: 16
          signUp.isOpen: false
        """

    private let secret = ["SHOP_SECRET": "a secret of more than twenty-four characters"]

    private func apply(
        _ directory: TestDirectory, _ yaml: String, _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> Program.Transcript {
        let file = try directory.write(yaml, to: "setup.yaml")
        return try await Program.run(
            ["apply", file, "--data", directory.data] + arguments, in: directory, environment: environment)
    }

    @Test func `What is exported makes the same on an empty server and a second time there is nothing to do`()
        async throws
    {
        let first = try await TestDirectory.prepared()
        let yaml = Self.everything
        let applied = try await apply(first, yaml, "--yes", environment: secret)
        #expect(applied.status == 0, "\(applied.error)")
        #expect(
            applied.output.contains("+ application shop") && applied.output.contains("+ API https://api.example.com"))
        #expect(!applied.output.contains(secret.values.joined()) && !applied.error.contains(secret.values.joined()))
        let again = try await apply(first, yaml, "--yes", environment: secret)
        #expect(again.status == 0 && again.output == "Nothing to do.\n", "\(again.output)")

        let exported = try await first.run("export")
        #expect(exported.status == 0, "\(exported.error)")
        #expect(exported.output.contains("secret:\n      environment: SECRET_OF_SHOP"), "\(exported.output)")
        #expect(!exported.output.contains(secret.values.joined()))
        #expect(exported.output.contains("ownerNote: \"Anna's: it goes in May\""), "\(exported.output)")
        #expect(exported.output.contains("scopeACRs:\n      pay: aal2\n      refund: aal1"), "\(exported.output)")
        #expect(!exported.output.contains("lastUsedAt") && !exported.output.contains("protocols"))
        let own = try await apply(first, exported.output, "--yes")
        #expect(own.status == 0 && own.output == "Nothing to do.\n", "\(own.output)\n\(own.error)")

        let second = try await TestDirectory.prepared()
        let variables = ["SECRET_OF_SHOP": "another secret of more than twenty-four characters"]
        let moved = try await apply(second, exported.output, "--yes", environment: variables)
        #expect(moved.status == 0, "\(moved.error)")
        #expect(try await apply(second, exported.output, "--yes").output == "Nothing to do.\n")
        // Both began with the same first application.
        #expect(try await second.run("export").output == exported.output)
    }

    @Test func `A file that has no end is refused and one that is no file is told`() async throws {
        let directory = try await TestDirectory.prepared()
        let endless = try await directory.run("apply", "/dev/zero", "--yes")
        #expect(endless.status == 2 && endless.error.contains("/dev/zero has more than 4 MiB"), "\(endless.error)")
        for place in [directory.url.path, "nowhere.yaml"] {
            let none = try await directory.run("apply", place, "--yes")
            #expect(none.status == 2 && none.error.contains("cannot be read"), "\(none.error)")
        }
    }

    @Test func `The changes are shown first and nothing is done without a yes`() async throws {
        let directory = try await TestDirectory.prepared()
        let yaml = "version: 1\ngroups:\n  - group: staff\nsettings:\n  passwords.minimumLength: 12\n"
        for arguments in [[], ["--dry-run"]] as [[String]] {
            let file = try directory.write(yaml, to: "setup.yaml")
            let shown = try await Program.run(["apply", file, "--data", directory.data] + arguments, in: directory)
            #expect(shown.status == (arguments.isEmpty ? 1 : 0))
            #expect(
                shown.output.contains("+ group staff\n") && shown.output.contains("~ setting passwords.minimumLength\n")
            )
            #expect(shown.output.contains("    + 12\n") && shown.output.contains("2 changes."))
        }
        #expect(!(try await directory.run("group", "list").output.contains("staff")))
        let report = try await apply(directory, yaml, "--yes", "--json")
        let changes = try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: [[String: Any]]]
        #expect(changes?["changes"]?.compactMap { $0["action"] as? String } == ["add", "change"])
        #expect(try await directory.run("group", "list").output.contains("staff"))
        #expect(try await directory.run("audit", "tail").output.contains("settings.changed"), "The log has it.")
    }

    @Test func `Each kind is changed and what is left out stays`() async throws {
        let directory = try await TestDirectory.prepared()
        try await apply(directory, Self.everything, "--yes", environment: secret).expect(0)
        let yaml = """
            version: 1
            applications:
              - id: shop
                redirectURIs: ["https://shop.example.com/callback", "https://shop.example.com/other"]
              - id: com.example.bank
                versions: []
            resources:
              - uri: https://api.example.com
                lifetime: 900
            extensions:
              - event: token-issuance-start
                targetURL: https://claims.example.com/start
                timeout: 500
            settings:
              passwords.minimumLength: 14
            """
        let changed = try await apply(directory, yaml, "--yes")
        #expect(changed.status == 0, "\(changed.error)")
        #expect(changed.output.contains("5 changes."), "\(changed.output)")
        #expect(changed.output.contains("    - lifetime: 600\n    + lifetime: 900"))
        let after = try await directory.run("export").output
        for words in [
            "https://shop.example.com/other", "lifetime: 900", "timeout: 500", "minimumLength: 14", "Orders",
            "See your orders",
            "jwtClaimType: membership", "authMethod: client_secret_basic",
        ] {
            #expect(after.contains(words), "\(words)")
        }
        #expect(!after.contains("scopeElementMapping"))
        #expect(try await apply(directory, yaml, "--yes").output == "Nothing to do.\n")
    }

    @Test func `Pruning removes what the file leaves out of the kinds that it speaks of`() async throws {
        let directory = try await TestDirectory.prepared()
        try await apply(directory, Self.everything, "--yes", environment: secret).expect(0)
        let yaml = "version: 1\ngroups:\n  - group: ops\nextensions: []\n"
        #expect(try await apply(directory, yaml, "--yes").output == "Nothing to do.\n")
        let pruned = try await apply(directory, yaml, "--yes", "--prune")
        #expect(pruned.status == 0, "\(pruned.error)")
        #expect(pruned.output.contains("- group staff") && pruned.output.contains("- extension token-issuance-start"))
        #expect(pruned.output.contains("2 changes."))
        let after = try await directory.run("export").output
        #expect(after.contains("group: ops") && !after.contains("staff") && !after.contains("claims.example.com"))
        #expect(after.contains("id: shop") && after.contains("https://api.example.com"))
    }

    @Test func `Secrets come from files and variables and are set again by choice alone`() async throws {
        let directory = try await TestDirectory.prepared()
        try directory.writePrivately(
            "a secret in a file of its own, long\n", to: directory.url.appendingPathComponent("s").path)
        let yaml = """
            version: 1
            applications:
              - {id: one, kind: web, secret: {file: s}}
              - {id: two, kind: web, secret: generate}
            """
        let added = try await apply(directory, yaml, "--yes")
        #expect(added.status == 0, "\(added.error)")
        #expect(added.output.contains("The secret of two, shown this once: "))
        #expect(!added.output.contains("a secret in a file"))
        #expect(try await apply(directory, yaml, "--yes").output == "Nothing to do.\n")
        let again = try await apply(directory, yaml, "--yes", "--set-secrets")
        #expect(again.output.contains("~ application one\n    + secret: from the file s\n1 change."), "\(again.output)")
        let missing = try await apply(
            directory,
            "version: 1\napplications:\n  - id: three\n    secret: {environment: NOT_SET}\n    authMethod: client_secret_basic\n",
            "--yes")
        // A secret that cannot be read is no application without one.
        #expect(!missing.error.contains("--secret"), "\(missing.error)")
        #expect(
            missing.status == 2 && missing.error.contains("setup.yaml:4: the variable NOT_SET is not set"),
            "\(missing.error)")
        #expect(!(try await directory.run("app", "list").output.contains("three")))
    }

    /// What a server refuses is told with its line, before or after what was done.
    @Test(arguments: [
        ("settings:\n  passwords.minimumLenght: 12\n", 3, "There is no setting"),
        ("settings:\n  passwords:\n    minimumLength: twelve\n", 4, "passwords.minimumLength cannot be"),
        (
            "applications:\n  - id: one\n    kind: web\n    redirectURIs:\n      - \"javascript:alert(1)\"\n", 5,
            "no redirect URI"
        ),
        ("applications:\n  - id: one\n    kind: spaceship\n", 4, "is no kind"),
        ("resources:\n  - uri: https://a.example\n    owner: gone\n", 3, "There is no application gone"),
        ("resources:\n  - uri: no uri\n", 3, "no identifier of an API"),
        ("groups:\n  - group: \"with space\"\n", 3, "group"),
        ("extensions:\n  - event: at-noon\n    targetURL: https://a.example\n", 3, "is no event"),
    ])
    func `A value that the server refuses is told with its line`(yaml: String, line: Int, words: String) async throws {
        let directory = try await TestDirectory.prepared()
        let refused = try await apply(directory, "version: 1\n" + yaml, "--yes")
        #expect(refused.status != 0, "\(refused)")
        #expect(refused.error.contains("setup.yaml:\(line): "), "\(refused.error)")
        #expect(refused.error.contains(words), "\(refused.error)")
    }

    @Test func `An extension whose change is refused stays as it is`() async throws {
        let directory = try await TestDirectory.prepared()
        try await apply(directory, Self.everything, "--yes", environment: secret).expect(0)
        let before = try await directory.run("export").output
        let yaml = """
            version: 1
            extensions:
              - event: token-issuance-start
                targetURL: https://claims.example.com/start
                timeout: 50
            """
        let refused = try await apply(directory, yaml, "--yes")
        #expect(refused.status != 0 && refused.error.contains("Nothing was changed."), "\(refused.error)")
        #expect(try await directory.run("export").output == before)
    }

    @Test func `A changed extension keeps its id and stays where another listens to the same`() async throws {
        let directory = try await TestDirectory.prepared()
        func extensions(_ ofFirst: String, timeout: Int) -> String {
            """
            version: 1
            extensions:
              - {event: otp-send, targetURL: "https://one.example.com/", applications: \(ofFirst), timeout: \(timeout)}
              - {event: otp-send, targetURL: "https://two.example.com/", applications: [b]}
            """
        }
        func listed() async throws -> Program.Transcript { try await directory.run("extension", "list", "--json") }
        #expect(try await apply(directory, extensions("[a]", timeout: 900), "--yes").status == 0)
        let first = try await directory.run("extension", "list").lines.map { $0.prefix { $0 != " " } }
        let changed = try await apply(directory, extensions("[a, c]", timeout: 500), "--yes")
        #expect(changed.status == 0 && changed.output.contains("1 change."), "\(changed.error) \(changed.output)")
        let second = try await directory.run("extension", "list").lines.map { $0.prefix { $0 != " " } }
        #expect(first == second && first.count == 3, "\(first)")
        #expect(try await directory.run("export").output.contains("timeout: 500"))
        // The second has the application b.
        let before = try await listed().output
        let refused = try await apply(directory, extensions("[a, b]", timeout: 400), "--yes")
        #expect(refused.status != 0 && refused.error.contains("listens to"), "\(refused.error) \(refused.output)")
        #expect(try await listed().output == before)
    }

    /// What `--dry-run` lets pass, the run does.
    @Test func `All that the server would refuse is told at once before anything is changed`() async throws {
        let directory = try await TestDirectory.prepared()
        let yaml = """
            version: 1
            groups:
              - group: good
              - group: ..
              - group: ../x
              - group: "\\u202Eevil\\0"
            applications:
              - id: one
                kind: spaceship
            resources:
              - uri: no uri
              - uri: https://a.example
                owner: gone
            extensions:
              - event: at-noon
                targetURL: https://a.example
              - event: token-issuance-start
                targetURL: ftp://a.example
            settings:
              passwords.minimumLength: twelve
            """
        for arguments in ["--dry-run", "--yes"] {
            let refused = try await apply(directory, yaml, arguments)
            #expect(refused.status == 2, "\(refused.error)")
            for line in [4, 5, 6, 9, 11, 12, 15, 17, 20] {
                #expect(refused.error.contains("setup.yaml:\(line): "), "\(arguments) \(line): \(refused.error)")
            }
            #expect(!refused.error.contains("setup.yaml:3: ") && !refused.error.contains("\u{202E}"))
            #expect(!refused.output.contains("+ group good"), "\(refused.output)")
        }
        #expect(!(try await directory.run("group", "list").output.contains("good")), "Nothing was changed.")
    }

    @Test func `An API that the same file adds is there before those who ask for it and gets its owner afterwards`()
        async throws
    {
        let directory = try await TestDirectory.prepared()
        let yaml = """
            version: 1
            applications:
              - id: shop
                kind: web
                redirectURIs: ["https://shop.example.com/callback"]
                scopes: [orders]
                resources: ["https://api.example.com", "https://missing.example.com"]
            resources:
              - uri: https://api.example.com
                scopes: [orders]
                owner: shop
            """
        let applied = try await apply(directory, yaml, "--yes")
        #expect(applied.status == 0, "\(applied.error)")
        #expect(!applied.error.contains("There is no API https://api.example.com"), "\(applied.error)")
        #expect(applied.error.contains("There is no API https://missing.example.com"), "\(applied.error)")
        #expect(try await directory.run("export").output.contains("owner: shop"))
        #expect(try await apply(directory, yaml, "--yes").output == "Nothing to do.\n")
    }

    @Test func `Two that apply the same at the same time make it once`() async throws {
        let directory = try await TestDirectory.prepared()
        let file = try directory.write(Self.everything, to: "setup.yaml")
        let (data, secret) = (directory.data, secret)
        let transcripts = try await withThrowingTaskGroup(of: Program.Transcript.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await Program.run(["apply", file, "--yes", "--data", data], in: directory, environment: secret)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for transcript in transcripts { #expect(transcript.status == 0, "\(transcript.error)") }
        let exported = try await directory.run("export").output
        #expect(exported.components(separatedBy: "event: token-issuance-start").count == 2, "One extension.")
        #expect(exported.components(separatedBy: "id: shop").count == 2)
        #expect(
            try await Program.run(["apply", file, "--yes", "--data", data], in: directory).output == "Nothing to do.\n")
    }

    @Test func `A running server is set up by its token`() async throws {
        let directory = try await TestDirectory.prepared()
        let file = try directory.write("version: 1\ngroups:\n  - group: staff\n", to: "setup.yaml")
        try await directory.serving { url, _ in
            let remote = ["--server", url, "--token-file", directory.data + "/admin-token"]
            let applied = try await Program.run(["apply", file, "--yes"] + remote, in: directory)
            #expect(applied.status == 0, "\(applied.error)")
            #expect(try await Program.run(["export"] + remote, in: directory).output.contains("group: staff"))
        }
    }
}
