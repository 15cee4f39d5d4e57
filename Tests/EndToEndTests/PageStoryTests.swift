import Foundation
import Testing

/// The pages in Chromium: every page and every refusal is looked at by axe, in the language of its turn; without JavaScript; by the
/// keyboard alone.
@Suite struct PageStoryTests {
    @Test(.timeLimit(.minutes(15)))
    func `People find their way through every page, in their language, window and with their tools`() async throws {
        let server = try await ServerProcess(["--dev"])
        let outcome = try await PythonPeer.run(
            "Browser/stories/stories_test.py",
            [server.url.absoluteString, try ServerProcess.executable, server.dataDirectory.path])
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }
}
