import Foundation
import KeychainTypes
import Synchronization
import Testing

@testable import SecretVault

/// What an attacker who writes the file can do: without the passcode, and (harder) with all class keys but without an
/// item's factors, as a program that runs while the vault is unlocked.
@Suite struct TamperTests {
    let box = Sandbox()

    @Test func `Any changed byte is an error`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one", .devicePasscode))
        let bytes = try box.bytes()
        for index in stride(from: 0, to: bytes.count, by: 3) {
            var changed = bytes
            changed[index] ^= 0x10
            try box.write(changed)
            let fresh = failure { try box.open() }
            #expect(fresh != nil, "byte \(index)")
            #expect(failure { try vault.read(id) } != nil, "byte \(index), in a vault that was open")
            box.clock.advance(300)
        }
        try box.write(bytes)
        try vault.unlock()
        #expect(try vault.read(id).text == "one")
    }

    @Test func `An older generation is noticed by who has seen a later one`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one"))
        let old = try box.bytes()
        try vault.update(id, with: ItemChange(secret: LockedBytes([50])))
        try box.write(old)
        guard case .corrupted = failure({ try vault.read(id) }) else {
            Issue.record("an older generation was taken")
            return
        }
    }

    @Test func `Another vault in its place is refused`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one"))
        let other = Sandbox()
        try other.open().add(.password("ann", "mine"))
        try box.write(other.bytes())
        #expect(failure { try vault.read(id) } != nil)
        #expect(failure { try vault.add(.password("bob", "two")) } != nil)
    }

    /// Writes a changed image with a right tag, as a program with all class keys could.
    private func forge(_ vault: Vault, _ change: (inout VaultImage) throws -> Void) throws {
        let (image, keys) = vault.state.withLock { ($0.image, $0.keys) }
        var forged = image
        try change(&forged)
        forged.header.generation += 1
        try box.write(forged.encoded(tagKey: #require(keys).fileTag))
    }

    @Test func `The last generation is read and not written`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("ann", "one"))
        try forge(vault) { $0.header.generation = .max - 1 }
        let bytes = try box.bytes()
        guard case .corrupted(let text) = failure({ try vault.add(.password("bob", "two")) }) else {
            Issue.record("a generation was written after the last one")
            return
        }
        #expect(text.contains("generation"))
        #expect(try box.bytes() == bytes)
        #expect(try box.open().read(id).text == "one")
    }

    @Test(
        arguments: [
            .stored(operations: 4, memory: 256 << 20), .stored(operations: 2, memory: 300 << 20),
            .stored(operations: 16, memory: 64 << 20), .stored(operations: 16, memory: 1 << 30),
        ] as [KeyDerivation])
    func `A costlier Argon2id is refused before the user is asked`(_ cost: KeyDerivation) throws {
        let vault = try box.open()
        let attempts = try box.bytes("attempts")
        try forge(vault) { $0.header.slots[0].cost = cost }
        box.asks(0) {
            for error in [failure { try box.open() }, failure { try vault.unlock() }] {
                guard case .notAvailable(let text) = error else {
                    Issue.record("not refused: \(String(describing: error))")
                    return
                }
                #expect(text.contains("Argon2id with \(cost.operations) passes over \(cost.memory >> 20) MiB"))
                #expect(text.contains("keyDerivation"), "the user who made it so learns what to set")
            }
        }
        #expect(try box.bytes("attempts") == attempts)
        #expect(vault.lockoutState() == (0, 0))
    }

    struct Downgrade: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout VaultRecord, VaultRecord) -> Void
    }

    @Test(arguments: [
        Downgrade(testDescription: "no constraints") { record, other in
            record.binding.access = AccessControl(unconstrained: .whenUnlocked)
            record.alternatives = record.alternatives.map {
                .init(ephemeral: [], recipients: [], sealedKey: $0.sealedKey)
            }
        },
        Downgrade(testDescription: "userPresence in place of devicePasscode") { record, _ in
            record.binding.access = try! AccessControl(.whenUnlocked, .userPresence)
        },
        Downgrade(testDescription: "another accessibility") { record, _ in
            record.binding.access = try! AccessControl(.afterFirstUnlock, .devicePasscode)
        },
        Downgrade(testDescription: "a key for use made readable") { record, _ in
            record.binding.access = try! AccessControl(.whenUnlocked, [.devicePasscode, .privateKeyUsage])
        },
        Downgrade(testDescription: "the keys of an unguarded item") { record, other in
            record.binding.access = other.binding.access
            record.alternatives = other.alternatives
        },
        Downgrade(testDescription: "the secret of another item") { record, other in
            record.sealedSecret = other.sealedSecret
        },
        Downgrade(testDescription: "another primary key") { record, _ in
            record.binding.uniqueKeyTag = Sodium.randomBytes(32)
        },
        Downgrade(testDescription: "another class") { record, _ in record.binding.itemClass = "keys" },
        Downgrade(testDescription: "no recipients") { record, _ in
            record.binding.access = try! AccessControl(.whenUnlocked, .biometryAny)
        },
    ])
    func `A downgraded record opens nothing even with a right tag`(_ downgrade: Downgrade) throws {
        let vault = try box.open()
        let id = try vault.add(.password("guarded", "one", .devicePasscode))
        let other = try vault.add(.password("free", "two"))
        try forge(vault) { image in
            let (guarded, free) = (try #require(image[id]), try #require(image[other]))
            var record = guarded.record
            downgrade.change(&record, free.record)
            image.put(VaultImage.Entry(record, metadata: guarded.metadata))
        }
        let fresh = failure {
            let vault = try box.open()
            _ = try vault.use(id) { _ in }
        }
        guard case .corrupted = fresh else {
            Issue.record("a downgraded record gave \(String(describing: fresh))")
            return
        }
    }

    @Test func `With all class keys and without the factor there is nothing`() throws {
        let vault = try box.open()
        let id = try vault.add(.password("guarded", "one", .devicePasscode))
        let now = try vault.current()
        let record = try #require(now.image[id]?.record)
        let alternative = record.alternatives[0]
        let outer = try ItemSealing.openOuter(
            alternative, of: record, vaultID: vault.vaultID, classKey: now.keys.classKey(.whenUnlocked))
        #expect(outer.count == CommittedSeal.overhead + 32, "what the class key opens is itself sealed")
        let guess = X25519.generate()
        let opened = failure {
            try ItemSealing.openInner(
                outer, alternative, of: record, vaultID: vault.vaultID, privateKeys: [guess.privateKey],
                publicKeys: now.image.header.factorKeys.map(\.publicKey), passwordKey: nil)
        }
        #expect(opened != nil)
    }

    @Test func `A forged factor key does not receive new items`() throws {
        _ = try box.open()
        var bytes = try box.bytes()
        var image = try VaultImage(decoding: bytes, costs: KeyDerivation.acceptedInTests)
        image.header.factorKeys[0].publicKey = X25519.generate().publicKey
        bytes = try image.encoded(tagKey: LockedBytes.random(32))
        try box.write(bytes)
        guard case .corrupted = failure({ try box.open() }) else {
            Issue.record("a public key made without the passcode was believed")
            return
        }
    }

    @Test func `The answer decides and nothing else`() throws {
        // A presence layer that always says "yes" has no key to give.
        let vault = try box.open()
        let id = try vault.add(.password("guarded", "one", .userPresence))
        box.prompt.answer("")
        #expect(failure { try vault.read(id) } == .authenticationFailed(triesLeft: 2))
    }
}
