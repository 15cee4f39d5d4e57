/// The public key of a credential in its COSE form (RFC 9052, section 7; WebAuthn Level 3, section 6.5.1.1).
///
/// Takes keys of ES256, ES384, ES512 (uncompressed points of P-256, P-384, P-521), EdDSA (Ed25519) and RS256 (2,048 to 8,192 bits),
/// and refuses everything else: other algorithms and curves, compressed points, points that are not on their curve, keys with a
/// private part, points of small order. Labels that no check asks for are passed over. Whether a point of Ed25519 is on its curve shows
/// only with the first signature, which is wrong if it is not.
public struct COSEPublicKey: Sendable {
    /// The key to the letter, as the authenticator sent it.
    public let encoded: [UInt8]
    /// The one algorithm that the key's signatures may have.
    public let algorithm: COSEAlgorithm
    let key: VerificationKey

    /// Reads a key; nothing may come after it.
    public init(_ encoded: [UInt8]) throws(PasskeyFault) {
        let item: CBOR
        do { item = try CBORReader.item(in: encoded[...]) } catch { throw .malformedPublicKey }
        try self.init(COSEKeyFields(item), encoded: encoded)
    }

    init(_ fields: COSEKeyFields, encoded: [UInt8]) throws(PasskeyFault) {
        self.encoded = encoded
        algorithm = fields.algorithm
        do { key = try fields.key() } catch { throw .invalidPublicKey }
    }

    /// Whether the signature over these bytes was made with the key's private half.
    public func isValidSignature(_ signature: [UInt8], for data: [UInt8]) -> Bool {
        key.isValid(signature[...], over: data, by: algorithm)
    }
}

extension COSEPublicKey: Hashable {
    public static func == (one: Self, other: Self) -> Bool { one.encoded == other.encoded }

    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }
}

/// The parts of a COSE key whose form is right. Whether its numbers are a key is not known yet: that comes after the question
/// whether the algorithm was offered.
struct COSEKeyFields {
    let algorithm: COSEAlgorithm
    private let parts: Parts

    private enum Parts {
        case point(x: ArraySlice<UInt8>, y: ArraySlice<UInt8>)
        case octets(ArraySlice<UInt8>)
        case rsa(modulus: ArraySlice<UInt8>, exponent: ArraySlice<UInt8>)
    }

    init(_ item: CBOR) throws(PasskeyFault) {
        // Labels: 1 is kty, 3 is alg, -1 crv or n, -2 x or e, -3 y or d, -4 d (RFC 9053, section 7; RFC 8230, section 4).
        guard item.isMap, let type = item[1]?.integer, let number = item[3]?.integer, let number = Int(exactly: number)
        else { throw .malformedPublicKey }
        algorithm = COSEAlgorithm(rawValue: number)
        guard COSEAlgorithm.supported.contains(algorithm) else { throw .unsupportedAlgorithm(algorithm) }
        switch algorithm {
        case .rs256:
            guard type == 3, let modulus = item[-1]?.bytes, let exponent = item[-2]?.bytes, item[-3] == nil
            else { throw .malformedPublicKey }
            parts = .rsa(modulus: modulus, exponent: exponent)
        case .edDSA:
            guard type == 1, let curve = item[-1]?.integer, let x = item[-2]?.bytes, item[-4] == nil
            else { throw .malformedPublicKey }
            // 7 is Ed448, under the same algorithm.
            guard curve == 6 else { throw .unsupportedAlgorithm(algorithm) }
            guard x.count == 32 else { throw .malformedPublicKey }
            parts = .octets(x)
        default:
            let (curve, size): (Int64, Int) =
                switch algorithm {
                case .es256: (1, 32)
                case .es384: (2, 48)
                default: (3, 66)
                }
            // A compressed point has a boolean for y.
            guard type == 2, item[-1]?.integer == curve, let x = item[-2]?.bytes, let y = item[-3]?.bytes,
                x.count == size, y.count == size, item[-4] == nil
            else { throw .malformedPublicKey }
            parts = .point(x: x, y: y)
        }
    }

    /// The two coordinates, of a key on a curve of NIST.
    var point: (x: ArraySlice<UInt8>, y: ArraySlice<UInt8>)? {
        if case .point(let x, let y) = parts { (x, y) } else { nil }
    }

    /// - Throws: where the numbers are no key.
    func key() throws -> VerificationKey {
        switch parts {
        case .point(let x, let y): try VerificationKey(point: [4] + x + y, algorithm: algorithm)
        case .octets(let bytes): try .ed25519(bytes)
        case .rsa(let modulus, let exponent): try .rsa(modulus: modulus, exponent: exponent)
        }
    }
}
