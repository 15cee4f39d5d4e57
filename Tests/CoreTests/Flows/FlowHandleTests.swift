import CoreTestSupport
import Testing

@testable import CountersignCore

@Suite("Handles of flows")
struct FlowHandleTests {
    @Test func `A handle begins with no dash, so that a user can paste it behind a command`() {
        let random = SeededRandom(seed: 1)
        let tokens = (0..<2_000).map { _ in FlowHandle(random: random).token.reveal() }
        #expect(tokens.allSatisfy { !$0.hasPrefix("-") && $0.count == 43 })
        #expect(Set(tokens.compactMap(\.first)).count == 32)
        #expect(Set(tokens).count == tokens.count)
    }
}
