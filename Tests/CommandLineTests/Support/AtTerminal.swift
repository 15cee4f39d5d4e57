import Foundation
import Testing

/// Who signs in at a terminal.
enum TerminalUser {
    static let address = "ada@example.com"
    static let password = "a long and quiet afternoon"
    static let typed = ["username": address, "password": password]

    struct Page {
        let status: Int
        let text: String
    }

    struct Ended: Error {
        let said: String
    }
}

/// A suite whose tests run the program's sign-in against `serve --dev`, with a browser that the test is.
protocol AtTerminal {
    var directory: TestDirectory { get }
}

extension AtTerminal {
    // MARK: Programs

    /// Serves while the body runs, with one user.
    /// - Parameter makesVault: whether the program makes the vault; otherwise there is one that opens in less time.
    func serving(makesVault: Bool = false, _ body: (String) async throws -> Void) async throws {
        if !makesVault { try await PreparedVault.copy(into: directory) }
        let server = try Program.start(["serve", "--dev", "--listen", "127.0.0.1:0"], in: directory)
        defer { server.kill() }
        let line = try #require(try await server.line { $0.hasPrefix("listening on ") }, "\(server.errorSoFar)")
        let base = try #require(line.split(separator: " ").last.map(String.init))
        let added = try await Program.run(
            ["user", "add", TerminalUser.address, "--password-stdin", "--dev"], in: directory,
            input: TerminalUser.password + "\n")
        #expect(added.status == 0, "\(added.error)")
        try await body(base)
    }

    func start(_ arguments: [String], passcode: String = "123456\n") throws -> Running {
        try Program.start(arguments + ["--vault", "vault", "--passcode-fd", "0"], in: directory, input: passcode)
    }

    func run(_ arguments: String...) async throws -> Program.Transcript {
        try await start(arguments).transcript()
    }

    /// The address that a sign-in asks the user to open.
    func address(of login: Running) async throws -> String {
        while true {
            let isRunning = login.isRunning
            let lines = login.errorSoFar.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { $0.hasPrefix("http") }) { return String(line) }
            guard isRunning else { throw TerminalUser.Ended(said: login.errorSoFar) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    // MARK: The browser

    /// Opens an address in a browser of its own, and types what its forms ask for.
    func browse(_ address: String, _ typed: [String: String] = [:]) async throws -> TerminalUser.Page {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("browser.py")
        process.arguments =
            ["python3", script.path, address] + typed.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        let files = ["output", "error"].map {
            directory.url.appendingPathComponent("browser-\(UUID().uuidString)-\($0)")
        }
        for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        let transcript = try await Running(process, output: files[0], error: files[1]).transcript()
        #expect(transcript.status == 0, "\(transcript.error)")
        let parts = transcript.output.split(separator: "\n", maxSplits: 1)
        return TerminalUser.Page(
            status: try #require(parts.first.flatMap { Int($0) }), text: parts.count > 1 ? String(parts[1]) : "")
    }
}
