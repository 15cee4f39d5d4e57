import ClientHTTP
import Crypto
import CryptoExtras
import Dispatch
import Foundation
import KeychainServices
import TestSupport
import Testing

@testable import Guardian

/// Keys that are in memory, against OpenSSL and Swift Crypto. What the keychain keeps is tested with the keychain.
@Suite struct KeyTests {
    @Test func `A key of OpenSSL's is read, and OpenSSL verifies what it signs`() throws {
        let openSSL = try OpenSSL()
        try openSSL.run("genrsa", "-traditional", "-out", "key.pem", "2048")
        try openSSL.run("rsa", "-in", "key.pem", "-traditional", "-outform", "DER", "-out", "key.der")
        try openSSL.run("rsa", "-in", "key.pem", "-pubout", "-out", "public.pem")
        try openSSL.run("rsa", "-in", "key.pem", "-RSAPublicKey_out", "-outform", "DER", "-out", "public.der")
        let bytes = try openSSL.read("key.der")
        let key = try DataRSAPrivateKey(data: bytes)
        #expect(key.data == bytes)
        let again = try DataRSAPrivateKey(secKey: key.secKey)
        #expect(again.data == bytes)
        let message = Data("header.claims".utf8)
        try openSSL.write(message, "message")
        try openSSL.write(key.signature(for: message), "signature")
        let verified = try openSSL.run(
            "dgst", "-sha256", "-verify", "public.pem", "-signature", "signature", "message")
        #expect(verified.status == 0, "\(verified.output)")
        let publicKey = try #require(key.verificationKey() as? AsymmetricPublicKey)
        #expect(try publicKey.data == openSSL.read("public.der"))
        let text = try openSSL.run("rsa", "-in", "key.pem", "-noout", "-modulus").output
        let modulus = try #require(publicKey.attributes?.modulus)
        #expect(text.contains(modulus.dropFirst().map { String(format: "%02X", $0) }.joined()))
        #expect(publicKey.attributes?.exponent == Data([1, 0, 1]) && publicKey.ellipticJWK == nil)
    }

