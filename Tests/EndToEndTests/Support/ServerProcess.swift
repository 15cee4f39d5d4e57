import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The built program, serving in a process of its own on a free port.
final class ServerProcess: Sendable {
    let url: URL
    let dataDirectory: URL
    private let process: Process
    /// What it says on standard error.
    private let log: URL
    /// Whether the data directory goes with this process.
    private let ownsData: Bool

    /// The program beside the test bundle.
    static var executable: String {
        get throws {
            let bundle = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0])
            for folder in [
                bundle.deletingLastPathComponent(), bundle.deletingLastPathComponent().deletingLastPathComponent(),
            ] {
                let candidate = folder.appendingPathComponent("countersign").path
                if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            }
            let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            return here.appendingPathComponent(".build/debug/countersign").path
        }
    }

    /// - Parameters:
    ///   - environment: variables beside those of this process.
    ///   - openFiles: as many as it may have, without a way to raise it.
    init(
        _ arguments: [String] = [], dataDirectory: URL? = nil, environment: [String: String] = [:],
        openFiles: Int? = nil
    ) async throws {
        ownsData = dataDirectory == nil
        self.dataDirectory = try dataDirectory ?? TestRun.place(for: "server")
        process = Process()
        // As few open files as shells usually allow, whatever this process has allowed itself.
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments =
            ["-c", #"ulimit \#(openFiles.map { "-n \($0)" } ?? "-S -n 1024"); exec "$0" "$@""#, try Self.executable]
            + ["serve", "--listen", "127.0.0.1:0", "--data", self.dataDirectory.path] + arguments
        // A transaction may take longer than a person would wait for, where many tests share the machine.
        let limits =
            arguments.contains("--database")
            ? ["COUNTERSIGN_POSTGRES_STATEMENT_TIMEOUT": "60", "COUNTERSIGN_POSTGRES_TRANSACTION_TIMEOUT": "60"] : [:]
        process.environment = ProcessInfo.processInfo.environment.merging(limits) { $1 }.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        log = try TestRun.place(for: "server-log")
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        let errors = try FileHandle(forWritingTo: log)
        process.standardError = errors
        try process.run()
        // It has a descriptor of its own. Foundation would keep ours open.
        try errors.close()
        do {
            url = try await Self.address(announcedOn: output.fileHandleForReading)
        } catch let error as ServerDidNotStart {
            throw ServerDidNotStart(said: "\(error.said)\n\(Self.end(of: log))")
        }
    }

    /// The last of a log.
    private static func end(of log: URL) -> String {
        String(decoding: ((try? Data(contentsOf: log)) ?? Data()).suffix(2000), as: UTF8.self)
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        if ownsData { try? FileManager.default.removeItem(at: dataDirectory) }
        try? FileManager.default.removeItem(at: log)
    }

    /// Waits for `listening on http://HOST:PORT`.
    private static func address(announcedOn handle: FileHandle) async throws -> URL {
        let line: String = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var text = Data()
                while !text.contains(UInt8(ascii: "\n")) {
                    let chunk = handle.availableData
                    if chunk.isEmpty { break }
                    text.append(chunk)
                }
                continuation.resume(returning: String(decoding: text, as: UTF8.self))
            }
        }
        let words = line.split(whereSeparator: \.isWhitespace)
        guard line.hasPrefix("listening on "), words.count >= 3, let url = URL(string: String(words[2])) else {
            throw ServerDidNotStart(said: line)
        }
        return url
    }

    /// For `kill -9`, which ends it as a power cut would.
    var processIdentifier: Int32 { process.processIdentifier }

    /// Asks it to end, and answers its exit status. Where that is not 0, what the server said last is an issue of its own.
    func terminate(_ location: SourceLocation = #_sourceLocation) async -> Int32 {
        process.terminate()
        let status: Int32 = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [process] in
                process.waitUntilExit()
                continuation.resume(returning: process.terminationStatus)
            }
        }
        if status != 0 {
            Issue.record(
                "The server ended with \(status) (\(process.terminationReason)): \(Self.end(of: log))",
                sourceLocation: location)
        }
        return status
    }

    // MARK: Talking to it

    /// The API key of the first application.
    var apiKey: String {
        get throws {
            try String(contentsOf: dataDirectory.appendingPathComponent("api-key"), encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// What administrators show.
    var adminToken: String {
        get throws {
            try String(contentsOf: dataDirectory.appendingPathComponent("admin-token"), encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    @discardableResult
    func post(
        _ path: String, _ body: [String: Any], bearer: String? = nil
    ) async throws -> (status: Int, json: [String: Any]) {
        try await Self.post(url, path, body, bearer: bearer)
    }

    /// The same for tasks, which a process cannot be sent to.
    @discardableResult
    static func post(
        _ url: URL, _ path: String, _ body: [String: Any], bearer: String? = nil
    ) async throws -> (status: Int, json: [String: Any]) {
        guard let target = URL(string: path, relativeTo: url) else { throw ServerDidNotStart(said: path) }
        var request = URLRequest(url: target)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let bearer { request.setValue("Bearer \(bearer)", forHTTPHeaderField: "Authorization") }
        request.httpBody = try JSONSerialization.data(withJSONObject: body)
        return try await send(request)
    }

    /// A form, as native authentication has it.
    func post(_ path: String, form: [String: String]) async throws -> (status: Int, json: [String: Any]) {
        guard let target = URL(string: path, relativeTo: url) else { throw ServerDidNotStart(said: path) }
        var request = URLRequest(url: target)
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        let body = form.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        request.httpBody = Data(body.joined(separator: "&").utf8)
        return try await Self.send(request)
    }

    func get(_ path: String) async throws -> (status: Int, json: [String: Any]) {
        guard let target = URL(string: path, relativeTo: url) else { throw ServerDidNotStart(said: path) }
        return try await Self.send(URLRequest(url: target))
    }

    private static func send(_ request: URLRequest) async throws -> (status: Int, json: [String: Any]) {
        let answer = try await Requests.send(request)
        let json = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
        return (answer.status, json ?? [:])
    }
}

struct ServerDidNotStart: Error, CustomStringConvertible {
    let said: String
    var description: String { "The server said “\(said)” instead of where it listens." }
}
