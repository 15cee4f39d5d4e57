import Crypto
import Foundation
import KeychainTypes
import SecretVault
import Synchronization
import Testing

/// The seam for chips, with a keystore in memory: what the vault asks of it, and what it keeps to itself.
@Suite struct HardwareTests {
    let box = Sandbox()
    let chip = MemoryKeystore()

    private func open(_ change: (inout VaultConfiguration) -> Void = { _ in }) throws -> Vault {
        try box.open {
            $0.hardware = chip
            change(&$0)
        }
    }

    @Test func `A passcode sealed to a chip opens nowhere else`() throws {
        let id = try open { $0.sealsPasscodeToHardware = true }.add(.password("ann", "one", .devicePasscode))
        #expect(try open().read(id).text == "one")
        box.asks(0) {
            guard case .factorUnavailable = failure({ try box.open() }) else {
                Issue.record("the vault opened without its chip")
                return
            }
        }
        chip.refuses(true)
        for _ in 0..<5 { #expect(failure { try open() } == .lockedOut(seconds: 60)) }
        chip.refuses(false)
        #expect(try open().lockoutState() == (0, 0), "what a chip does not look at costs nothing")
        let other = MemoryKeystore()
        #expect(failure { try box.open { $0.hardware = other } } == .authenticationFailed(triesLeft: 2))
        box.clock.advance(300)
        box.prompt.answer("wrong")
        guard case .authenticationFailed = failure({ try open() }) else {
            Issue.record("a wrong passcode was not told")
            return
        }
    }

    @Test func `A changed passcode is sealed anew as configured`() throws {
        let vault = try open { $0.sealsPasscodeToHardware = true }
        box.prompt.answer("1234", "new", "new")
        try vault.changePasscode()
        box.prompt.answer("new")
        #expect(try open().isUnlocked)
        #expect(failure { try box.open() } != nil)
    }

    @Test func `A key in a chip signs after its access control and is never given out`() throws {
        let vault = try open()
        let access = try AccessControl(.whenUnlocked, [.privateKeyUsage, .userPresence])
        let (id, key) = try vault.makeHardwareKey(.p256, itemClass: "keys", access: access) { key in
            (key.publicKey, ["atag": .data(Data(key.publicKey))])
        }
        let digest = Array(SHA256.hash(data: Data("message".utf8)))
        var signature: [UInt8] = []
        box.asks(1) { signature = try vault.sign(id, digest: digest) }
        let verifier = try P256.Signing.PublicKey(x963Representation: key.publicKey)
        #expect(
            verifier.isValidSignature(
                try .init(derRepresentation: signature), for: Data("message".utf8)))
        #expect(try vault.item(id).isHardwareBound)
        #expect(failure { try vault.read(id) } != nil)
        #expect(failure { try vault.use(id) { _ in } } != nil)
        let silent = AuthenticationContext(interactionAllowed: false)
        #expect(failure { try vault.sign(id, digest: digest, context: silent) } == .interactionNotAllowed)
        #expect(failure { try vault.sign(id, digest: [1]) } != nil)
        #expect(failure { try vault.update(id, with: ItemChange(secret: LockedBytes([1]))) } != nil)
        #expect(failure { try box.open().sign(id, digest: digest) } != nil)
    }
}

/// Stands in for a TPM: keys by number, and an authorization for each.
final class MemoryKeystore: HardwareKeystore {
    let name = "memory"
    private struct Entry {
        let authorization: [UInt8]
        let secret: [UInt8]
    }
    private let isRefusing = Mutex(false)
    func refuses(_ refuses: Bool) { isRefusing.withLock { $0 = refuses } }

    private let entries = Mutex<[[UInt8]: Entry]>([:])

    func status() throws(KeychainError) -> HardwareKeystoreStatus {
        HardwareKeystoreStatus(isLockedOut: false, limitsGuesses: true, details: "in memory")
    }

    func seal(_ secret: LockedBytes, authorization: LockedBytes) throws(KeychainError) -> [UInt8] {
        let blob = (0..<16).map { _ in UInt8.random(in: 0...255) }
        let entry = Entry(
            authorization: authorization.withBytes { Array($0) }, secret: secret.withBytes { Array($0) })
        entries.withLock { $0[blob] = entry }
        return blob
    }

    func unseal(_ blob: [UInt8], authorization: LockedBytes) throws(KeychainError) -> LockedBytes {
        if isRefusing.withLock({ $0 }) { throw .lockedOut(seconds: 60) }
        let given = authorization.withBytes { Array($0) }
        guard let entry = entries.withLock({ $0[blob] }), entry.authorization == given else {
            throw .authenticationFailed(triesLeft: nil)
        }
        return LockedBytes(entry.secret)
    }

    func makeKey(_ kind: HardwareKeyKind, authorization: LockedBytes) throws(KeychainError) -> HardwareKey {
        let key = P256.Signing.PrivateKey()
        let blob = try seal(LockedBytes(key.rawRepresentation), authorization: authorization)
        return HardwareKey(kind: kind, blob: blob, publicKey: Array(key.publicKey.x963Representation))
    }

    func sign(
        digest: [UInt8], with key: HardwareKey, authorization: LockedBytes
    ) throws(KeychainError) -> [UInt8] {
        let secret = try unseal(key.blob, authorization: authorization)
        let message = Digest(bytes: digest)
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: secret.withBytes { Data($0) }),
            let signature = try? key.signature(for: message)
        else { throw .corrupted("key") }
        return Array(signature.derRepresentation)
    }

    private struct Digest: Crypto.Digest {
        static var byteCount: Int { 32 }
        let bytes: [UInt8]
        func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            try bytes.withUnsafeBytes(body)
        }
        var description: String { "digest" }
        func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }
    }
}
