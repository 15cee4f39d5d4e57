import Crypto
import CryptoExtras
import Foundation

/// Firebase's scrypt: a key by scrypt, with which AES-256 in counter mode encrypts the project's signer key.
///
/// After https://github.com/firebase/scrypt, the source that Firebase publishes; of scrypt's 64 bytes the first 32 are
/// the key, and the counter begins at zero.
enum FirebaseScrypt {
    /// - Returns: as many bytes as the signer key has, or nil where there is no memory.
    static func hash(
        _ password: [UInt8], salt: [UInt8], signerKey: [UInt8], rounds: Int, memoryCost: Int
    ) -> [UInt8]? {
        guard
            var derived = Sodium.scrypt(
                password, salt: salt, cost: 1 << memoryCost, blockSize: rounds, parallelization: 1, byteCount: 64)
        else { return nil }
        defer { Sodium.wipe(&derived) }
        guard let zero = try? AES._CTR.Nonce(nonceBytes: [UInt8](repeating: 0, count: 16)) else { return nil }
        let encrypted = try? AES._CTR.encrypt(signerKey, using: SymmetricKey(data: derived.prefix(32)), nonce: zero)
        return encrypted.map { Array($0) }
    }
}
