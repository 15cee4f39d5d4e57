import Foundation
import Testing

/// Applications of others, unmodified, against the built program: through Chromium Authlib, requests_oauth2client, mozilla-django-oidc,
/// and Apache with mod_oauth2; joserfc and PyJWT read the tokens, and a phone allows a sign-in that an application began (CIBA).
@Suite struct RealClientTests {
    @Test(.timeLimit(.minutes(15)))
    func `Applications of others sign users in and guard their APIs`() async throws {
        let server = try await ServerProcess(["--dev"])
        let outcome = try await PythonPeer.run(
            "Browser/clients/real_clients_test.py",
            [server.url.absoluteString, try ServerProcess.executable, server.dataDirectory.path])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }
}
