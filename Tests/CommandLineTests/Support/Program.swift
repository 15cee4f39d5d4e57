import Foundation
import TestSupport
import Testing

/// The built executable, run as people run it.
enum Program {
    /// What a run left behind.
    struct Transcript: Sendable {
        let status: Int32
        let output: String
        let error: String

        /// Expects this exit status, and says otherwise what was written: `#expect` tells no values of what is awaited.
        func expect(_ wanted: Int32, _ comment: String = "", _ location: SourceLocation = #_sourceLocation) {
            #expect(
                status == wanted, "\(comment)\n\(output.prefix(2000))\n\(error.prefix(2000))", sourceLocation: location)
        }

        /// The output as JSON.
        func json(_ location: SourceLocation = #_sourceLocation) throws -> [String: Any] {
            try #require(
                JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any], "\(output)\n\(error)",
                sourceLocation: location)
        }

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// It lies beside the bundle of the tests.
    static let url: URL = {
        let bundles = [Bundle.main.executableURL, Bundle.main.bundleURL] + Bundle.allBundles.map(\.bundleURL)
        let folders = bundles.compactMap { $0?.deletingLastPathComponent() } + [Bundle.main.bundleURL]
        let candidates = folders.map { $0.appendingPathComponent("countersign") }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) && !$0.hasDirectoryPath }
            ?? candidates[0]
    }()

    /// Starts it with its streams in files of the directory, so that no pipe fills up. A program that is to wait for what a user
    /// types reads from a terminal, or a pipe, that the test holds open.
    /// - Parameter socket: becomes descriptor 3, with the variables that a service manager tells of it.
    static func start(
        _ arguments: [String], in directory: TestDirectory, input: String? = nil, waitingFor keyboard: Pipe? = nil,
        environment: [String: String] = [:], handingOn socket: HandedSocket? = nil
    ) throws -> Running {
        let files = directory.url.appendingPathComponent("run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        process.currentDirectoryURL = directory.url
        process.environment =
            ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("COUNTERSIGN_") }
            .merging(environment) { $1 }
        let (output, error) = (files.appendingPathComponent("output"), files.appendingPathComponent("error"))
        for file in [output, error] { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: error)
        if let socket {
            // The shell has the number of the process that takes its place.
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments =
                ["-c", "exec 3<&0 </dev/null; LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\"", url.path] + arguments
            process.standardInput = FileHandle(fileDescriptor: socket.copy(), closeOnDealloc: true)
        } else if let input {
            let file = files.appendingPathComponent("input")
            try Data(input.utf8).write(to: file)
            process.standardInput = try FileHandle(forReadingFrom: file)
        } else {
            process.standardInput = keyboard?.fileHandleForReading ?? FileHandle.nullDevice
        }
        return try Running(process, output: output, error: error)
    }

    /// Runs it to its end.
    static func run(
        _ arguments: [String], in directory: TestDirectory, input: String? = nil, environment: [String: String] = [:]
    ) async throws -> Transcript {
        try await start(arguments, in: directory, input: input, environment: environment).transcript()
    }
}

/// A run that has begun.
final class Running: @unchecked Sendable {
    // Proof: the process is set up before it is shared, and only `isRunning`, `interrupt`, `terminate`, `processIdentifier` and
    // `terminationStatus` are used afterwards, which may be called from any thread.
    private let process: Process
    private let ended: AsyncStream<Never>
    private let output: URL
    private let error: URL

    init(_ process: Process, output: URL, error: URL) throws {
        self.process = process
        self.output = output
        self.error = error
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        ended = stream
        process.terminationHandler = { _ in continuation.finish() }
        try process.run()
        // The program has descriptors of its own. Foundation keeps ours open for ever, and cannot serve a process with more than 1,024.
        for case let file as FileHandle in [process.standardInput, process.standardOutput, process.standardError]
        where file !== FileHandle.nullDevice {
            try file.close()
        }
    }

    var isRunning: Bool { process.isRunning }

    /// What was written to standard output so far.
    var outputSoFar: String { Self.text(of: output) }
    var errorSoFar: String { Self.text(of: error) }

    /// SIGTERM.
    func terminate() { process.terminate() }

    /// SIGINT.
    func interrupt() { process.interrupt() }

    /// Sends SIGHUP, as `systemctl reload` does.
    func hangUp() { _ = Foundation.kill(process.processIdentifier, SIGHUP) }

    /// SIGKILL.
    func kill() { _ = Foundation.kill(process.processIdentifier, SIGKILL) }

    /// Waits for the end.
    func transcript() async -> Program.Transcript {
        for await _ in ended {}
        return Program.Transcript(
            status: process.terminationStatus, output: Self.text(of: output), error: Self.text(of: error))
    }

    /// Waits until it has written a line like that to standard output, or has ended; nil then.
    func line(_ matches: @escaping @Sendable (String) -> Bool) async throws -> String? {
        while true {
            let isRunning = isRunning
            let complete = outputSoFar.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = complete.first(where: { matches(String($0)) }) { return String(line) }
            if !isRunning { return nil }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func text(of file: URL) -> String {
        String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
    }
}
