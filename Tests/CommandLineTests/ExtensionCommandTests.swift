import Foundation
import TestSupport
import Testing

@Suite struct ExtensionCommandTests {
    private let directory: TestDirectory

    init() async throws {
        directory = try await TestDirectory.prepared()
    }

    private static let claims = """
        {"data":{"@odata.type":"microsoft.graph.onTokenIssuanceStartResponseData","actions":[
        {"@odata.type":"microsoft.graph.tokenIssuanceStart.provideClaimsForToken","claims":{"role":"a","other":"b"}}]}}
        """

    @Test func `An extension is added shown and removed`() async throws {
        let added = try await directory.run(
            "extension", "add", "--event", "token-issuance-start", "--url", "https://api.example.com/claims", "--name",
            "Claims", "--resource-id", "api://api.example.com/audience", "--app", "notes", "--timeout", "500",
            "--retries", "1", "--claim", "dateOfBirth:birthdate", "--claim", "role", "--constant", "version=2=3",
            "--claims-in", "id,access")
        #expect(added.status == 0, "\(added.error)")
        #expect(added.error == "warning: There is no application notes yet.\n")
        let lines = added.lines.map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") }
        #expect(
            Array(lines[2...11]) == [
                "name Claims", "event token-issuance-start", "URL https://api.example.com/claims",
                "resource id api://api.example.com/audience", "applications notes", "time-out 500 ms", "retries 1",
                "claims dateOfBirth:birthdate role version=2=3", "claims in id access",
            ] + [lines[11]])
        let list = try await directory.run("extension", "list", "--json").json()
        let made = try #require((list["extensions"] as? [[String: Any]])?.first)
        let id = try #require(made["id"] as? String)
        #expect(made["event"] as? String == "token-issuance-start" && made["onError"] as? String == "refuse")
        #expect(try await directory.run("extension", "list").lines.count == 2)
        #expect(try await directory.run("extension", "show", id).lines == added.lines)
        #expect(try await directory.run("extension", "remove", id).output == "Removed the extension \(id).\n")
        for command in ["show", "remove", "check"] {
            try await directory.run("extension", command, id).expect(4)
        }
        #expect(try await directory.run("extension", "list").output == "There are no extensions.\n")
        let log = try await directory.run("audit", "tail").output
        #expect(log.contains("extension.added") && log.contains("extension.removed"))
    }

    @Test(arguments: [
        (["--event", "token-issuance", "--url", "https://a.example/"], "Did you mean token-issuance-start?"),
        (["--event", "otp-send", "--url", "http://a.example/"], "1003020 CustomExtensionIncorrectTargetUrlFormat"),
        (["--event", "otp-send", "--url", "https://a.example/?key=1"], "without user, query and fragment"),
        (
            ["--event", "otp-send", "--url", "https://a.example/", "--resource-id", "api://b.example/x"],
            "1003015 CustomExtensionDomainNameDoesNotMatch"
        ),
        (["--event", "otp-send", "--url", "https://a.example/", "--timeout", "100"], "200 to 2000 ms"),
        (
            ["--event", "otp-send", "--url", "https://a.example/", "--on-error", "ignore"],
            "There are refuse, fallback."
        ),
        (["--event", "otp-send", "--url", "https://a.example/", "--claim", "a"], "provides claims"),
        (["--event", "token-issuance-start", "--url", "https://a.example/", "--claim", ":b"], "Write ID or ID:NAME"),
        (["--event", "token-issuance-start", "--url", "https://a.example/", "--constant", "b"], "Write NAME=VALUE"),
        (
            ["--event", "token-issuance-start", "--url", "https://a.example/", "--claim", "a:sub"],
            "sub is a claim that the server makes itself."
        ),
        (
            ["--event", "token-issuance-start", "--url", "https://a.example/", "--claims-in", "refresh"],
            "There are id, access."
        ),
    ])
    func `What is not right is usage`(options: [String], words: String) async throws {
        let transcript = try await Program.run(
            ["extension", "add"] + options + ["--data", directory.data], in: directory)
        #expect(transcript.status == 2 && transcript.output.isEmpty, "\(transcript)")
        #expect(transcript.error.contains(words), "\(transcript.error)")
    }

    @Test func `No application is the server itself`() async throws {
        for id in ["99045fe1-7639-4a75-9d4a-577b6ca3810f", "99045FE1-7639-4A75-9D4A-577B6CA3810F"] {
            let added = try await directory.run("app", "add", "--id", id)
            #expect(added.status == 2 && added.error.contains("Choose another"))
        }
    }

    @Test func `A service is checked from where the command runs`() async throws {
        let service = try ScriptedService(ScriptedService.json(Self.claims))
        defer { service.stop() }
        let added = try await directory.run(
            "extension", "add", "--event", "token-issuance-start", "--url", "http://127.0.0.1:\(service.port)/",
            "--claim", "role:my_role", "--timeout", "2000", "--retries", "1", "--json")
        #expect(added.error.contains("plain http"))
        let id = try #require((try added.json()["extension"] as? [String: Any])?["id"] as? String)
        let refused = try await directory.run("extension", "check", id)
        #expect(refused.status == 1 && refused.error.contains("1003023 CustomExtensionBlocked"))
        #expect(refused.error.contains("extensions.allowedNetworks") && service.requests.isEmpty)
        let allowed = ["COUNTERSIGN_EXTENSIONS_ALLOWED_NETWORKS": "127.0.0.0/8"]
        let checked = try await directory.run("extension", "check", id, environment: allowed)
        #expect(
            checked.output == "The service answers as it should: provideClaimsForToken.\nClaims: my_role\n",
            "\(checked.error)")
        service.answers(ScriptedService.json("{}", type: "text/plain"))
        let wrong = try await directory.run("extension", "check", id, "--json", environment: allowed)
        #expect(wrong.status == 1 && wrong.error.contains("1003006"))
        let answer = try wrong.json()
        #expect(answer["code"] as? Int == 1_003_006 && answer["isRight"] as? Bool == false)
        let misspelt = try await directory.run(
            "extension", "check", id, environment: ["COUNTERSIGN_EXTENSIONS_ALLOWED_NETWORKS": "127.0.0.1/8"])
        #expect(misspelt.status == 2 && misspelt.error.contains("127.0.0.1/8"))
    }

    @Test func `A running server checks by its own rules`() async throws {
        let service = try ScriptedService(ScriptedService.json(Self.claims))
        defer { service.stop() }
        let directory = try await TestDirectory.prepared(isDevelopment: true)
        _ = try await directory.serving("--dev") { url, _ in
            let options = ["--server", url, "--token-file", "\(directory.data)/admin-token"]
            let added = try await Program.run(
                [
                    "extension", "add", "--event", "token-issuance-start", "--url", "http://127.0.0.1:\(service.port)/",
                    "--claim", "role", "--timeout", "2000", "--retries", "1", "--json",
                ] + options, in: directory)
            let id = try #require((try added.json()["extension"] as? [String: Any])?["id"] as? String)
            let checked = try await Program.run(["extension", "check", id] + options, in: directory)
            #expect(checked.status == 0 && checked.output.contains("Claims: role"), "\(checked.error)")
        }
    }
}
