import Foundation
import Testing

/// Google's firebase-admin for Python, unmodified, against the built program.
@Suite struct FirebaseAdminTests {
    @Test(.timeLimit(.minutes(3)))
    func administersUsersAsItDoesWithTheEmulator() async throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let python = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent(".build/test-python/bin/python").path
        guard FileManager.default.isExecutableFile(atPath: python) else { throw MissingTool(name: "firebase-admin") }
        let server = try await ServerProcess(["--dev"])
        let host = try #require(server.url.host)
        let port = try #require(server.url.port)
        let outcome = try await Tool(path: python).run(
            [here.appendingPathComponent("firebase_admin_test.py").path, "\(host):\(port)"])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }
}
