import Foundation
import Testing

/// Secrets that are asked for at a terminal, which another program is here.
@Suite struct SecretLineTests {
    private struct Ended: Decodable {
        /// The exit code; negative where a signal ended the program, and nil where nothing did.
        let status: Int32?
        let seen: String
        /// Whether the terminal shows again what is typed.
        let echo: Bool
    }

    private let directory: TestDirectory

    init() async throws {
        directory = try await TestDirectory.prepared()
    }

    private func run(_ arguments: [String], typing typed: [String]) async throws -> Ended {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("terminal.py")
        process.arguments = ["python3", script.path] + typed + ["--", Program.url.path] + arguments
        process.currentDirectoryURL = directory.url
        let files = ["output", "error"].map {
            directory.url.appendingPathComponent("terminal-\(UUID().uuidString)-\($0)")
        }
        for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        let transcript = try await Running(process, output: files[0], error: files[1]).transcript()
        #expect(transcript.status == 0, "\(transcript.error)")
        return try JSONDecoder().decode(Ended.self, from: Data(transcript.output.utf8))
    }

    private func add(typing typed: String...) async throws -> Ended {
        try await run(
            ["user", "add", "ada@example.com", "--password-stdin", "--data", directory.data], typing: typed)
    }

    private var isThere: Bool {
        get async throws { try await directory.run("user", "list").output.contains("ada@example.com") }
    }

    /// The C library's `getpass` makes it a letter of the password.
    @Test func `Control C at a password ends the command and shows again what is typed`() async throws {
        let ended = try await add(typing: "ada@example.com: ", #"\x03"#)
        #expect(ended.status == -SIGINT && ended.echo, "\(ended)")
        let again = try await add(typing: "ada@example.com: ", #"a quiet afternoon\n"#, "Once more: ", #"\x03"#)
        #expect(again.status == -SIGINT && again.echo, "\(again)")
        #expect(try await !isThere)
    }

    @Test func `Control D at a password cancels`() async throws {
        let ended = try await add(typing: "ada@example.com: ", #"\x04"#)
        #expect(ended.status == 1 && ended.echo, "\(ended)")
        #expect(ended.seen.contains("countersign: Cancelled: nothing was typed."), "\(ended)")
        #expect(try await !isThere)
    }

    @Test func `A password is typed twice and not shown`() async throws {
        let apart = try await add(
            typing: "ada@example.com: ", #"a quiet afternoon\n"#, "Once more: ", #"a quiet morning\n"#)
        #expect(apart.status == 2 && apart.seen.contains("The two are not the same."), "\(apart)")
        let added = try await add(
            typing: "ada@example.com: ", #"a quiet afternoon\n"#, "Once more: ", #"a quiet afternoon\n"#)
        #expect(added.status == 0 && added.echo && !added.seen.contains("quiet"), "\(added)")
        #expect(try await isThere)
    }

    @Test func `Control C at a link ends the command`() async throws {
        let ended = try await run(
            ["authenticator", "enroll", "--vault", "vault"], typing: ["(it is not shown): ", #"\x03"#])
        #expect(ended.status == -SIGINT && ended.echo, "\(ended)")
    }
}
