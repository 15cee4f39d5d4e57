import Crypto
import Foundation
import KeychainTypes
import Testing

@testable import SecretVault

/// The primitives against swift-crypto's, which are the same algorithms by other people.
@Suite struct PrimitiveTests {
    @Test(arguments: [0, 1, 15, 16, 17, 1000])
    func `AES GCM is the other`(_ size: Int) throws {
        let key = LockedBytes.random(32)
        let other = SymmetricKey(data: key.withBytes { Array($0) })
        let (text, aad) = (Sodium.randomBytes(size), Sodium.randomBytes(size / 2))
        let sealed = AESGCM.seal(LockedBytes(text), key: key, authenticating: aad)
        #expect(try Array(AES.GCM.open(.init(combined: sealed), using: other, authenticating: aad)) == text)
        let back = try #require(try AES.GCM.seal(text, using: other, authenticating: aad).combined)
        #expect(AESGCM.open(Array(back), key: key, authenticating: aad)?.withBytes { Array($0) } == text)
        #expect(AESGCM.openOrdinary(Array(back), key: key, authenticating: aad) == text)
        #expect(AESGCM.open(Array(back), key: key, authenticating: aad + [0]) == nil)
        #expect(AESGCM.open(Array(back.dropLast()), key: key, authenticating: aad) == nil)
    }

    @Test func `The slow path is the same format`() throws {
        let key = LockedBytes.random(32)
        let text = Array("text".utf8)
        let sealed = AESGCM.seal(LockedBytes(text), key: key, authenticating: [1])
        var opened = [UInt8](repeating: 0, count: 4)
        let isOpened = opened.withUnsafeMutableBytes { output in
            key.withBytes { AESGCM.openSlowly(sealed, key: $0, aad: [1], into: output) }
        }
        #expect(isOpened && opened == text)
        let slow = text.withUnsafeBytes { text in
            key.withBytes { AESGCM.sealSlowly(text, key: $0, nonce: Sodium.randomBytes(12), aad: [1]) }
        }
        #expect(AESGCM.openOrdinary(slow, key: key, authenticating: [1]) == text)
    }

    @Test func `Nonces differ`() {
        let key = LockedBytes.random(32)
        let nonces = (0..<100).map { _ in Array(AESGCM.seal(LockedBytes([1]), key: key, authenticating: [])[..<12]) }
        #expect(Set(nonces).count == 100)
    }

    @Test(arguments: [1, 31, 32, 33, 64])
    func `HKDF is the other`(_ count: Int) {
        let inputs = [LockedBytes.random(32), LockedBytes.random(32)]
        let (salt, info) = (Sodium.randomBytes(16), Sodium.randomBytes(100))
        let other = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: inputs.flatMap { $0.withBytes { Array($0) } }), salt: salt, info: info,
            outputByteCount: count)
        let own = HMACSHA256.derive(from: inputs, salt: salt, info: info, count: count)
        #expect(own.withBytes { Array($0) } == other.withUnsafeBytes { Array($0) })
    }

    @Test func `X25519 is the other and refuses known secrets`() throws {
        let (own, other) = (X25519.generate(), Curve25519.KeyAgreement.PrivateKey())
        let shared = try other.sharedSecretFromKeyAgreement(with: .init(rawRepresentation: own.publicKey))
        let secret = X25519.sharedSecret(own.privateKey, Array(other.publicKey.rawRepresentation))
        #expect(secret?.withBytes { Array($0) } == shared.withUnsafeBytes { Array($0) })
        #expect(X25519.sharedSecret(own.privateKey, [UInt8](repeating: 0, count: 32)) == nil)
        #expect(X25519.sharedSecret(own.privateKey, []) == nil)
    }

    @Test func `A seal tells a wrong key from a changed text`() {
        let (key, other) = (LockedBytes.random(32), LockedBytes.random(32))
        let sealed = CommittedSeal.seal(LockedBytes([1, 2]), under: [key], label: "test", context: [9])
        guard case .opened = CommittedSeal.open(sealed, under: [key], label: "test", context: [9]) else {
            Issue.record("a seal did not open")
            return
        }
        for (keys, label, context): ([LockedBytes], String, [UInt8]) in [
            ([other], "test", [9]), ([key], "tesu", [9]), ([key], "test", [8]), ([key, other], "test", [9]),
        ] {
            guard case .wrongKey = CommittedSeal.open(sealed, under: keys, label: label, context: context) else {
                Issue.record("a seal opened under another key")
                return
            }
        }
        for index in 32..<sealed.count {
            var changed = sealed
            changed[index] ^= 4
            guard case .damaged = CommittedSeal.open(changed, under: [key], label: "test", context: [9]) else {
                Issue.record("a changed seal opened")
                return
            }
        }
    }
}
