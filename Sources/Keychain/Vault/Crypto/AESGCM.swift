import CSodium
import Crypto
import Foundation
import KeychainTypes

/// AES-256-GCM with a random 96-bit nonce: nonce ‖ ciphertext ‖ tag.
///
/// libsodium's, whose key schedule lies where we say; on a processor without AES instructions swift-crypto's, which
/// leaves traces of key and plaintext on the heap (docs/vault-format.md, "Primitives").
enum AESGCM {
    static let keySize = 32
    static let nonceSize = 12
    static let tagSize = 16
    static let overhead = nonceSize + tagSize

    static let keepsSchedulesLocked = Sodium.isReady && crypto_aead_aes256gcm_is_available() == 1

    static func seal(
        _ plaintext: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, authenticating aad: [UInt8]
    ) -> [UInt8] {
        precondition(key.count == keySize)
        let nonce = Sodium.randomBytes(nonceSize)
        guard keepsSchedulesLocked else { return sealSlowly(plaintext, key: key, nonce: nonce, aad: aad) }
        return [UInt8](unsafeUninitializedCapacity: plaintext.count + overhead) { buffer, initialized in
            let output = buffer.start
            output.update(from: nonce, count: nonceSize)
            withSchedule(of: key) { schedule in
                _ = withStart(of: plaintext) { plaintext, count in
                    crypto_aead_aes256gcm_encrypt_afternm(
                        output + nonceSize, nil, plaintext, UInt64(count), aad, UInt64(aad.count), nil, nonce, schedule)
                }
            }
            Sodium.wipeStack()
            initialized = plaintext.count + overhead
        }
    }

    static func seal(_ plaintext: LockedBytes, key: LockedBytes, authenticating aad: [UInt8]) -> [UInt8] {
        plaintext.withBytes { plaintext in key.withBytes { seal(plaintext, key: $0, authenticating: aad) } }
    }

    /// Writes the plaintext to `output`, which must have room for `sealed.count - overhead` bytes. False, and nothing
    /// but zeros written, when the tag does not match.
    static func open(
        _ sealed: [UInt8], key: UnsafeRawBufferPointer, authenticating aad: [UInt8],
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        precondition(key.count == keySize && sealed.count >= overhead && output.count == sealed.count - overhead)
        guard keepsSchedulesLocked else { return openSlowly(sealed, key: key, aad: aad, into: output) }
        let isRight = sealed.withUnsafeBufferPointer { sealed in
            withSchedule(of: key) { schedule in
                let nothing = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
                defer { nothing.deallocate() }
                return crypto_aead_aes256gcm_decrypt_afternm(
                    output.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing, nil, nil,
                    sealed.start + nonceSize, UInt64(sealed.count - nonceSize), aad, UInt64(aad.count),
                    sealed.start, schedule) == 0
            }
        }
        Sodium.wipeStack()
        return isRight
    }

    /// Nil when the tag does not match, or nothing of that length can have been sealed.
    static func open(_ sealed: [UInt8], key: LockedBytes, authenticating aad: [UInt8]) -> LockedBytes? {
        guard sealed.count >= overhead else { return nil }
        var isRight = false
        let plaintext = LockedBytes(count: sealed.count - overhead) { output in
            isRight = key.withBytes { open(sealed, key: $0, authenticating: aad, into: output) }
        }
        return isRight ? plaintext : nil
    }

    /// Like ``open(_:key:authenticating:)``, for what is sealed but is no secret once the vault is open.
    static func openOrdinary(_ sealed: [UInt8], key: LockedBytes, authenticating aad: [UInt8]) -> [UInt8]? {
        guard sealed.count >= overhead else { return nil }
        var plaintext = [UInt8](repeating: 0, count: sealed.count - overhead)
        let isRight = plaintext.withUnsafeMutableBytes { output in
            key.withBytes { open(sealed, key: $0, authenticating: aad, into: output) }
        }
        return isRight ? plaintext : nil
    }

    private static func withSchedule<Result>(
        of key: UnsafeRawBufferPointer, _ body: (UnsafePointer<crypto_aead_aes256gcm_state>) -> Result
    ) -> Result {
        PrimitiveScratch.withBlock { scratch in
            let schedule = scratch.assumingMemoryBound(to: crypto_aead_aes256gcm_state.self)
            crypto_aead_aes256gcm_beforenm(schedule, key.start.assumingMemoryBound(to: UInt8.self))
            return body(UnsafePointer(schedule))
        }
    }

    private static func withStart<Result>(
        of bytes: UnsafeRawBufferPointer, _ body: (UnsafePointer<UInt8>, Int) -> Result
    ) -> Result {
        let nothing: UInt8 = 0
        return withUnsafePointer(to: nothing) { nothing in
            body(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? nothing, bytes.count)
        }
    }
}

// MARK: - Without AES instructions

extension AESGCM {
    static func sealSlowly(
        _ plaintext: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, nonce: [UInt8], aad: [UInt8]
    ) -> [UInt8] {
        let box = try? AES.GCM.seal(
            Data(plaintext), using: SymmetricKey(data: key), nonce: AES.GCM.Nonce(data: nonce),
            authenticating: Data(aad))
        guard let combined = box?.combined else { fatalError("AES-GCM refused a key of 32 bytes") }
        return Array(combined)
    }

    static func openSlowly(
        _ sealed: [UInt8], key: UnsafeRawBufferPointer, aad: [UInt8], into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let box = try? AES.GCM.SealedBox(combined: Data(sealed)),
            var plaintext = try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: Data(aad))
        else { return false }
        output.copyBytes(from: plaintext)
        plaintext.resetBytes(in: plaintext.startIndex..<plaintext.endIndex)
        return true
    }
}
