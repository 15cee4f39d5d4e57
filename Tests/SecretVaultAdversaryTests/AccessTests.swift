import BlockingTestSupport
import Foundation
import KeychainTypes
import Synchronization
import Testing

@testable import SecretVault
@testable import vault_tool

/// Spec 2, T1: whatever says "success" without the credential gets nothing.
@Suite("Without the credential", .onOwnThreads) struct AccessTests {
    let scratch: Scratch
    let directory: String

    init() throws {
        scratch = try Scratch(inMemory: true)
        directory = scratch.file("keychain")
        try Corpus.fill(Vault.open(configuration()))
    }

    private func configuration(_ presence: any PresenceProvider = Corpus.rightAnswers) throws -> VaultConfiguration {
        var configuration = try Corpus.configuration(directory, presence: presence)
        configuration.clock = hastyClock()
        return configuration
    }

    private func id(_ name: String, _ vault: Vault) throws -> ItemID {
        try #require(try vault.item(ofClass: "genp", uniqueKey: Array(name.utf8))).id
    }

    private static let protected = Corpus.accesses.filter { $0.1.asksForFactor }.map(\.0)

    @Test(
        arguments: [
            [], [0], [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 1024), Array("success".utf8),
            Array("correct horse batter".utf8), Array("correct horse battery ".utf8),
            Array("correct horse battery\0".utf8),
            [UInt8](repeating: 0x41, count: 1 << 20),
        ] as [[UInt8]])
    func `Rubbish opens nothing`(answer: [UInt8]) async throws {
        try await onThread {
            let rubbish = CustomPresence { request in
                if request.triesLeftAfterWrongAnswer != nil { throw PresenceError.unavailable("that was all") }
                return LockedBytes(answer)
            }
            do {
                _ = try Vault.open(configuration(rubbish))
                Issue.record("it opened")
            } catch KeychainError.authenticationFailed {
                return
            }
        }
    }

    /// The vault is open, and only the second question is answered with rubbish.
    @Test(arguments: protected) func `Rubbish reads nothing`(name: String) async throws {
        try await onThread {
            let isOpen = Mutex(false)
            let presence = CustomPresence { request in
                if request.triesLeftAfterWrongAnswer != nil { throw PresenceError.unavailable("that was all") }
                return LockedBytes(Array((isOpen.withLock { $0 } ? "nonsense" : Corpus.passcode).utf8))
            }
            let vault = try Vault.open(configuration(presence))
            isOpen.withLock { $0 = true }
            let id = try id(name, vault)
            if ["biometry", "either", "presence", "signing"].contains(name) {
                // The finger is right, and enough.
                try vault.use(id) { _ in }
                return
            }
            #expect(throws: KeychainError.self) { try vault.use(id) { _ in } }
            #expect(throws: KeychainError.self) { try vault.read(id) }
            let wrongPassword = AuthenticationContext()
            wrongPassword.setApplicationPassword(LockedBytes(Array("nonsense".utf8)))
            #expect(throws: KeychainError.self) { try vault.use(id, context: wrongPassword) { _ in } }
        }
    }

    /// A context that believes to have the factors' keys, and has others.
    @Test(arguments: protected) func `A forged cache reads nothing`(name: String) async throws {
        try await onThread {
            let vault = try Vault.open(configuration())
            let context = AuthenticationContext(interactionAllowed: false, reuse: .seconds(300))
            let keys = vault.state.withLock { $0.image.header.factorKeys }
            for material in [
                LockedBytes([UInt8](repeating: 0, count: 32)), LockedBytes.random(32), LockedBytes([]),
                LockedBytes([1]),
            ] {
                for key in keys {
                    _ = context.keep(material, of: key.id, vault: vault.vaultID, now: { 0 })
                }
                context.setApplicationPassword(LockedBytes([]))
                #expect(throws: KeychainError.self) { try vault.use(id(name, vault), context: context) { _ in } }
            }
        }
    }

    /// An attacker patches, in memory, what the vault knows of an item.
    @Test(arguments: protected) func `Patched access control reads nothing`(name: String) async throws {
        try await onThread {
            let vault = try Vault.open(configuration())
            let id = try id(name, vault)
            for constraints in [[], .privateKeyUsage, [.applicationPassword, .privateKeyUsage]]
                as [AccessControl.Constraints]
            {
                vault.state.withLock { state in
                    guard let entry = state.image[id] else { return }
                    var record = entry.record
                    if let access = try? AccessControl(record.binding.access.accessibility, constraints) {
                        record.binding.access = access
                    }
                    record.alternatives = record.alternatives.map {
                        VaultRecord.Alternative(ephemeral: [], recipients: [], sealedKey: $0.sealedKey)
                    }
                    state.image.put(VaultImage.Entry(record, metadata: entry.metadata))
                }
                let context = AuthenticationContext(interactionAllowed: false)
                context.setApplicationPassword(LockedBytes(Array(Corpus.applicationPassword.utf8)))
                #expect(throws: KeychainError.self) { try vault.use(id, context: context) { _ in } }
            }
        }
    }

    /// The recipients stay, and only the word that says "ask" goes.
    @Test(arguments: protected) func `Dropped flags read nothing`(name: String) async throws {
        try await onThread {
            let vault = try Vault.open(configuration())
            let id = try id(name, vault)
            vault.state.withLock { state in
                guard let entry = state.image[id] else { return }
                var record = entry.record
                record.binding.access = AccessControl(unconstrained: record.binding.access.accessibility)
                record.password = nil
                state.image.put(VaultImage.Entry(record, metadata: entry.metadata))
            }
            #expect(throws: KeychainError.self) {
                try vault.use(id, context: AuthenticationContext(interactionAllowed: false)) { _ in }
            }
        }
    }

    @Test func `An invalidated context is good 4 nothing`() async throws {
        try await onThread {
            let vault = try Vault.open(configuration())
            let context = AuthenticationContext(reuse: .seconds(300))
            _ = try vault.read(id("passcode", vault), context: context)
            context.invalidate()
            #expect(throws: KeychainError.self) { try vault.read(id("passcode", vault), context: context) }
            #expect(throws: KeychainError.self) { try vault.read(id("plain", vault), context: context) }
        }
    }

    @Test func `A stored credential is no presence`() async throws {
        try await onThread {
            let stored = CustomPresence(asksPerson: false) { _ in LockedBytes(Array(Corpus.passcode.utf8)) }
            let vault = try Vault.open(configuration(stored))
            _ = try vault.read(id("plain", vault))
            _ = try vault.read(id("akpu", vault))
            for name in Self.protected {
                #expect(throws: KeychainError.interactionNotAllowed, "\(name)") {
                    try vault.use(id(name, vault)) { _ in }
                }
            }
        }
    }

    /// The same through the presets that a service uses.
    @Test func `A descriptor opens and is no presence`() async throws {
        try await onThread {
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            _ = (Corpus.passcode + "\n").withCString { write(ends[1], $0, strlen($0)) }
            close(ends[1])
            let vault = try Vault.open(configuration(.fileDescriptor(ends[0])))
            _ = try vault.read(id("plain", vault))
            #expect(throws: KeychainError.interactionNotAllowed) { try vault.read(id("passcode", vault)) }
            vault.lock()
            #expect(throws: KeychainError.self) { try vault.unlock() }
        }
    }
}
