import AdminServer
import ArgumentParser
import CountersignCore
import TestSupport
import Testing

@testable import countersign

@Suite("The secret of a hook")
struct HookSecretTests {
    @Test func `A secret comes from a file, or from the command, and not from both`() async throws {
        let directory = try await TestDirectory.prepared()
        let file = try directory.write("whsec_b25lIG9mIG15IG93biwgb2YgMjQgYnl0ZXM=\n", to: "secret")
        let text = "whsec_b25lIG9mIG15IG93biwgb2YgMjQgYnl0ZXM="
        for words in [["--secret-file", file], ["--secret", text]] {
            #expect(try HookSecretOption.parse(words).secret()?.secret.reveal() == text)
        }
        #expect(try HookSecretOption.parse([]).secret() == nil)
        #expect(throws: (any Error).self) {
            try HookSecretOption.parse(["--secret-file", file, "--secret", text])
        }
    }
}
