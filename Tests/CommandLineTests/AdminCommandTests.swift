import Foundation
import Testing

@testable import countersign

@Suite struct AdminCommandTests {
    private let directory: TestDirectory

    init() async throws {
        directory = try await TestDirectory.prepared()
    }

    private func run(_ words: [String]) async throws -> Program.Transcript {
        try await Program.run(words + ["--data", directory.data], in: directory)
    }

    @Test func `Roles are given, listed and taken, but the last owner's`() async throws {
        _ = try await directory.run("user", "add", "anna@example.com", "--id", "anna")
        #expect(try await directory.run("admin", "list").output == "No user has a role.\n")
        let granted = try await directory.run("admin", "grant", "anna@example.com", "owner")
        #expect(granted.output == "anna@example.com has the role owner.\n")
        let list = try await directory.run("admin", "list")
        #expect(list.lines.last?.hasPrefix("owner") == true && list.lines.last?.contains("anna@example.com") == true)
        for words in [
            ["admin", "revoke", "anna"], ["admin", "grant", "anna", "support"], ["user", "disable", "anna"],
        ] {
            let refused = try await run(words)
            #expect(refused.status == 1 && refused.error.contains("last owner"), "\(refused.error)")
        }
        let unknown = try await directory.run("admin", "grant", "anna", "king")
        #expect(unknown.status == 2 && unknown.error.contains("There are owner, operator, support, auditor."))
        try await directory.run("admin", "grant", "nobody", "owner").expect(4)
    }

    @Test func `Tokens are shown once, listed without their secret and revoked`() async throws {
        let made = try await directory.run(
            "admin", "token", "add", "--scope", "users:read,audit:read", "--expires", "90d", "--label", "backup")
        #expect(made.status == 0 && made.output.contains("opens audit:read users:read until"), "\(made.error)")
        let secret = try #require(made.lines.last?.split(separator: " ").last.map(String.init))
        #expect(secret.hasPrefix("csadm_"))
        let list = try await directory.run("admin", "token", "list", "--json")
        #expect(!list.output.contains(secret))
        let tokens = try #require(try list.json()["tokens"] as? [[String: Any]])
        #expect(tokens.count == 1 && tokens.first?["label"] as? String == "backup")
        let id = try #require(tokens.first?["id"] as? String)
        #expect(
            try await directory.run("admin", "token", "revoke", id).output
                == "The token \(id) opens nothing any more.\n")
        try await directory.run("admin", "token", "revoke", id).expect(4)
        for words in [
            ["--expires", "90d"], ["--scope", "users:read"], ["--scope", "users:read", "--expires", "90"],
            ["--scope", "users:read", "--expires", "d"], ["--scope", "users:read", "--expires", "-1d"],
            ["--scope", "users:read", "--expires", "9999999d"], ["--scope", "users:raed", "--expires", "90d"],
            ["--scope", "users:read", "--expires", "999999d"],
        ] {
            #expect(try await run(["admin", "token", "add"] + words).status == 2, "\(words)")
        }
    }

    @Test func `Groups have commands for all that is done with them`() async throws {
        _ = try await directory.run("user", "add", "anna@example.com", "--id", "anna")
        func run(_ words: String...) async throws -> String { try await self.run(["group"] + words).output }
        #expect(try await run("list") == "There are no such groups.\n")
        #expect(try await run("add", "staff", "--summary", "All of us") == "Added the group staff.\n")
        #expect(try await run("add-member", "staff", "anna@example.com") == "anna@example.com is now in staff.\n")
        #expect(try await run("add-member", "staff", "anna") == "anna@example.com is already in staff.\n")
        #expect(try await run("show", "staff").contains("anna@example.com"))
        #expect(try await run("list", "--user", "anna").contains("staff  All of us"))
        #expect(try await run("set", "staff", "--summary", "Each of us") == "Changed the group staff.\n")
        #expect(try await run("show", "staff").contains("Each of us"))
        try await directory.run("group", "set", "none", "--summary", "").expect(4)
        #expect(try await run("remove-member", "staff", "anna") == "anna@example.com is in staff no more.\n")
        #expect(try await run("show", "staff").hasSuffix("\nNo members.\n"))
        _ = try await run("add", "guarded")
        _ = try await run("add-member", "guarded", "anna")
        _ = try await directory.run("config", "set", "secondFactors.requiredGroups", "guarded")
        #expect(try await run("show", "guarded").contains("required of its members"))
        let asked = try await self.run(["group", "remove-member", "guarded", "anna"])
        #expect(asked.status == 2 && asked.error.contains("because of this group alone"), "\(asked.error)")
        #expect(
            try await run("remove-member", "guarded", "anna", "--yes")
                == "anna@example.com is in guarded no more.\nNo setting requires a second factor of the user now.\n")
        #expect(try await run("remove", "staff") == "Removed the group staff.\n")
        try await directory.run("group", "show", "staff").expect(4)
    }
}
