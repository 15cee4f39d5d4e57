import Crypto

/// The three members of an attestation object (WebAuthn Level 3, section 6.5.4).
struct AttestationObject {
    static let formatLimit = 32

    let format: String
    let statement: CBOR
    let authenticatorData: [UInt8]

    var isStatementEmpty: Bool { if case .map(let members) = statement { members.isEmpty } else { false } }

    init(_ bytes: [UInt8]) throws(CBORFault) {
        let item = try CBORReader.item(in: bytes[...])
        // "The attestation statement format identifier […] MUST be a maximum of 32 octets" (section 8.1).
        guard let format = item["fmt"]?.text, (1...Self.formatLimit).contains(format.utf8.count),
            let statement = item["attStmt"], statement.isMap, let data = item["authData"]?.bytes
        else { throw .unsupportedItem }
        self.format = format
        self.statement = statement
        authenticatorData = Array(data)
    }
}

/// A statement together with everything that it may be about.
struct AttestationStatement {
    /// The most certificates of a chain.
    static let chainLimit = 6

    let object: AttestationObject
    let data: AuthenticatorData
    let credential: AttestedCredential
    let fields: COSEKeyFields
    let key: COSEPublicKey
    let clientDataHash: [UInt8]

    /// What a right statement rests on.
    enum Basis {
        case nothing
        case ownKey
        /// The leaf comes first.
        case certificates([AttestationCertificate])
    }

    typealias Verification = @Sendable (AttestationStatement) throws(AttestationFault) -> Basis

    /// Every format that is verified, by its identifier in IANA's registry. `android-safetynet` is retired.
    static let formats: [String: Verification] = [
        "none": verifyNone, "packed": verifyPacked, "fido-u2f": verifyFIDOU2F, "tpm": verifyTPM,
        "android-key": verifyAndroidKey, "apple": verifyApple,
    ]

    /// `authData ‖ SHA-256(clientDataJSON)`: what most formats sign.
    var signedBytes: [UInt8] { data.encoded + clientDataHash }

    /// Section 8.7.
    @Sendable static func verifyNone(_ statement: AttestationStatement) throws(AttestationFault) -> Basis {
        guard statement.object.isStatementEmpty else { throw .malformedStatement }
        return .nothing
    }

    /// The member `alg`, if it names an algorithm that is verified.
    func algorithm() throws(AttestationFault) -> COSEAlgorithm {
        guard let number = object.statement["alg"]?.integer, let number = Int(exactly: number) else {
            throw .malformedStatement
        }
        let algorithm = COSEAlgorithm(rawValue: number)
        guard COSEAlgorithm.supported.contains(algorithm) else { throw .unsupportedAlgorithm }
        return algorithm
    }

    func bytes(_ name: String) throws(AttestationFault) -> ArraySlice<UInt8> {
        guard let bytes = object.statement[name]?.bytes else { throw .malformedStatement }
        return bytes
    }

    /// The member `x5c`: at least one certificate.
    func certificates() throws(AttestationFault) -> [AttestationCertificate] {
        guard case .array(let elements)? = object.statement["x5c"], (1...Self.chainLimit).contains(elements.count)
        else {
            throw .malformedStatement
        }
        var certificates: [AttestationCertificate] = []
        for element in elements {
            guard let bytes = element.bytes else { throw .malformedStatement }
            do { certificates.append(try AttestationCertificate(bytes)) } catch { throw .malformedCertificate }
        }
        return certificates
    }

    /// Sees that the certificate's extension, where there is one, names the authenticator's model, and is not critical.
    func checkAAGUID(of certificate: AttestationCertificate) throws(AttestationFault) {
        guard let found = certificate.extensions[.fidoAAGUID] else { return }
        guard !found.isCritical else { throw .certificateRequirements }
        guard let bytes = found.octetString() else { throw .malformedCertificate }
        guard bytes.elementsEqual(credential.aaguid.bytes) else { throw .aaguidMismatch }
    }
}
