import CountersignServer
import Foundation
import TestSupport

/// A directory that is there for one test.
final class TestDirectory: Sendable {
    let url: URL

    init() throws {
        url = try TestRun.place(for: "cli")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Where the data of the test is.
    var data: String { url.appendingPathComponent("data").path }

    func write(_ text: String, to name: String) throws -> String {
        let file = url.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }

    /// For its owner alone, as the server keeps its secrets.
    func writePrivately(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// A directory with the data that a first start makes. It is made once and copied, because finding RSA keys takes
    /// its time.
    static func prepared(isDevelopment: Bool = false) async throws -> TestDirectory {
        let directory = try TestDirectory()
        let template = try await (isDevelopment ? developmentTemplate : template).value
        try FileManager.default.copyItem(atPath: template.data, toPath: directory.data)
        return directory
    }

    private static let template = Task { try await make(isDevelopment: false) }
    private static let developmentTemplate = Task { try await make(isDevelopment: true) }

    private static func make(isDevelopment: Bool) async throws -> TestDirectory {
        let directory = try TestDirectory()
        try await OpenedRealm.open(DataDirectory(path: directory.data), isDevelopment: isDevelopment).close()
        return directory
    }
}

extension TestDirectory {
    /// Runs a command on the data of the test.
    func run(
        _ arguments: String..., input: String? = nil, environment: [String: String] = [:]
    ) async throws -> Program.Transcript {
        try await Program.run(arguments + ["--data", data], in: self, input: input, environment: environment)
    }

    /// Serves the data of the test on a free port, and ends the server in any case.
    func serving<Result>(
        _ arguments: String..., body: (_ url: String, _ server: Running) async throws -> Result
    ) async throws -> Result {
        let server = try Program.start(
            ["serve", "--data", data, "--listen", "127.0.0.1:0"] + arguments, in: self)
        do {
            let prefix = "listening on "
            guard let line = try await server.line({ $0.hasPrefix(prefix) }) else {
                throw ServerDidNotStart(error: server.errorSoFar)
            }
            let result = try await body(String(line.dropFirst(prefix.count)), server)
            server.terminate()
            _ = await server.transcript()
            return result
        } catch {
            server.terminate()
            _ = await server.transcript()
            throw error
        }
    }
}

struct ServerDidNotStart: Error {
    let error: String
}
