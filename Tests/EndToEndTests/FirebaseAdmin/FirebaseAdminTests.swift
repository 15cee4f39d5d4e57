import Foundation
import Testing

/// Google's firebase-admin for Python, unmodified, against the built program.
@Suite struct FirebaseAdminTests {
    private static let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    /// Runs a script of this folder in the Python that `make deps` made.
    private func python(_ script: String, _ arguments: [String], input: String? = nil) async throws -> Tool.Outcome {
        let root = Self.here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let python = root.appendingPathComponent(".build/test-python/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else { throw MissingTool(name: "firebase-admin") }
        return try await Tool(path: python)
            .run([Self.here.appendingPathComponent(script).path] + arguments, input: input)
    }

    @Test(.timeLimit(.minutes(20)))
    func `Administers users as it does with the emulator`() async throws {
        let server = try await ServerProcess(["--dev"])
        let (host, port) = (try #require(server.url.host), try #require(server.url.port))
        let outcome = try await python("firebase_admin_test.py", ["\(host):\(port)"])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    /// Outside of the emulator firebase-admin wants RS256, and fetches certificates from Google; what it calls to
    /// verify with them is called here, with ours.
    @Test(arguments: ["ES256", "RS256"])
    func `Verifies ID tokens and session cookies by certificates`(algorithm: String) async throws {
        let server = try await ServerProcess()
        let set = try await Tool(path: try ServerProcess.executable).run([
            "config", "set", "tokens.algorithms.identity-toolkit", algorithm, "--data", server.dataDirectory.path,
        ])
        #expect(set.status == 0, "\(set.errors)")
        let idToken = try await server.signUp(
            email: "a@example.com", password: "a quiet afternoon", key: try server.apiKey)
        let answer = try await server.post(
            "/v1/projects/countersign:createSessionCookie", ["idToken": idToken, "validDuration": 3600],
            bearer: try server.adminToken)
        let cookie = try #require(answer.json["sessionCookie"] as? String, "\(answer.json)")
        let certificates = server.url.appendingPathComponent("v1/publicKeys").absoluteString
        let outcome = try await python(
            "verify_by_certificates.py", [certificates, "countersign"], input: "\(idToken)\n\(cookie)\n")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.output == """
                https://securetoken.google.com/countersign
                https://session.firebase.google.com/countersign

                """)
    }
}
