import Crypto
import PasskeyTestSupport
import Passkeys
import Testing

@Suite struct COSEKeyTests {
    private static func point(_ algorithm: Int, _ curve: Int, _ raw: [UInt8]) -> [(CBORItem, CBORItem)] {
        [
            (.int(1), .int(2)), (.int(3), .int(algorithm)), (.int(-1), .int(curve)),
            (.int(-2), .bytes(Array(raw.prefix(raw.count / 2)))), (.int(-3), .bytes(Array(raw.suffix(raw.count / 2)))),
        ]
    }

    private static let p256 = Array(P256.Signing.PrivateKey().publicKey.rawRepresentation)

    private func read(_ members: [(CBORItem, CBORItem)]) throws -> COSEPublicKey {
        try COSEPublicKey(CBORItem.map(members).encoded)
    }

    @Test func `keys of all curves are read, and verify`() throws {
        let message = Array("message".utf8)
        let p256 = P256.Signing.PrivateKey()
        let p384 = P384.Signing.PrivateKey()
        let p521 = P521.Signing.PrivateKey()
        let ed25519 = Curve25519.Signing.PrivateKey()
        let pairs: [(COSEPublicKey, [UInt8])] = [
            (
                try read(Self.point(-7, 1, Array(p256.publicKey.rawRepresentation))),
                Array(try p256.signature(for: message).derRepresentation)
            ),
            (
                try read(Self.point(-35, 2, Array(p384.publicKey.rawRepresentation))),
                Array(try p384.signature(for: message).derRepresentation)
            ),
            (
                try read(Self.point(-36, 3, Array(p521.publicKey.rawRepresentation))),
                Array(try p521.signature(for: message).derRepresentation)
            ),
            (
                try read([
                    (.int(1), .int(1)), (.int(3), .int(-8)), (.int(-1), .int(6)),
                    (.int(-2), .bytes(Array(ed25519.publicKey.rawRepresentation))),
                ]), Array(try ed25519.signature(for: message))
            ),
        ]
        for (place, (key, signature)) in pairs.enumerated() {
            #expect(key.isValidSignature(signature, for: message))
            #expect(!key.isValidSignature(signature, for: message + [0]))
            #expect(!key.isValidSignature(signature + [0], for: message))
            #expect(!key.isValidSignature([], for: message))
            for (other, (_, foreign)) in pairs.enumerated() where other != place {
                #expect(!key.isValidSignature(foreign, for: message))
            }
        }
    }

    @Test func `the order of labels and labels of no check do not matter`() throws {
        let members = Self.point(-7, 1, Self.p256)
        _ = try read(members.reversed())
        _ = try read(members + [(.int(4), .array([.int(2)])), (.int(-70_000), .text("x"))])
    }

    @Test func `private parts are refused`() {
        #expect(throws: PasskeyFault.malformedPublicKey) {
            try read(Self.point(-7, 1, Self.p256) + [(.int(-4), .bytes([1]))])
        }
        let okp: [(CBORItem, CBORItem)] = [
            (.int(1), .int(1)), (.int(3), .int(-8)), (.int(-1), .int(6)),
            (.int(-2), .bytes(Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation))),
        ]
        #expect(throws: PasskeyFault.malformedPublicKey) { try read(okp + [(.int(-4), .bytes([1]))]) }
        #expect(throws: PasskeyFault.malformedPublicKey) {
            try read(Self.rsa(Self.modulus(bits: 2048), [1, 0, 1]) + [(.int(-3), .bytes([1]))])
        }
    }

    @Test func `points of other forms and curves are refused`() {
        var compressed = Self.point(-7, 1, Self.p256)
        compressed[4].1 = .bool(true)
        #expect(throws: PasskeyFault.malformedPublicKey) { try read(compressed) }
        #expect(throws: PasskeyFault.malformedPublicKey) { try read(Self.point(-7, 2, Self.p256)) }
        #expect(throws: PasskeyFault.malformedPublicKey) { try read(Self.point(-35, 1, Self.p256)) }
        #expect(throws: PasskeyFault.malformedPublicKey) { try read(Self.point(-7, 1, Self.p256 + [0, 0])) }
        #expect(throws: PasskeyFault.malformedPublicKey) { try read(Self.point(-7, 1, [])) }
        #expect(throws: PasskeyFault.invalidPublicKey) {
            try read(Self.point(-7, 1, [UInt8](repeating: 0, count: 64)))
        }
        #expect(throws: PasskeyFault.unsupportedAlgorithm(.edDSA)) {
            try read([
                (.int(1), .int(1)), (.int(3), .int(-8)), (.int(-1), .int(7)),
                (.int(-2), .bytes([UInt8](repeating: 3, count: 57))),
            ])
        }
        // The U2F form of a point is no COSE key.
        #expect(throws: PasskeyFault.malformedPublicKey) { try COSEPublicKey([4] + Self.p256) }
        #expect(throws: PasskeyFault.malformedPublicKey) { try COSEPublicKey([]) }
    }

    /// Points of Ed25519 with which anyone can sign, or whose signatures are right for other messages too.
    @Test(
        arguments: [
            [0x01], [0x00], [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
            [0x01] + [UInt8](repeating: 0, count: 30) + [0x80],
        ] as [[UInt8]])
    func `points of small order are refused`(start: [UInt8]) {
        let bytes = start + [UInt8](repeating: 0, count: 32 - start.count)
        #expect(throws: PasskeyFault.invalidPublicKey) {
            try read([(.int(1), .int(1)), (.int(3), .int(-8)), (.int(-1), .int(6)), (.int(-2), .bytes(bytes))])
        }
    }

    private static func rsa(_ modulus: [UInt8], _ exponent: [UInt8]) -> [(CBORItem, CBORItem)] {
        [(.int(1), .int(3)), (.int(3), .int(-257)), (.int(-1), .bytes(modulus)), (.int(-2), .bytes(exponent))]
    }

    /// An odd number of that many bits.
    private static func modulus(bits: Int) -> [UInt8] {
        let bytes = (bits + 7) / 8
        return [UInt8(1) << UInt8((bits - 1) % 8) | 1] + [UInt8](repeating: 0x5B, count: bytes - 1)
    }

    @Test(arguments: [2048, 2049, 2055, 3072, 3482, 4096, 8192])
    func `moduli from 2,048 to 8,192 bits are read, also of no whole number of bytes`(bits: Int) throws {
        _ = try read(Self.rsa(Self.modulus(bits: bits), [1, 0, 1]))
    }

    @Test func `other moduli and exponents are refused`() {
        for bits in [1024, 2047, 8193, 16_384] {
            #expect(throws: PasskeyFault.invalidPublicKey) { try read(Self.rsa(Self.modulus(bits: bits), [1, 0, 1])) }
        }
        let right = Self.modulus(bits: 2048)
        for exponent: [UInt8] in [[], [0], [1], [2], [1, 0, 0], [0, 1, 0, 1], [1, 0, 0, 0, 1]] {
            #expect(throws: PasskeyFault.invalidPublicKey) { try read(Self.rsa(right, exponent)) }
        }
        #expect(throws: PasskeyFault.invalidPublicKey) { try read(Self.rsa([0] + right, [1, 0, 1])) }
        #expect(throws: PasskeyFault.invalidPublicKey) { try read(Self.rsa(right.dropLast() + [0x5A], [1, 0, 1])) }
        #expect(throws: PasskeyFault.invalidPublicKey) { try read(Self.rsa([], [1, 0, 1])) }
    }
}
