import Crypto
import CryptoExtras
import Foundation
import Testing

@testable import CountersignCore

@Suite struct RSASignerTests {
    private static let key = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    private static func digest(_ text: String) -> SHA256.Digest { SHA256.hash(data: Data(text.utf8)) }

    private static func expected(_ text: String, by key: _RSA.Signing.PrivateKey) throws -> Data {
        try key.signature(for: digest(text), padding: .insecurePKCS1v1_5).rawRepresentation
    }

    #if os(Linux)
        @Test func `The system's OpenSSL signs, where libpq and libcurl bring it`() throws {
            #expect(RSASigner(try Self.key.get()).isOfSystem)
        }
    #endif

    @Test func `A signature is the one of RFC 8017, bit for bit`() throws {
        let key = try Self.key.get()
        let signer = RSASigner(key)
        for text in ["", "a", "another message"] {
            let signature = try signer.signature(of: Self.digest(text))
            #expect(signature == (try Self.expected(text, by: key)))
        }
    }

    @Test func `A longer key signs with as many bytes as it has`() throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits3072)
        let signature = try RSASigner(key).signature(of: Self.digest("text"))
        #expect(signature == (try Self.expected("text", by: key)))
        #expect(signature.count == 384)
    }

    @Test func `Many threads sign with one key at once`() async throws {
        let key = try Self.key.get()
        let signer = RSASigner(key)
        try await withThrowingTaskGroup(of: (String, Data).self) { group in
            for number in 0..<64 {
                group.addTask { ("\(number)", try signer.signature(of: Self.digest("\(number)"))) }
            }
            for try await (text, signature) in group {
                #expect(signature == (try Self.expected(text, by: key)))
            }
        }
    }
}
