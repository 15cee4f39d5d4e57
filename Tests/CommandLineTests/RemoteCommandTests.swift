import Foundation
import Testing

@Suite struct RemoteCommandTests {
    /// Whoever words the mails looks at them before they are sent.
    @Test func `A server without a mail server shows its mails`() async throws {
        let directory = try await TestDirectory.prepared()
        try await directory.serving { url, _ in
            let listed = try await directory.run("delivery", "templates", "--server", url)
            listed.expect(0)
            #expect(listed.output.contains("reset-password"), "\(listed.output)")
            let shown = try await directory.run(
                "delivery", "preview", "reset-password", "--locale", "de", "--server", url, "--json")
            shown.expect(0)
            #expect(try shown.json()["language"] as? String == "de")
        }
        for command in [["templates"], ["templates", "--json"], ["preview", "reset-password"]] {
            let local = try await Program.run(
                ["delivery"] + command + ["--data", directory.data], in: directory)
            #expect(local.status == 2 && local.output.isEmpty, "\(command): \(local)")
            #expect(local.error == "countersign: Mails are a server's: name one with --server.\n")
        }
    }

    @Test func `Commands work through a server and beside it`() async throws {
        let directory = try await TestDirectory.prepared()
        try await directory.serving { url, _ in
            func remote(_ arguments: String...) async throws -> Program.Transcript {
                try await Program.run(arguments + ["--server", url] + tokenFile(directory), in: directory)
            }
            let added = try await remote("user", "add", "anna@example.com", "--generate-password", "--id", "anna")
            #expect(added.lines.first == "Added anna@example.com with the id anna.", "\(added.error)")
            // The same data, at the same time, from a process of its own.
            let local = try await directory.run("user", "show", "anna", "--json")
            #expect(local.status == 0, "\(local)")
            #expect(try await remote("user", "show", "anna", "--json").output == local.output)

            try await directory.run("user", "disable", "anna").expect(0)
            #expect(try await remote("user", "list").output.contains("anna@example.com  no        yes"))
            try await remote("user", "enable", "anna").expect(0)

            let link = try await remote("user", "reset-password", "anna", "--print-link")
            #expect(link.lines.last?.hasPrefix("\(url)/auth/action?mode=resetPassword&oobCode=") == true)

            #expect(
                try await remote("app", "add", "--id", "shop", "--reveal-addresses").error.contains("warning: shop"))
            #expect(try await remote("key", "list", "--json").output == directory.run("key", "list", "--json").output)
            try await remote("config", "set", "passwords.minimumLength", "10").expect(0)
            #expect(try await directory.run("config", "show", "passwords.minimumLength").output.contains("  10 "))
            let log = try await remote("audit", "tail", "--limit", "1")
            #expect(log.output.contains("app=admin-api") && log.output.contains("from=127.0.0.1"))

            try await remote("user", "show", "nobody").expect(4)
            try await remote("user", "add", "anna@example.com").expect(1)
            try await remote("config", "set", "nonsense", "1").expect(2)
        }
    }

    @Test func `The token comes from a file or the environment`() async throws {
        let directory = try await TestDirectory.prepared()
        let token = try String(contentsOfFile: directory.data + "/admin-token", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        try await directory.serving { url, _ in
            let command = ["key", "list", "--server", url]
            let fromEnvironment = try await Program.run(
                command, in: directory, environment: ["COUNTERSIGN_ADMIN_TOKEN": token])
            #expect(fromEnvironment.status == 0, "\(fromEnvironment.error)")
            let fromDirectory = try await Program.run(command + ["--data", directory.data], in: directory)
            #expect(fromDirectory.status == 0, "\(fromDirectory)")
            let none = try await Program.run(command, in: directory)
            #expect(none.status == 2, "\(none)")
            #expect(none.error.contains("--token-file"))
            let wrong = try await Program.run(command, in: directory, environment: ["COUNTERSIGN_ADMIN_TOKEN": "wrong"])
            #expect(wrong.status == 1, "\(wrong)")
            #expect(wrong.error.contains("The administrator's token is missing or wrong."))
        }
    }

    @Test func `What cannot be reached is said`() async throws {
        let directory = try await TestDirectory.prepared()
        let nobody = try await Program.run(
            ["user", "list", "--server", "http://127.0.0.1:1"] + tokenFile(directory), in: directory)
        #expect(nobody.status == 3, "\(nobody)")
        #expect(nobody.error.hasPrefix("countersign: http://127.0.0.1:1 cannot be reached"))
        #expect(nobody.error.hasSuffix("Is the server running, and is the address right?\n"))
        let readable = try await Program.run(
            ["user", "list", "--server", "http://login.example.com"] + tokenFile(directory), in: directory)
        #expect(readable.status == 2, "\(readable)")
        #expect(readable.error.contains("The token would be sent unencrypted: use https."))
        let nonsense = try await Program.run(
            ["user", "list", "--server", "login"] + tokenFile(directory), in: directory)
        #expect(nonsense.status == 2, "\(nonsense)")
    }
}
