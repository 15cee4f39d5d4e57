import Crypto
import Foundation
import Testing

@testable import CountersignCore

@Suite("Keyed digests of short messages")
struct KeyedSHA256Tests {
    @Test
    func `A code is the library's, for keys and messages up to a block and messages beyond it`() {
        for keyCount in [0, 1, 32, 64] {
            let key = SymmetricKey(data: (0..<keyCount).map { UInt8($0) })
            let keyed = KeyedSHA256(key: key)
            for count in [0, 1, 55, 56, 63, 64, 65, 1000] {
                let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
                let expected = Data(HMAC<SHA256>.authenticationCode(for: message, using: key))
                // Twice: a code leaves nothing behind.
                for _ in 0..<2 { #expect(keyed.code(for: message).data == expected, "\(keyCount), \(count)") }
            }
        }
    }

    /// RFC 4231, section 4.3.
    @Test
    func `The second vector of RFC 4231`() {
        let keyed = KeyedSHA256(key: SymmetricKey(data: Data("Jefe".utf8)))
        #expect(
            keyed.code(for: Array("what do ya want for nothing?".utf8)).data.hex
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
}
