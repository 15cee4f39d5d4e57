import Foundation
import Testing

/// What strangers call themselves, their devices and applications, and type into fields: no text of theirs becomes more than text
/// (docs/decisions/0240).
@Suite struct HostileTextTests {
    /// A text of every kind; in `make endurance` all of them, at two widths (docs/decisions/0501).
    @Test(.timeLimit(.minutes(90)))
    func `Texts of strangers stay texts on every page that shows them: CVE-2026-123539`() async throws {
        let server = try await ServerProcess(["--dev"], environment: Endurance.cheapHashes)
        var arguments = [server.url.absoluteString, try ServerProcess.executable, server.dataDirectory.path]
        if Endurance.rounds != nil { arguments.append("all") }
        let outcome = try await PythonPeer.run("Browser/hostile/hostile_test.py", arguments)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        Endurance.report(outcome.output)
    }
}
