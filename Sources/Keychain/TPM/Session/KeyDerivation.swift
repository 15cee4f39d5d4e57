import Crypto
import Foundation

/// The two key derivation functions of Part 1 (KDFa and KDFe: clause 11.4.10 of revision 1.59), over SHA-256.
enum KeyDerivation {
    /// KDFa: a counter-mode KDF over HMAC (SP 800-108). `bits` is a multiple of 8.
    static func a(
        key: some ContiguousBytes, label: String, contextU: [UInt8], contextV: [UInt8], bits: UInt32
    ) -> SensitiveBytes {
        let key = SymmetricKey(data: key)
        return blocks(bits: bits) { counter in
            var mac = HMAC<SHA256>(key: key)
            mac.update(data: WireWriter.bytes { $0.put(counter) })
            mac.update(data: Array(label.utf8) + [0])
            mac.update(data: contextU)
            mac.update(data: contextV)
            mac.update(data: WireWriter.bytes { $0.put(bits) })
            return mac.finalize()
        }
    }

    /// KDFe: the KDF of ECDH (SP 800-56A) over a hash.
    static func e(
        z: some ContiguousBytes, label: String, partyU: [UInt8], partyV: [UInt8], bits: UInt32
    ) -> SensitiveBytes {
        blocks(bits: bits) { counter in
            var hash = SHA256()
            hash.update(data: WireWriter.bytes { $0.put(counter) })
            z.withUnsafeBytes { hash.update(bufferPointer: $0) }
            hash.update(data: Array(label.utf8) + [0])
            hash.update(data: partyU)
            hash.update(data: partyV)
            return hash.finalize()
        }
    }

    private static func blocks<Block: ContiguousBytes>(bits: UInt32, _ block: (UInt32) -> Block) -> SensitiveBytes {
        SensitiveBytes(count: Int(bits / 8)) { target in
            var offset = 0
            var counter: UInt32 = 1
            while offset < target.count {
                block(counter).withUnsafeBytes { source in
                    let count = min(source.count, target.count - offset)
                    UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + count])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<count]))
                    offset += count
                }
                counter += 1
            }
        }
    }
}
