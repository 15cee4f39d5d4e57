import Foundation
import TestSupport
import Testing

@testable import KeychainServices

/// Signatures made here verify with OpenSSL, and the other way round.
@Suite struct SignatureInteropTests {
    private let message = Data("approve the login of ada".utf8)

    struct Case: Sendable, CustomTestStringConvertible {
        let message: SecKeyAlgorithm
        let digest: SecKeyAlgorithm
        let hash: String
        var isPSS = false
        var testDescription: String { message.name }
    }

    static let rsa = [
        Case(message: .rsaSignatureMessagePKCS1v15SHA256, digest: .rsaSignatureDigestPKCS1v15SHA256, hash: "sha256"),
        Case(message: .rsaSignatureMessagePKCS1v15SHA384, digest: .rsaSignatureDigestPKCS1v15SHA384, hash: "sha384"),
        Case(message: .rsaSignatureMessagePKCS1v15SHA512, digest: .rsaSignatureDigestPKCS1v15SHA512, hash: "sha512"),
        Case(message: .rsaSignatureMessagePSSSHA256, digest: .rsaSignatureDigestPSSSHA256, hash: "sha256", isPSS: true),
        Case(message: .rsaSignatureMessagePSSSHA384, digest: .rsaSignatureDigestPSSSHA384, hash: "sha384", isPSS: true),
        Case(message: .rsaSignatureMessagePSSSHA512, digest: .rsaSignatureDigestPSSSHA512, hash: "sha512", isPSS: true),
    ]
    static let curve = [
        Case(message: .ecdsaSignatureMessageX962SHA256, digest: .ecdsaSignatureDigestX962SHA256, hash: "sha256"),
        Case(message: .ecdsaSignatureMessageX962SHA384, digest: .ecdsaSignatureDigestX962SHA384, hash: "sha384"),
        Case(message: .ecdsaSignatureMessageX962SHA512, digest: .ecdsaSignatureDigestX962SHA512, hash: "sha512"),
    ]
    static let rfc4754: [(SecKeyAlgorithm, SecKeyAlgorithm)] = [
        (.ecdsaSignatureMessageRFC4754SHA256, .ecdsaSignatureDigestRFC4754SHA256),
        (.ecdsaSignatureMessageRFC4754SHA384, .ecdsaSignatureDigestRFC4754SHA384),
        (.ecdsaSignatureMessageRFC4754SHA512, .ecdsaSignatureDigestRFC4754SHA512),
    ]

    private static let rsaKey = Result { try random(kSecAttrKeyTypeRSA, 2048) }

    private static func random(_ type: CFString, _ bits: Int) throws -> SecKey {
        let parameters: [CFString: Any] = [kSecAttrKeyType: type, kSecAttrKeySizeInBits: bits]
        return try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
    }

    private func load(_ data: Data, _ type: CFString, _ keyClass: CFString) throws -> SecKey {
        let parameters: [CFString: Any] = [kSecAttrKeyType: type, kSecAttrKeyClass: keyClass]
        var error: Unmanaged<CFError>?
        let key = SecKeyCreateWithData(data as CFData, parameters as CFDictionary, &error)
        return try #require(key, "\(String(describing: error?.takeRetainedValue()))")
    }

    private func digest(_ hash: String, _ openssl: borrowing OpenSSL) throws -> Data {
        try openssl.run("dgst", "-\(hash)", "-binary", "-out", "digest", "message")
        return try openssl.read("digest")
    }

    private func check(_ key: SecKey, _ testCase: Case) throws {
        let openssl = try OpenSSL()
        try openssl.write(message, "message")
        try openssl.write(key.publicKey.subjectPublicKeyInfo, "public.der")
        try openssl.run("pkey", "-pubin", "-inform", "DER", "-in", "public.der", "-out", "public.pem")
        let padding = testCase.isPSS ? ["rsa_padding_mode:pss", "rsa_pss_saltlen:digest"] : []

        // Here to there, with the message and with its digest.
        let digest = try digest(testCase.hash, openssl)
        for (algorithm, input) in [(testCase.message, message), (testCase.digest, digest)] {
            let signature = try #require(SecKeyCreateSignature(key, algorithm, input as CFData, nil)) as Data
            try openssl.write(signature, "signature")
            let verified =
                padding.isEmpty
                ? try openssl.run(
                    "dgst", "-\(testCase.hash)", "-verify", "public.pem", "-signature", "signature", "message")
                : try openssl.run(
                    "dgst", "-\(testCase.hash)", "-sigopt", padding[0], "-sigopt", padding[1], "-verify", "public.pem",
                    "-signature", "signature", "message")
            #expect(verified.status == 0, "\(verified.output)")
        }

        // There to here, with a key that OpenSSL reads from our export.
        let bytes = try #require(SecKeyCopyExternalRepresentation(key, nil)) as Data
        if key.publicKey.type.isRSA {
            try openssl.write(bytes, "private.der")
        } else {
            try openssl.write(sec1(bytes), "private.der")
        }
        let read = try openssl.run("pkey", "-inform", "DER", "-in", "private.der", "-out", "private.pem")
        try #require(read.status == 0, "\(read.output)")
        let signed =
            padding.isEmpty
            ? try openssl.run("dgst", "-\(testCase.hash)", "-sign", "private.pem", "-out", "theirs", "message")
            : try openssl.run(
                "dgst", "-\(testCase.hash)", "-sigopt", padding[0], "-sigopt", padding[1], "-sign", "private.pem",
                "-out", "theirs", "message")
        try #require(signed.status == 0, "\(signed.output)")
        let theirs = try openssl.read("theirs") as CFData
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        #expect(SecKeyVerifySignature(publicKey, testCase.message, message as CFData, theirs, nil))
        #expect(SecKeyVerifySignature(publicKey, testCase.digest, digest as CFData, theirs, nil))
        #expect(!SecKeyVerifySignature(publicKey, testCase.message, Data("other".utf8) as CFData, theirs, nil))
    }

