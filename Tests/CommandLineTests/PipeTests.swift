import Foundation
import Testing

/// What a command does when its output is not read, or cannot be written.
@Suite struct PipeTests {
    private struct Ended {
        let status: Int32
        let reason: Process.TerminationReason
        let error: String
    }

    /// Runs a command whose standard output goes to a descriptor of the test's.
    private func run(
        _ arguments: [String], to output: FileHandle, in directory: TestDirectory, temporary: String? = nil
    ) async throws -> Ended {
        let process = Process()
        process.executableURL = Program.url
        process.arguments = arguments
        process.currentDirectoryURL = directory.url
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("COUNTERSIGN_") }
            .merging(temporary.map { ["TMPDIR": $0] } ?? [:]) { $1 }
        let file = directory.url.appendingPathComponent("error-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: file)
        let (ended, continuation) = AsyncStream<Never>.makeStream()
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        for await _ in ended {}
        return Ended(
            status: process.terminationStatus, reason: process.terminationReason,
            error: String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }

    /// The writing end of a pipe without a reader.
    private func abandonedPipe() throws -> FileHandle {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        return pipe.fileHandleForWriting
    }

    @Test func `A reader that has enough ends every command quietly`() async throws {
        let directory = try await TestDirectory.prepared()
        for command in [
            ["user", "list"], ["user", "list", "--json"], ["app", "list"], ["key", "list"], ["config", "show"],
            ["audit", "tail"], ["client", "list"], ["extension", "list"], ["db", "check"],
            ["user", "add", "a@example.com"],
            ["user", "export"], ["user", "data", "a@example.com"], ["key", "rotate-admin-token"],
        ] {
            let ended = try await run(
                command + ["--data", directory.data], to: try abandonedPipe(), in: directory)
            #expect(ended.status == 1 && ended.reason == .exit && ended.error.isEmpty, "\(command): \(ended)")
        }
        for command in [["--help"], ["--version"], ["help", "user"]] {
            let ended = try await run(command, to: try abandonedPipe(), in: directory)
            #expect(ended.status == 1 && ended.reason == .exit && ended.error.isEmpty, "\(command): \(ended)")
        }
    }

    @Test(arguments: [["demo", "--json"], ["demo"]])
    func `A demonstration without a reader leaves nothing`(command: [String]) async throws {
        let directory = try TestDirectory()
        let temporary = directory.url.appendingPathComponent("tmp")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        let ended = try await run(command, to: try abandonedPipe(), in: directory, temporary: temporary.path)
        #expect(ended.status == 1 && ended.reason == .exit && ended.error.isEmpty, "\(ended)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `A demonstration that is interrupted leaves nothing`(signal: Int32) async throws {
        let directory = try TestDirectory()
        let temporary = directory.url.appendingPathComponent("tmp")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        // It waits for Return, so that it cannot have ended before the signal comes.
        let keyboard = Pipe()
        let running = try Program.start(
            ["demo", "--pause"], in: directory, waitingFor: keyboard, environment: ["TMPDIR": temporary.path])
        _ = try #require(try await running.line { $0.contains("press Return") }, "\(running.errorSoFar)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) != [])
        signal == SIGINT ? running.interrupt() : running.terminate()
        let ended = await running.transcript()
        #expect(ended.status == signal, "\(ended)")
        try keyboard.fileHandleForWriting.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
    }

    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/full")))
    func `Output that cannot be written says why`() async throws {
        let directory = try await TestDirectory.prepared()
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let ended = try await run(["user", "list", "--data", directory.data], to: full, in: directory)
        #expect(ended.status == 1, "\(ended)")
        #expect(ended.error == "countersign: Standard output cannot be written: No space left on device.\n")
    }

    @Test func `A demonstration waits for the user to scan`() async throws {
        let directory = try TestDirectory()
        let transcript = try await Program.run(["demo", "--pause"], in: directory, input: "\n\n")
        #expect(transcript.status == 0, "\(transcript.error)")
        let lines = transcript.output.split(separator: "\n").map(String.init)
        let question = try #require(lines.firstIndex { $0.contains("Scan it, and press Return") })
        let code = try #require(lines.firstIndex { $0.contains("The first code proves that it works") })
        #expect(question < code)
        try await Program.run(["demo", "--pause", "--json"], in: directory).expect(2)
    }
}
