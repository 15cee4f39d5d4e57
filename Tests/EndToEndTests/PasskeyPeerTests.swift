import Foundation
import Testing

/// The client of PyPI `fido2` with its own authenticator against the built program, over the JSON of Identity Toolkit and of Auth0.
@Suite struct PasskeyPeerTests {
    private static let site = "http://localhost:8080"

    @Test(.timeLimit(.minutes(20)))
    func `fido2 enrols and signs in over the JSON of Identity Toolkit and of Auth0`() async throws {
        let server = try await ServerProcess(
            ["--dev", "--public-url", Self.site], environment: Endurance.cheapHashes)
        let outcome = try await PythonPeer.run("passkey_peer.py", [server.url.absoluteString, Self.site])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        #expect(await server.terminate() == 0)
    }
}