    @Test func `A key of Swift Crypto's is read, and Swift Crypto verifies what it signs`() throws {
        let own = P256.Signing.PrivateKey()
        let key = try DataP256PrivateKey(data: own.x963Representation)
        let token = try #require(Token(try JWT.signed(["a": "b"], with: key)))
        #expect(token.signature.count == 64 && token.header["alg"] == .string("ES256"))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: token.signature)
        #expect(own.publicKey.isValidSignature(signature, for: token.input))
        let jwk = try #require(try key.verificationKey().ellipticJWK)
        #expect(Token.data(jwk.x) == own.publicKey.rawRepresentation.prefix(32))
        #expect(Token.data(jwk.y) == own.publicKey.rawRepresentation.suffix(32))
        #expect(try key.verificationKey().jwk == nil)

        let rsa = try _RSA.Signing.PrivateKey(derRepresentation: Samples.rsa.get().data)
        let signed = try #require(Token(try JWT.signed(["a": "b"], with: Samples.rsa.get())))
        #expect(
            rsa.publicKey.isValidSignature(
                .init(rawRepresentation: signed.signature), for: SHA256.hash(data: signed.input),
                padding: .insecurePKCS1v1_5))
    }

    @Test func `Bytes that are no key, or another kind, are refused`() throws {
        let openSSL = try OpenSSL()
        try openSSL.run("genrsa", "-traditional", "-out", "small.pem", "1024")
        try openSSL.run("rsa", "-in", "small.pem", "-traditional", "-outform", "DER", "-out", "small.der")
        let small = try openSSL.read("small.der")
        let elliptic = try DataP256PrivateKey.new()
        var damaged = try Samples.rsa.get().data
        damaged.removeLast()
        let table: [(String, () throws -> Void)] = [
            ("empty", { _ = try DataRSAPrivateKey(data: Data()) }),
            ("damaged", { _ = try DataRSAPrivateKey(data: damaged) }),
            ("1024 bits", { _ = try DataRSAPrivateKey(data: small) }),
            ("P-256 as RSA", { _ = try DataRSAPrivateKey(data: elliptic.data) }),
            ("P-256 as RSA key", { _ = try DataRSAPrivateKey(secKey: elliptic.secKey) }),
            ("RSA as P-256", { _ = try DataP256PrivateKey(data: Samples.rsa.get().data) }),
            ("P-384 as P-256", { _ = try DataP256PrivateKey(data: P384.Signing.PrivateKey().x963Representation) }),
            ("P-384", { _ = try AsymmetricPublicKey(privateKey: Self.p384()) }),
        ]
        for (name, read) in table {
            do {
                try read()
                Issue.record("\(name) was taken")
            } catch {
                #expect((error as? GuardianError)?.code == "a0.guardian.internal.invalid.assymmetric_key", "\(name)")
            }
        }
    }

    private static func p384() throws -> SecKey {
        let parameters: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 384,
        ]
        return try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
    }

    @Test func `A key that knows only how to sign enrols and answers`() async throws {
        let signer = ForeignSigner()
        let server = StandIn()
        _ = try await server.authentication(TestDevice(signingKey: signer)).allow(notification: TestNotification())
            .start()
        let token = try #require(Token(server.body["challenge_response"]?.stringValue))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: token.signature)
        #expect(signer.key.publicKey.isValidSignature(signature, for: token.input))
        #expect(try signer.verificationKey().ellipticJWK != nil)
    }

    /// More than there are threads in Swift's pool.
    @Test func `Keys that wait for a prompt do not block other calls`() async throws {
        let key = WaitingKey()
        let server = StandIn()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<16 {
                tasks.addTask {
                    try await server.authentication(TestDevice(signingKey: key))
                        .allow(notification: TestNotification()).start()
                }
            }
            // This goes on while they wait, or they wait in vain.
            while !key.isWaiting { await Task.yield() }
            for _ in 0..<16 { key.somebody.signal() }
            try await tasks.waitForAll()
        }
        #expect(server.requests.count == 16)
    }

    @Test func `The name that a machine gives itself is the same each time and says nothing of it`() {
        let name = LocalDevice.identifier(machine: "0123456789abcdef", program: "app")
        #expect(name == LocalDevice.identifier(machine: "0123456789abcdef", program: "app"))
        #expect(name != LocalDevice.identifier(machine: "0123456789abcdef", program: "other"))
        #expect(name != LocalDevice.identifier(machine: "0123456789abcdee", program: "app"))
        #expect(UUID(uuidString: name)?.uuidString == name && !LocalDevice.name.isEmpty)
        #expect(LocalDevice.identifier == LocalDevice.identifier)
    }
}

/// A signer that has no private `SecKey`, as a chip of the app's own would be.
private struct ForeignSigner: SigningKey {
    let key = P256.Signing.PrivateKey()
    var signsAtOnce: Bool { false }

    var secKey: SecKey {
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeyClass as String: kSecAttrKeyClassPublic,
        ]
        let data = key.publicKey.x963Representation
        guard let key = SecKeyCreateWithData(data as CFData, attributes as CFDictionary, nil) else {
            fatalError("a public key of Swift Crypto's is one")
        }
        return key
    }

    func signature(for message: Data) throws -> Data {
        try key.signature(for: message).rawRepresentation
    }
}

/// A key whose user takes a while.
private final class WaitingKey: SigningKey {
    private let signer = ForeignSigner()
    private let count = Locked(0)
    let somebody = DispatchSemaphore(value: 0)

    var isWaiting: Bool { count.current > 0 }
    var signsAtOnce: Bool { false }
    var secKey: SecKey { signer.secKey }

    func signature(for message: Data) throws -> Data {
        count.withLock { $0 += 1 }
        guard somebody.wait(timeout: .now() + 600) == .success else { throw CancellationError() }
        return try signer.signature(for: message)
    }
}
