import Crypto
import Foundation
import KeychainTypes
import Testing

@testable import KeychainServices

@Suite struct KeyParsingTests {
    @Test func `A digest out of bytes is the digest`() throws {
        // The scheme makes Swift Crypto's digests out of bytes; this is the test that its comment speaks of.
        for (hash, bytes) in [
            (SignatureScheme.Hash.sha256, Array(SHA256.hash(data: [1, 2, 3]))),
            (.sha384, Array(SHA384.hash(data: [1, 2, 3]))), (.sha512, Array(SHA512.hash(data: [1, 2, 3]))),
        ] {
            let scheme = SignatureScheme(.pkcs1, hash, takesDigest: true)
            let again = try scheme.withDigest(of: Data(bytes)) { digest in digest.withUnsafeBytes { Array($0) } }
            #expect(again == bytes)
            let fromMessage = SignatureScheme(.pkcs1, hash, takesDigest: false)
            #expect(
                try fromMessage.withDigest(of: Data([1, 2, 3])) { digest in digest.withUnsafeBytes { Array($0) } }
                    == bytes)
        }
        #expect(MemoryLayout<SHA256.Digest>.size == 32)
        #expect(MemoryLayout<SHA384.Digest>.size == 48)
        #expect(MemoryLayout<SHA512.Digest>.size == 64)
    }

    @Test(arguments: [
        "", "algid", "algid:sign:RSA:raw", "algid:sign:RSA:digest-PKCS1v15", "algid:sign:RSA:digest-PKCS1v15:SHA1",
        "algid:sign:RSA:digest-PKCS1v15:MD5", "algid:sign:ECDSA:digest-PKCS1v15:SHA256",
        "algid:sign:RSA:digest-X962:SHA256",
        "algid:encrypt:RSA:OAEP:SHA256", "algid:sign:RSA:other-PKCS1v15:SHA256", "algid:sign:ECDSA:RFC4754",
    ]) func `An algorithm that is not offered is unimplemented`(_ name: String) throws {
        let algorithm = SecKeyAlgorithm(rawValue: name as CFString)
        #expect(SignatureScheme(algorithm) == nil)
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
        ]
        let key = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
        #expect(!SecKeyIsAlgorithmSupported(key, .sign, algorithm))
        var error: Unmanaged<CFError>?
        #expect(SecKeyCreateSignature(key, algorithm, Data() as CFData, &error) == nil)
        #expect(code(error) == Int(errSecUnimplemented))
    }

    private func isPublic(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { PKCS1.isPublicKey($0) } }

    @Test func `PKCS1 is read strictly`() {
        let two: [UInt8] = [0x30, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x03]
        #expect(isPublic(two))
        #expect(!isPublic(two + [0]))
        #expect(!isPublic(Array(two.dropLast())))
        #expect(!isPublic([0x30, 0x81, 0x06] + two.dropFirst(2)))
        #expect(!isPublic([0x30, 0x80] + two.dropFirst(2) + [0, 0]))
        #expect(!isPublic([0x31] + two.dropFirst()))
        #expect(!isPublic([0x30, 0x03, 0x02, 0x01, 0x05]))
        #expect(!isPublic([0x30, 0x05, 0x02, 0x01, 0x05, 0x02, 0x00]))
        #expect(!isPublic([0x30, 0x84, 0xff, 0xff, 0xff, 0xff]))
        #expect(!isPublic([0x30]))
        #expect(!isPublic([]))
    }

    @Test func `No truncation or flipped byte of a key traps`() throws {
        let key = try PrivateKey(generating: .rsa(bits: 2048))
        let bytes = key.externalRepresentation.withBytes { Array($0) }
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: KeychainError.self) { try PrivateKey(LockedBytes(bytes.prefix(count)), isRSA: true) }
        }
        for index in stride(from: 0, to: bytes.count, by: 11) {
            var mutant = bytes
            mutant[index] ^= 0x55
            // Some of these are keys, of other numbers; none may end the process.
            _ = try? PrivateKey(LockedBytes(mutant), isRSA: true)
        }
    }

    @Test func `A wrapped key is no PKCS1`() throws {
        let key = try PrivateKey(generating: .rsa(bits: 2048)).publicKey
        #expect(throws: KeychainError.self) { try PublicKey(key.subjectPublicKeyInfo, isRSA: true) }
        #expect(throws: KeychainError.self) { try PublicKey(key.externalRepresentation + [0], isRSA: true) }
    }

    @Test func `All presets can be made`() {
        let presets: [AccessControl] = [.presentUser, .highSecurity, .presentUserSigning, .highSecuritySigning]
        #expect(presets.allSatisfy { $0.accessibility == .whenPasscodeSetThisDeviceOnly && $0.asksForFactor })
    }
}
