import CountersignCore
import CountersignServer
import Foundation
import SecurityChecks
import Testing

@Suite struct ClientCommandTests {
    private let directory: TestDirectory

    init() async throws {
        directory = try await TestDirectory.prepared()
    }

    /// Registers clients as apps do, but for the signature.
    private func register(_ count: Int, of application: String) async throws -> [String] {
        let opened = try await OpenedRealm.open(DataDirectory(path: directory.data))
        let id = ClientID(rawValue: application)
        let clients: [String]
        do {
            if try await opened.realm.applications.application(id) == nil {
                _ = try await opened.realm.applications.add(
                    id: id, ApplicationRegistration(versions: [ApplicationVersion()]), by: .commandLine)
            }
            func part(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
            let statement = try ClientKey.Statement(
                header: part(#"{"alg":"HS256","key":"0123456789abcdef0123456789abcdef"}"#), payload: part("{}"),
                signature: "AA")
            let key = try ClientKey(of: statement, accepting: .sharedSecrets)
            var ids: [String] = []
            for number in 0..<count {
                let outcome = try await opened.realm.clients.register(
                    device: .init(
                        id: "device-that-nobody-guesses-\(number)", platform: "ios 17\u{1B}[2J", hardware: "iPhone"),
                    application: .init(id: application, clientPlatform: "ios", version: "1.\(number)"), key: key,
                    by: .commandLine)
                guard case .registered(let client) = outcome else {
                    Issue.record("\(outcome)")
                    continue
                }
                ids.append(client.id.rawValue)
            }
            clients = ids
        }
        try await opened.close()
        return clients
    }

    private func list(_ arguments: String...) async throws -> (clients: [[String: Any]], next: String?) {
        try await list(contentsOf: arguments)
    }

    @Test func `Clients are listed page by page`() async throws {
        #expect(try await directory.run("client", "list").output == "There are no such clients.\n")
        let ids = try await register(5, of: "com.example.bank") + register(2, of: "com.example.shop")
        var seen: [String] = []
        var after: String?
        for _ in 0..<5 {
            let page = try await list(contentsOf: ["--limit", "3"] + (after.map { ["--after", $0] } ?? []))
            #expect(page.clients.count <= 3)
            seen += page.clients.compactMap { $0["client"] as? String }
            after = page.next
            if after == nil { break }
        }
        #expect(after == nil && seen.count == 7 && Set(seen).count == 7)
        let all = try await directory.run("client", "list", "--json").output
        for id in ids { #expect(!all.contains(id), "A client's id is a secret.") }
        #expect(!all.contains("device-that-nobody-guesses"))
        #expect(try await list("--app", "com.example.shop").clients.count == 2)
        #expect(try await list("--app", "com.example.shop", "--status", "lost").clients.isEmpty)
        #expect(try await list("--app", "com.example.shop", "--limit", "1").next != nil)
        #expect(try await list("--user", "nobody").clients.isEmpty)
        let table = try await directory.run("client", "list")
        #expect(table.lines.first?.hasPrefix("CLIENT ") == true && table.lines.count == 8)
        try await directory.run("client", "list", "--status", "gone").expect(2)
        // The checks are in a server's program, and none is asked.
        let checks = try await directory.run("check", "list")
        #expect(checks.output == "There are no security checks.\n" && checks.error.contains("No server was asked"))
        try await directory.run("client", "list", "--limit", "0").expect(2)
    }

    private func list(contentsOf arguments: [String]) async throws -> (clients: [[String: Any]], next: String?) {
        let run = try await Program.run(
            ["client", "list", "--json"] + arguments + ["--data", directory.data], in: directory)
        let answer = try run.json()
        return (try #require(answer["clients"] as? [[String: Any]]), answer["next"] as? String)
    }

    @Test func `A client is shown put away and removed`() async throws {
        let id = try #require(try await register(1, of: "com.example.bank").first)
        let reference = try #require(try await list().clients.first?["client"] as? String)
        for name in [reference, id] {
            let shown = try await directory.run("client", "show", name)
            #expect(shown.status == 0, "\(shown.error)")
            #expect(shown.lines.contains("client       \(reference)") && shown.lines.contains("status       ACTIVE"))
            #expect(!shown.output.contains("\u{1B}"))
        }
        #expect(
            try await directory.run("client", "disable", reference, "--status", "lost").output
                == "The client is LOST.\n")
        #expect(try await list("--status", "LOST").clients.count == 1)
        #expect(try await directory.run("client", "enable", id).output == "The client is ACTIVE.\n")
        let free = try await directory.run("client", "unblock", reference, "Pin")
        #expect(free.status == 1 && free.error.contains("The check Pin does not block this client."), "\(free.error)")
        #expect(try await directory.run("client", "remove", id).output == "Removed the client \(reference).\n")
        try await directory.run("client", "unblock", reference, "Pin").expect(4)
        try await directory.run("user", "checks", "nobody@example.com").expect(4)
        try await directory.run("user", "add", "ada@example.com").expect(0)
        #expect(try await directory.run("user", "checks", "ada@example.com").output == "No clients.\n")
        for command in ["show", "disable", "enable", "remove"] {
            try await directory.run("client", command, reference).expect(4)
        }
        let log = try await directory.run("audit", "tail").output
        for word in ["client.registered", "client.status-changed", "client.removed"] { #expect(log.contains(word)) }
        #expect(!log.contains(id))
    }
}
