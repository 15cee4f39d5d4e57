import Crypto
import Foundation
import Testing

@testable import KeychainTPM

/// Keys outside of the TPM: bytes, key files, and what is refused.
@Suite struct KeyBlobTests {
    private func point() -> (x: [UInt8], y: [UInt8]) {
        let raw = Array(P256.Signing.PrivateKey().publicKey.rawRepresentation)
        return (Array(raw[..<32]), Array(raw[32...]))
    }

    private func object(
        _ kind: PublicArea.Kind, attributes: ObjectAttributes? = nil, parentName: [UInt8]? = nil,
        hasAuthorization: Bool = true, privateArea: [UInt8] = [1, 2, 3]
    ) throws -> TPMObject {
        let usual: ObjectAttributes = [.fixedTPM, .fixedParent, .userWithAuth, .sensitiveDataOrigin, .sign]
        return try TPMObject(
            publicArea: PublicArea(attributes: attributes ?? usual, kind: kind), privateArea: privateArea,
            parent: .ownerPrimary, parentName: parentName, hasAuthorization: hasAuthorization)
    }

    private var kinds: [PublicArea.Kind] {
        let (x, y) = point()
        return [
            .eccSigning(x: x, y: y),
            .rsaSigning(bits: 2048, exponent: 0, modulus: [UInt8](repeating: 0xC1, count: 256)),
            .rsaSigning(bits: 4096, exponent: 65537, modulus: [UInt8](repeating: 0xC1, count: 512)),
        ]
    }

    @Test func `A key survives bytes, key files and Codable`() throws {
        for kind in kinds {
            for hasAuthorization in [true, false] {
                let name = [0, 11] + [UInt8](repeating: 7, count: 32)
                let key = try TPMKeyBlob(object(kind, parentName: name, hasAuthorization: hasAuthorization))
                #expect(try TPMKeyBlob(bytes: key.bytes) == key)
                #expect(try JSONDecoder().decode(TPMKeyBlob.self, from: JSONEncoder().encode(key)) == key)
                let read = try TPMKeyBlob(keyFilePEM: key.keyFilePEM)
                #expect(read.object.parentName == nil)
                #expect(read.publicKey == key.publicKey)
                #expect(read.object.privateArea == key.object.privateArea)
                #expect(read.hasAuthorization == hasAuthorization)
                #expect(try TPMKeyBlob(keyFile: key.keyFile) == read)
            }
        }
    }

    @Test func `A sealed secret survives as well, and is no key`() throws {
        let digest = [UInt8](repeating: 1, count: 32)
        let sealed = try TPMSealedBlob(
            object(.sealedData(unique: digest), attributes: [.fixedTPM, .fixedParent, .userWithAuth]))
        #expect(try TPMSealedBlob(bytes: sealed.bytes) == sealed)
        #expect(try JSONDecoder().decode(TPMSealedBlob.self, from: JSONEncoder().encode(sealed)) == sealed)
        #expect(try TPMSealedBlob(keyFilePEM: sealed.keyFilePEM).object.publicArea == sealed.object.publicArea)
        #expect(throws: TPMError.self) { try TPMKeyBlob(bytes: sealed.bytes) }
        #expect(throws: TPMError.self) { try TPMKeyBlob(keyFile: sealed.keyFile) }
        #expect(throws: TPMError.self) { try TPMSealedBlob(bytes: TPMKeyBlob(object(kinds[0])).bytes) }
    }

    @Test func `A key that is cut off anywhere, or too long, is refused`() throws {
        let key = try TPMKeyBlob(object(kinds[0], parentName: [UInt8](repeating: 7, count: 34)))
        for count in 0..<key.bytes.count {
            #expect(throws: TPMError.self) { try TPMKeyBlob(bytes: key.bytes.prefix(count)) }
        }
        for count in 0..<key.keyFile.count {
            #expect(throws: TPMError.self) { try TPMKeyBlob(keyFile: key.keyFile.prefix(count)) }
        }
        #expect(throws: TPMError.self) { try TPMKeyBlob(bytes: key.bytes + [0]) }
        #expect(throws: TPMError.self) { try TPMKeyBlob(keyFile: key.keyFile + [0]) }
        #expect(throws: TPMError.self) { try TPMKeyBlob(keyFile: Data(count: 100_000)) }
    }

