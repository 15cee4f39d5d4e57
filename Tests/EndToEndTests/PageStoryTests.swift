import Foundation
import Testing

/// The pages in Chromium: every page and every refusal is looked at by axe, in the language of its turn; without JavaScript; by the
/// keyboard alone. Elsewhere that was left to the end: keycloak#22670, keycloak#11313, opencloud-compose#35.
@Suite struct PageStoryTests {
    /// In parts, each with a server and a browser of its own: together they would be the longest test of all.
    @Test(.timeLimit(.minutes(60)), arguments: 1...3)
    func `People find their way through every page, in their language, window and with their tools`(
        part: Int
    ) async throws {
        let server = try await ServerProcess(["--dev"], environment: Endurance.cheapHashes)
        let outcome = try await PythonPeer.run(
            "Browser/stories/stories_test.py",
            [server.url.absoluteString, try ServerProcess.executable, server.dataDirectory.path, "\(part)/3"])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }
}
