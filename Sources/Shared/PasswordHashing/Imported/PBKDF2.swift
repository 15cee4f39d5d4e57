import Crypto
import CryptoExtras
import Foundation

/// PBKDF2 (RFC 8018, section 5.2) from swift-crypto, without its minimum of rounds: these hashes exist already.
enum PBKDF2 {
    /// - Returns: nil where the library refuses.
    static func derive(
        _ password: [UInt8], salt: [UInt8], function: DigestFunction, rounds: Int, byteCount: Int
    ) -> [UInt8]? {
        let hashFunction: KDF.Insecure.PBKDF2.HashFunction =
            switch function {
            case .md5: .insecureMD5
            case .sha1: .insecureSHA1
            case .sha256: .sha256
            case .sha512: .sha512
            }
        let key = try? KDF.Insecure.PBKDF2.deriveKey(
            from: password, salt: salt, using: hashFunction, outputByteCount: byteCount, unsafeUncheckedRounds: rounds)
        return key?.withUnsafeBytes { Array($0) }
    }
}
