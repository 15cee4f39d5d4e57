import Foundation
import Testing

@Suite struct UsageTests {
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
    }

    private func run(_ arguments: String...) async throws -> Program.Transcript {
        try await Program.run(arguments, in: directory)
    }

    @Test func `Without arguments it helps`() async throws {
        let transcript = try await run()
        #expect(transcript.status == 0, "\(transcript)")
        for command in ["serve", "user", "app", "key", "audit", "config"] {
            #expect(transcript.output.contains("\n  \(command) "))
        }
        #expect(transcript.output.contains("Exit codes: 0 done"))
        #expect(transcript.error.isEmpty)
    }

    @Test func `Every command helps`() async throws {
        let version = try await run("--version")
        #expect(version.status == 0, "\(version)")
        #expect(
            try version.output.wholeMatch(of: Regex(#"\d+\.\d+\.\d+( \([0-9a-f]{12}, \d{4}-\d\d-\d\d\))?\n"#)) != nil)
        for command in [["user"], ["user", "add"], ["app", "set"], ["audit", "tail"], ["config", "set"], ["serve"]] {
            let help = try await Program.run(command + ["--help"], in: directory)
            #expect(help.status == 0, "\(help)")
            #expect(help.output.hasPrefix("OVERVIEW: "))
        }
    }

    @Test(arguments: [
        ["nonsense"], ["user", "nonsense"], ["user", "add"], ["user", "list", "--limit", "many"],
        ["user", "add", "a@example.com", "--generate-password", "--password-stdin"],
        ["user", "reset-password", "anna", "--print-link", "--generate"], ["config", "set", "key"],
        ["user", "list", "--token-file", "x"], ["audit", "tail", "--limit", "1001"],
    ])
    func `Wrong usage is two and says why`(arguments: [String]) async throws {
        let transcript = try await Program.run(arguments, in: directory)
        #expect(transcript.status == 2, "\(transcript)")
        #expect(transcript.output.isEmpty)
        #expect(!transcript.error.isEmpty)
    }

    @Test(arguments: [
        ["user", "list"], ["user", "add", "a@example.com"], ["app", "list"], ["key", "rotate"], ["audit", "tail"],
        ["config", "show"],
    ])
    func `A directory that is not there is not made`(command: [String]) async throws {
        let transcript = try await Program.run(command + ["--data", directory.data], in: directory)
        #expect(transcript.status == 3, "\(transcript)")
        #expect(transcript.output.isEmpty)
        #expect(transcript.error.hasPrefix("countersign: There is no Countersign data in \(directory.data)."))
        #expect(!FileManager.default.fileExists(atPath: directory.data))
    }

    @Test func `Values out of range are usage`() async throws {
        let directory = try await TestDirectory.prepared()
        for command in [
            ["user", "list", "--limit", "0"], ["user", "add", "nobody"], ["app", "list", "--limit", "1001"],
        ] {
            let transcript = try await Program.run(command + ["--data", directory.data], in: directory)
            #expect(transcript.status == 2, "\(command)")
        }
    }
}
