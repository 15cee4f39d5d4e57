import CSodium
import KeychainTypes

/// Diffie-Hellman on Curve25519 (RFC 7748). With the public half a caller can seal for a factor without a prompt; only
/// the factor yields the private half.
enum X25519 {
    static let size = 32

    static func generate() -> (privateKey: LockedBytes, publicKey: [UInt8]) {
        precondition(Sodium.isReady, "libsodium could not be initialised")
        let privateKey = LockedBytes(count: size) { randombytes_buf($0.start, size) }
        return (privateKey, publicKey(of: privateKey))
    }

    static func publicKey(of privateKey: LockedBytes) -> [UInt8] {
        defer { Sodium.wipeStack() }
        var publicKey = [UInt8](repeating: 0, count: size)
        _ = privateKey.withBytes {
            crypto_scalarmult_base(&publicKey, $0.start.assumingMemoryBound(to: UInt8.self))
        }
        return publicKey
    }

    /// Nil for a public key of low order, which would make the secret a known one.
    static func sharedSecret(_ privateKey: LockedBytes, _ publicKey: [UInt8]) -> LockedBytes? {
        guard publicKey.count == size, privateKey.count == size else { return nil }
        defer { Sodium.wipeStack() }
        var isGood = false
        let secret = LockedBytes(count: size) { output in
            isGood = privateKey.withBytes {
                crypto_scalarmult(
                    output.start.assumingMemoryBound(to: UInt8.self),
                    $0.start.assumingMemoryBound(to: UInt8.self), publicKey) == 0
            }
        }
        return isGood ? secret : nil
    }
}
