import Foundation
import Testing

@testable import KeychainTPM

/// The expected values are OpenSSL's: its KBKDF and SSKDF are the functions that the TPM calls KDFa and KDFe.
@Suite struct KeyDerivationTests {
    let key = (0..<32).map { UInt8($0) }
    let u: [UInt8] = [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7]
    let v: [UInt8] = [0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7]

    /// `openssl kdf -keylen N -kdfopt mac:HMAC -kdfopt digest:SHA256 -kdfopt mode:counter -kdfopt hexkey:0001… -kdfopt
    /// salt:LABEL -kdfopt hexinfo:a0a1a2a3a4a5a6a7b0b1b2b3b4b5b6b7 KBKDF`
    @Test(arguments: [
        ("ATH", UInt32(256), "80a04056d0ed4cfe82ea6fb31086556a12689910bb396e6ea0b575ba5d521109"),
        (
            "CFB", 384,
            "7d9c01067c0c15d4a9d550b7ca8961023be5f0389a140962dfb05e97760c0726a16ab27da1eb827103c5bb43da2c52a5"
        ),
    ])
    func `KDFa is SP 800-108's`(_ label: String, _ bits: UInt32, _ expected: String) {
        let derived = KeyDerivation.a(key: key, label: label, contextU: u, contextV: v, bits: bits)
        #expect(hex(derived) == expected)
    }

    /// `openssl kdf -keylen 48 -kdfopt digest:SHA256 -kdfopt hexkey:0001… -kdfopt
    /// hexinfo:53454352455400a0a1a2a3a4a5a6a7b0b1b2b3b4b5b6b7 SSKDF`
    @Test func `KDFe is SP 800-56A's`() {
        let derived = KeyDerivation.e(z: key, label: "SECRET", partyU: u, partyV: v, bits: 384)
        #expect(
            hex(derived)
                == "2173ad45b7c218e83c54615c4b8cbc92a943d9c3ffed22682c35e7285ce2ad8b3fdb410346cda057b71a0753a3b298d9")
    }

    @Test func `Sensitive bytes are joined in order, and wiped where they lie`() {
        let joined = SensitiveBytes(joining: [[UInt8]([1, 2]), SensitiveBytes(joining: [[UInt8]([3])]), [UInt8]()])
        #expect(Array(joined.pointer) == [1, 2, 3])
        var bytes: [UInt8] = [1, 2, 3]
        bytes.withUnsafeMutableBytes { SensitiveBytes.wipe($0) }
        #expect(bytes == [0, 0, 0])
    }

    private func hex(_ bytes: SensitiveBytes) -> String {
        bytes.pointer.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
