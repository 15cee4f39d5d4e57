import Crypto

extension AttestationStatement {
    /// Section 8.3: a TPM certifies the credential's key with a key of its own.
    @Sendable static func verifyTPM(_ statement: AttestationStatement) throws(AttestationFault) -> Basis {
        guard statement.object.statement["ver"]?.text == "2.0" else { throw .malformedStatement }
        let algorithm = try statement.algorithm()
        let signature = try statement.bytes("sig")
        let publicArea = try statement.bytes("pubArea")
        let info = try statement.bytes("certInfo")
        let chain = try statement.certificates()
        let leaf = chain[0]

        guard let area = TPMPublicArea(publicArea) else { throw .malformedStatement }
        guard area.isSame(as: statement.fields, statement.key) else { throw .publicKeyMismatch }
        guard let certified = TPMCertifyInfo(info) else { throw .malformedStatement }
        // `extraData` is a digest by the hash of `alg`.
        let digest: [UInt8] =
            switch algorithm.scheme {
            case .ecdsa(.sha384), .rsaPKCS1(.sha384): Array(SHA384.hash(data: statement.signedBytes))
            case .ecdsa(.sha512), .rsaPKCS1(.sha512): Array(SHA512.hash(data: statement.signedBytes))
            case .ecdsa(.sha256), .rsaPKCS1(.sha256): Array(SHA256.hash(data: statement.signedBytes))
            case .ed25519, nil: throw .unsupportedAlgorithm
            }
        guard certified.extraData.elementsEqual(digest) else { throw .ceremonyMismatch }
        guard let name = area.name, certified.name.elementsEqual(name) else { throw .publicKeyMismatch }
        guard let key = leaf.key, key.isValid(signature, over: Array(info), by: algorithm) else {
            throw .invalidSignature
        }
        try checkTPMCertificate(leaf)
        try statement.checkAAGUID(of: leaf)
        return .certificates(chain)
    }

    /// Section 8.3.1. Which manufacturers there are is left to the roots: a list of ids would say nothing about who signed.
    private static func checkTPMCertificate(_ leaf: AttestationCertificate) throws(AttestationFault) {
        guard leaf.isVersion3, leaf.subject.isEmpty, leaf.isAuthority == false,
            leaf.extendedKeyUsages.contains(.tpmAttestationKey),
            // Manufacturer, model and version (TPM 2.0 EK Credential Profile, section 3.2.9).
            [.tpmManufacturer, .tpmModel, .tpmVersion].allSatisfy({ type in
                leaf.alternativeDirectoryName.contains { $0.type == type && !$0.text.isEmpty }
            })
        else { throw .certificateRequirements }
    }
}

/// `TPMT_PUBLIC` (TPM 2.0 Library, part 2, section 12.2.4), of keys for signatures.
struct TPMPublicArea {
    private let encoded: ArraySlice<UInt8>
    private let nameAlgorithm: UInt16
    private let unique: Unique

    private enum Unique {
        case point(curve: UInt16, x: ArraySlice<UInt8>, y: ArraySlice<UInt8>)
        case rsa(modulus: ArraySlice<UInt8>, exponent: UInt32)
    }

    private static let null: UInt16 = 0x0010

    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = BigEndianReader(bytes)
        guard let type = reader.uint16(), let nameAlgorithm = reader.uint16(), reader.uint32() != nil,
            reader.sized() != nil, let symmetric = reader.uint16()
        else { return nil }
        // Key bits and mode of the cipher of a key that protects others.
        if symmetric != Self.null, reader.bytes(4) == nil { return nil }
        guard let scheme = reader.uint16() else { return nil }
        // The hash of the scheme.
        if scheme != Self.null, reader.bytes(2) == nil { return nil }
        switch type {
        case 0x0001:
            guard reader.uint16() != nil, let exponent = reader.uint32(), let modulus = reader.sized() else {
                return nil
            }
            unique = .rsa(modulus: modulus, exponent: exponent == 0 ? 65_537 : exponent)
        case 0x0023:
            guard let curve = reader.uint16(), let derivation = reader.uint16() else { return nil }
            if derivation != Self.null, reader.bytes(2) == nil { return nil }
            guard let x = reader.sized(), let y = reader.sized() else { return nil }
            unique = .point(curve: curve, x: x, y: y)
        default: return nil
        }
        guard reader.rest.isEmpty else { return nil }
        encoded = bytes
        self.nameAlgorithm = nameAlgorithm
    }

    /// `nameAlg ‖ H(TPMT_PUBLIC)` (part 1, section 16); nil for hashes that are too weak or unknown.
    var name: [UInt8]? {
        let digest: [UInt8]
        switch nameAlgorithm {
        case 0x000B: digest = Array(SHA256.hash(data: Array(encoded)))
        case 0x000C: digest = Array(SHA384.hash(data: Array(encoded)))
        case 0x000D: digest = Array(SHA512.hash(data: Array(encoded)))
        default: return nil
        }
        return [UInt8(nameAlgorithm >> 8), UInt8(nameAlgorithm & 0xFF)] + digest
    }

    func isSame(as fields: COSEKeyFields, _ key: COSEPublicKey) -> Bool {
        switch unique {
        case .point(let curve, let x, let y):
            let expected: UInt16? =
                switch key.algorithm {
                case .es256: 0x0003
                case .es384: 0x0004
                case .es512: 0x0005
                default: nil
                }
            guard curve == expected, let point = fields.point else { return false }
            return Self.isSameNumber(x, point.x) && Self.isSameNumber(y, point.y)
        case .rsa(let modulus, let exponent):
            let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: exponent >> UInt32($0)) }
            guard
                let own = try? VerificationKey.rsa(
                    modulus: modulus, exponent: bytes.drop { $0 == 0 })
            else { return false }
            return own.representation == key.key.representation
        }
    }

    /// Some TPMs leave zeros out that stand in front.
    private static func isSameNumber(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        one.drop { $0 == 0 }.elementsEqual(other.drop { $0 == 0 })
    }
}

/// `TPMS_ATTEST` of a certified key (TPM 2.0 Library, part 2, section 10.12.12).
struct TPMCertifyInfo {
    let extraData: ArraySlice<UInt8>
    /// The name of the key that is certified.
    let name: ArraySlice<UInt8>

    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = BigEndianReader(bytes)
        // TPM_GENERATED_VALUE and TPM_ST_ATTEST_CERTIFY; then the signer's name, and after the data clock (17) and firmware (8).
        guard reader.uint32() == 0xFF54_4347, reader.uint16() == 0x8017, reader.sized() != nil,
            let data = reader.sized(), reader.bytes(25) != nil, let name = reader.sized(), reader.sized() != nil,
            reader.rest.isEmpty
        else { return nil }
        extraData = data
        self.name = name
    }
}
