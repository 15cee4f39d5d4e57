import BlockingTestSupport
import Foundation
import Testing

@Suite(.onOwnThreads) struct DemoTests {
    @Test func `The demonstration plays to its end`() async throws {
        let outcome = try await Tool(path: try ServerProcess.executable).run(["demo", "--json"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let steps = try outcome.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let titles = steps.compactMap { $0["step"] as? String }
        #expect(titles.contains("A wrong code is refused"))
        #expect(titles.contains("The same code is refused a second time"))
        #expect(titles.contains("She signs out"))
        #expect(titles.contains("She is signed in"))
        #expect(titles.contains("The reason is in the log"))
        #expect(titles.contains("The new one signs her in"))
        #expect(titles.last == "After a logout the PIN is asked for again")
        #expect(Set(steps.compactMap { $0["act"] as? String }) == ["second factor", "request", "mailed code", "scope"])
        #expect(steps.contains { $0["outcome"] as? String == "balance 19938.80" })
        #expect(steps.contains { ($0["outcome"] as? String)?.contains("Navigator") ?? false })
        let request = try #require(
            steps.first { ($0["step"] as? String)?.hasPrefix("The request comes to her terminal") ?? false })
        #expect((request["outcome"] as? String)?.hasPrefix("Firefox 128.0, Linux, 127.0.0.1, 2") == true)
        #expect(!steps.contains { ($0["outcome"] as? String)?.hasPrefix("failed") ?? true })
    }

    @Test func `Without a terminal the demonstration uses no escapes`() async throws {
        let outcome = try await Tool(path: try ServerProcess.executable).run(["demo"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(!outcome.output.contains("\u{1B}"))
        #expect(outcome.output.contains("Everything did what it says."))
        #expect(outcome.output.contains("reason=\"I am at the beach\""))
    }

    /// At a terminal, as a person sees it: the QR code, the request with its place, the reason.
    @Test(.timeLimit(.minutes(20)))
    func `At a terminal the demonstration is seen to its end`() async throws {
        let terminal = try Tmux(columns: 160, rows: 240)
        try await terminal.isReady()
        try terminal.clear()
        try terminal.enter("countersign demo; echo ended=$?")
        let screen = try await terminal.shows("ended=0") { $0.contains("Everything did what it says.") }
        #expect(screen.contains("█") && screen.contains("browser  Firefox 128.0 on Linux"))
        #expect(screen.contains("place    127.0.0.1") && screen.contains("reason=\"I am at the beach\""))
        #expect(try await terminal.echoes())
    }
}
