import BlockingTestSupport
import Foundation
import KeychainTypes
import Testing

@testable import SecretVault
@testable import vault_tool

@Suite("A vault that is being made", .onOwnThreads) struct CreationTests {
    /// It once waited half a minute for a lock of its own.
    @Test func `Knows the security key at once`() throws {
        let scratch = try Scratch(inMemory: true)
        let start = ContinuousClock.now
        let vault = try Vault.open(Corpus.configuration(scratch.file("keychain")))
        // The wait would be of thirty seconds, whatever the machine does.
        #expect(ContinuousClock.now - start < .seconds(29))
        try Corpus.fill(vault)
        #expect(Corpus.breach(of: vault) == nil)
        for item in try vault.items(ofClass: "genp") where !item.access.constraints.contains(.privateKeyUsage) {
            guard case .string(let name)? = item.attributes["acct"] else { continue }
            let secret = try vault.read(item.id, context: Corpus.passwordContext())
            #expect(secret.withBytes { Array($0) } == Corpus.secret(name, 1), "\(name)")
        }
    }

    @Test func `Is made once by many at once`() async throws {
        let scratch = try Scratch(inMemory: true)
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await onThread { try Vault.open(Corpus.configuration(scratch.file("keychain"))).vaultID }
                }
            }
            var ids: Set<[UInt8]> = []
            for try await id in group { ids.insert(id) }
            #expect(ids.count == 1)
        }
    }
}
