import BlockingTestSupport
import Foundation
import Testing

/// 10,000 damaged vaults: an error or the right data, never wrong plaintext, weaker access, a crash, or
/// more than 64 MiB. Done in processes of their own, where a crash is seen and memory has a limit.
@Suite("A damaged vault", .onOwnThreads) struct MutationTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `Gives an error or the right data`(seed: UInt64) async throws {
        try await onThread { try damage(seed) }
    }

    private func damage(_ seed: UInt64) throws {
        let scratch = try Scratch(inMemory: true)
        let child = try Child.start(
            [Tool.path, "mutate", scratch.path, "\(seed)", "2500"], output: scratch.file("output"),
            environment: ["MALLOC_ARENA_MAX": "1", "SWIFT_BACKTRACE": "enable=no"])
        #expect(child.ending() == 0, "crashed with seed \(seed)")
        let output = try String(contentsOfFile: scratch.file("output"), encoding: .utf8)
        let last = try #require(output.split(separator: "\n").last)
        #expect(last.hasPrefix("tried 2500 "))
        #expect(last.hasSuffix(" breaches 0"), "\(output)")
    }
}
