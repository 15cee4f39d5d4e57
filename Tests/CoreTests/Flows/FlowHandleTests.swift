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

    /// They are what `account end-session`, `user end-session` and `key retire` are given.
    @Test func `No session and no signing key has a name that begins with a dash`() async throws {
        let random = SeededRandom(seed: 1)
        let names = (0..<2_000).map { _ in KeyedSecret.freshName(random: random) }
        #expect(names.allSatisfy { !$0.hasPrefix("-") && $0.count == 22 })
        #expect(Set(names).count == names.count)
        let test = try await TestRealm.make()
        try await test.realm.keyring.prepare()
        let keys = try await test.store.read { try $0.signingKeys().map(\.id) }
        #expect(!keys.isEmpty && keys.allSatisfy { $0.first?.isLetter == true }, "\(keys)")
    }
}
