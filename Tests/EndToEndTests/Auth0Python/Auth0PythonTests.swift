import Foundation
import TestSupport
import Testing

/// Auth0's auth0-python, unmodified, against the built program. It takes no address without TLS.
@Suite struct Auth0PythonTests {
    private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    @Test(.timeLimit(.minutes(20)))
    func `Administers users and signs them in as it does with Auth0`() async throws {
        let root = Self.here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let python = root.appendingPathComponent(".build/test-python/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else { throw MissingTool(name: "auth0-python") }
        let folder = try TestRun.place(for: "auth0-python")
        let data = folder.appendingPathComponent("data")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = try TestAuthority().write(into: folder)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: files.key)
        let secret = "a secret that is long enough for a client"
        let secretFile = folder.appendingPathComponent("secret")
        try Data(secret.utf8).write(to: secretFile)

        let first = try await ServerProcess(dataDirectory: data)
        // The library takes every key of a JWKS for an RSA key.
        try await Self.countersign("config", "set", "tokens.publishedKeys", "used", "--data", data.path)
        try await Self.countersign(
            "app", "add", "--id", "site", "--secret-file", secretFile.path, "--audience", "https://api.example.com",
            "--data", data.path)
        #expect(await first.terminate() == 0)

        let server = try await ServerProcess(
            ["--tls-certificate", files.certificate, "--tls-key", files.key, "--listen", "localhost:0"],
            dataDirectory: data)
        let port = try #require(server.url.port)
        let outcome = try await Tool(path: python).run(
            [
                Self.here.appendingPathComponent("auth0_python_test.py").path, "localhost:\(port)", files.root, "site",
                secret,
            ], input: try server.adminToken)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    private static func countersign(_ arguments: String...) async throws {
        let outcome = try await Tool(path: try ServerProcess.executable).run(arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }
}
