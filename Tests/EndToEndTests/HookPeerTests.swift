import CountersignCore
import Foundation
import TestSupport
import Testing

/// PyPI `standardwebhooks` as the receiver of a hook, and `kill -9` of the server in the middle of telling it.
@Suite(.serialized) struct HookPeerTests {
    private func run(_ more: [String] = []) async throws {
        let folder = try TestRun.place(for: "hooks")
        defer { try? FileManager.default.removeItem(at: folder) }
        let outcome = try await PythonPeer.run("hook_peer.py", [try ServerProcess.executable, folder.path] + more)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }

    @Test(.timeLimit(.minutes(20)))
    func `Hooks of a server on SQLite lose nothing by a kill, and keep each user's order`() async throws {
        try await run()
    }

    @Test(
        .timeLimit(.minutes(20)), .enabled(if: PostgresCluster.isWanted, Comment(rawValue: PostgresCluster.hint)))
    func `Hooks of a server on PostgreSQL lose nothing by a kill, and keep each user's order`() async throws {
        try await run([try await PostgresCluster.shared().emptyDatabase().url.reveal()])
    }
}