    /// `ECPrivateKey` (RFC 5915) out of `04‖X‖Y‖K` of P-256.
    private func sec1(_ x963: Data) -> Data {
        let point = Data(x963.prefix(65))
        let body: Data =
            [0x02, 0x01, 0x01, 0x04, 0x20] + x963.suffix(32)
            + [0xa0, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
            + [0xa1, 0x44, 0x03, 0x42, 0x00] + point
        return [0x30, UInt8(body.count)] + body
    }

    @Test(arguments: rsa) func `RSA signatures are verified both ways`(_ testCase: Case) throws {
        try check(Self.rsaKey.get(), testCase)
    }

    @Test(arguments: curve) func `ECDSA signatures are verified both ways`(_ testCase: Case) throws {
        try check(Self.random(kSecAttrKeyTypeECSECPrimeRandom, 256), testCase)
    }

    @Test(arguments: [384, 521]) func `The longer curves sign too`(_ bits: Int) throws {
        let openssl = try OpenSSL()
        let key = try Self.random(kSecAttrKeyTypeECSECPrimeRandom, bits)
        #expect(SecKeyGetBlockSize(key) == (bits + 7) / 8)
        let signature = try #require(
            SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA512, message as CFData, nil))
        try openssl.write(message, "message")
        try openssl.write(signature as Data, "signature")
        try openssl.write(key.publicKey.subjectPublicKeyInfo, "public.der")
        try openssl.run("pkey", "-pubin", "-inform", "DER", "-in", "public.der", "-out", "public.pem")
        #expect(
            try openssl.run("dgst", "-sha512", "-verify", "public.pem", "-signature", "signature", "message").status
                == 0)
    }

    @Test(arguments: rfc4754.indices) func `RFC 4754 is the same signature in another form`(_ index: Int) throws {
        let (messageForm, digestForm) = Self.rfc4754[index]
        let der = Self.curve[index]
        let key = try Self.random(kSecAttrKeyTypeECSECPrimeRandom, 256)
        let raw = try #require(SecKeyCreateSignature(key, messageForm, message as CFData, nil)) as Data
        #expect(raw.count == 64)
        let openssl = try OpenSSL()
        try openssl.write(message, "message")
        let digest = try digest(der.hash, openssl) as CFData
        #expect(SecKeyVerifySignature(key, messageForm, message as CFData, raw as CFData, nil))
        #expect(SecKeyVerifySignature(key, digestForm, digest, raw as CFData, nil))
        #expect(!SecKeyVerifySignature(key, der.message, message as CFData, raw as CFData, nil))
    }

    @Test func `Keys of OpenSSL are read`() throws {
        let openssl = try OpenSSL()
        try openssl.run("genrsa", "-traditional", "-out", "rsa.pem", "2048")
        try openssl.run("rsa", "-in", "rsa.pem", "-traditional", "-outform", "DER", "-out", "private.der")
        try openssl.run("rsa", "-in", "rsa.pem", "-RSAPublicKey_out", "-outform", "DER", "-out", "public.der")
        let key = try load(openssl.read("private.der"), kSecAttrKeyTypeRSA, kSecAttrKeyClassPrivate)
        let publicKey = try load(openssl.read("public.der"), kSecAttrKeyTypeRSA, kSecAttrKeyClassPublic)
        let signature = try #require(
            SecKeyCreateSignature(key, .rsaSignatureMessagePKCS1v15SHA256, message as CFData, nil))
        #expect(SecKeyVerifySignature(publicKey, .rsaSignatureMessagePKCS1v15SHA256, message as CFData, signature, nil))
        #expect(key.publicKey.applicationLabel == publicKey.publicKey.applicationLabel)
    }

    @Test(arguments: ["1024", "512"]) func `Short RSA keys are refused`(_ bits: String) throws {
        let openssl = try OpenSSL()
        try openssl.run("genrsa", "-traditional", "-out", "rsa.pem", bits)
        try openssl.run("rsa", "-in", "rsa.pem", "-traditional", "-outform", "DER", "-out", "private.der")
        try openssl.run("rsa", "-in", "rsa.pem", "-RSAPublicKey_out", "-outform", "DER", "-out", "public.der")
        for (file, keyClass) in [("private.der", kSecAttrKeyClassPrivate), ("public.der", kSecAttrKeyClassPublic)] {
            let parameters: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: keyClass]
            var error: Unmanaged<CFError>?
            #expect(SecKeyCreateWithData(try openssl.read(file) as CFData, parameters as CFDictionary, &error) == nil)
            #expect(code(error) == Int(errSecParam))
        }
        let parameters: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: Int(bits)!]
        var error: Unmanaged<CFError>?
        #expect(SecKeyCreateRandomKey(parameters as CFDictionary, &error) == nil)
        #expect(code(error) == Int(errSecParam))
    }

    @Test func `The modern wrapping is what the library makes`() throws {
        let curve = try Self.random(kSecAttrKeyTypeECSECPrimeRandom, 256).publicKey
        #expect(SubjectPublicKeyInfo.p256(curve.externalRepresentation) == curve.subjectPublicKeyInfo)
        let rsa = try Self.rsaKey.get().publicKey
        #expect(SubjectPublicKeyInfo.rsa(rsa.externalRepresentation) == rsa.subjectPublicKeyInfo)
    }
}