    @Test func `Changed bytes are refused or make another key, and never a crash`() throws {
        let key = try TPMKeyBlob(object(kinds[1], parentName: [UInt8](repeating: 7, count: 34)))
        for position in key.bytes.indices {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var damaged = key.bytes
                damaged[position] ^= change
                if let read = try? TPMKeyBlob(bytes: damaged) { #expect(read != key) }
            }
        }
        for position in key.keyFile.indices {
            var damaged = key.keyFile
            damaged[position] ^= 0x81
            if let read = try? TPMKeyBlob(keyFile: damaged) { #expect(read.keyFile != key.keyFile) }
        }
    }

    @Test func `Only keys that sign, by an authorization value, with the algorithms we know, are keys`() throws {
        let usual: ObjectAttributes = [.fixedTPM, .fixedParent, .userWithAuth, .sign]
        let (x, y) = point()
        let refused: [(PublicArea.Kind, ObjectAttributes)] = [
            (.eccSigning(x: x, y: y), usual.subtracting(.userWithAuth)),
            (.eccSigning(x: x, y: y), usual.subtracting(.sign)),
            (.eccSigning(x: x, y: y), usual.union(.restricted)),
            (.eccSigning(x: x, y: x), usual),
            (.eccSigning(x: [], y: []), usual),
            (.storage(x: x, y: y), usual),
            (.rsaSigning(bits: 1024, exponent: 0, modulus: [UInt8](repeating: 0xC1, count: 128)), usual),
            (.rsaSigning(bits: 2048, exponent: 3, modulus: [UInt8](repeating: 0xC1, count: 256)), usual),
            (.rsaSigning(bits: 2048, exponent: 0, modulus: []), usual),
            (.rsaSigning(bits: 2048, exponent: 0, modulus: [UInt8](repeating: 0x01, count: 256)), usual),
        ]
        for (kind, attributes) in refused {
            #expect(throws: TPMError.self) { try TPMKeyBlob(object(kind, attributes: attributes)) }
        }
        #expect(throws: TPMError.self) { try object(.eccSigning(x: x, y: y), privateArea: []) }
        #expect(throws: TPMError.self) {
            try object(.eccSigning(x: x, y: y), privateArea: [UInt8](repeating: 0, count: 2049))
        }
    }

    @Test(arguments: [
        ("a key to import", [UInt32]([2, 23, 133, 10, 1, 4]), [UInt8]([0x40, 0, 0, 1]), [UInt8]()),
        ("a policy", [2, 23, 133, 10, 1, 3], [0x40, 0, 0, 1], DER.explicit(1, [0x30, 0])),
        ("the endorsement hierarchy", [2, 23, 133, 10, 1, 3], [0x40, 0, 0, 0x0B], []),
        ("a parent of five bytes", [2, 23, 133, 10, 1, 3], [0x01, 0x40, 0, 0, 1], []),
        ("a transient parent", [2, 23, 133, 10, 1, 3], [0x80, 0, 0, 0], []),
    ])
    func `Key files that ask for more than we do are refused`(
        _ what: String, _ type: [UInt32], _ parent: [UInt8], _ option: [UInt8]
    ) throws {
        let area = try object(kinds[0]).publicArea
        func file(_ type: [UInt32], _ parent: [UInt8], _ option: [UInt8]) -> Data {
            Data(
                DER.sequence(
                    DER.objectIdentifier(type), option, DER.integer(parent),
                    DER.octetString(WireWriter.bytes { $0.putSized(area.encoded) }),
                    DER.octetString(WireWriter.bytes { $0.putSized([1, 2, 3]) })))
        }
        #expect(throws: TPMError.self) { try TPMKeyBlob(keyFile: file(type, parent, option)) }
        _ = try TPMKeyBlob(keyFile: file([2, 23, 133, 10, 1, 3], [0x40, 0, 0, 1], DER.explicit(4, [0x0C, 1, 0x61])))
    }

    @Test(arguments: [
        "", "-----BEGIN TSS2 PRIVATE KEY-----\n",
        "-----BEGIN TSS2 PRIVATE KEY-----\n!\n-----END TSS2 PRIVATE KEY-----\n",
        "-----END TSS2 PRIVATE KEY-----\n-----BEGIN TSS2 PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----",
    ])
    func `Text without a key file is refused`(_ text: String) {
        #expect(throws: TPMError.self) { try TPMKeyBlob(keyFilePEM: text) }
    }

    @Test func `DER has one form for each length`() throws {
        for count in [0, 0x7F, 0x80, 0xFF, 0x100, 0x1234] {
            let content = [UInt8](repeating: 5, count: count)
            var reader = DERReader(DER.octetString(content))
            #expect(try reader.content(0x04) == content)
            try reader.finish()
        }
        for wrong: [UInt8] in [
            [0x04, 0x81, 0x01, 5], [0x04, 0x82, 0x00, 0x01, 5], [0x04, 0x80], [0x04, 0x84, 0, 0, 0, 1, 5],
        ] {
            #expect(throws: WireReader.Fault.self) {
                var reader = DERReader(wrong)
                _ = try reader.content(0x04)
            }
        }
        #expect(DER.integer([0x00, 0x80]) == [0x02, 0x02, 0x00, 0x80])
        #expect(DER.integer([0x00]) == [0x02, 0x01, 0x00])
        #expect(DER.objectIdentifier([2, 23, 133, 10, 1, 3]) == [0x06, 0x06, 0x67, 0x81, 0x05, 0x0A, 0x01, 0x03])
    }
}
