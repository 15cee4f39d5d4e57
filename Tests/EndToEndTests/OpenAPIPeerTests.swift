import Foundation
import Testing

/// Libraries of others over what the server says of itself.
@Suite struct OpenAPIPeerTests {
    /// `openapi-spec-validator` reads the description; then each path is called, and what comes back is held against its schema.
    @Test(.timeLimit(.minutes(20)))
    func `What the server answers is what its own description says`() async throws {
        let server = try await ServerProcess(["--dev"], environment: Endurance.cheapHashes)
        let outcome = try await PythonPeer.run(
            "openapi_peer.py", [server.url.absoluteString, try server.adminToken])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(await server.terminate() == 0)
    }
}
