import Foundation
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The built program, serving in a process of its own on a free port.
final class ServerProcess: Sendable {
    let url: URL
    let dataDirectory: URL
    private let process: Process
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
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, own in own }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        url = try await Self.address(announcedOn: output.fileHandleForReading)
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        if ownsData { try? FileManager.default.removeItem(at: dataDirectory) }
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

    /// Asks it to end, and answers its exit status.
    func terminate() async -> Int32 {
        process.terminate()
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { [process] in
                process.waitUntilExit()
                continuation.resume(returning: process.terminationStatus)
            }
        }
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
