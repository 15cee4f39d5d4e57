import Foundation
import Testing

/// Applications of others, unmodified, against the built program: through Chromium Authlib, requests_oauth2client, mozilla-django-oidc,
/// iddawc, and Apache with mod_auth_openidc and mod_oauth2; joserfc and PyJWT read the tokens, and a phone allows a sign-in that an
/// application began (CIBA).
@Suite struct RealClientTests {
    /// Each with a server of its own. Steps that move its clock come last, since libraries compare tokens with the clock of the machine.
    private static let parts = [
        ["authlib", "apache", "openidc"], ["oauth2client", "waiting"], ["django", "tokens", "registration", "iddawc"],
    ]

    @Test(.timeLimit(.minutes(60)), arguments: parts)
    func `Applications of others sign users in and guard their APIs`(steps: [String]) async throws {
        let server = try await ServerProcess(["--dev"], environment: Endurance.cheapHashes)
        let outcome = try await PythonPeer.run(
            "Browser/clients/real_clients_test.py",
            [server.url.absoluteString, try ServerProcess.executable, server.dataDirectory.path] + steps)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test
    func `Every step with an application of others is taken`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Browser/clients")
        let steps = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix("_steps.py")
        }
        // Those of `MCPClientTests` have a server that trusts a certificate of theirs.
        #expect(Set(steps) == Set((Self.parts.joined() + ["mcp"]).map { "\($0)_steps.py" }))
    }
}
