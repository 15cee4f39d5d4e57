#if !canImport(Security)
    import Crypto
    import CryptoExtras
    import Foundation
    import KeychainTypes

    /// The public half of a key.
    enum PublicKey: Sendable {
        case rsa(_RSA.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case p521(P521.Signing.PublicKey)

        /// - Parameter data: PKCS #1 for RSA, `04‖X‖Y` (X9.63) for elliptic curves.
        init(_ data: Data, isRSA: Bool) throws(KeychainError) {
            do {
                if isRSA {
                    guard data.withUnsafeBytes({ PKCS1.isPublicKey($0) }) else { throw CryptoKitError.invalidParameter }
                    self = .rsa(try _RSA.Signing.PublicKey(derRepresentation: data))
                } else {
                    switch data.count {
                    case 1 + 2 * 32: self = .p256(try P256.Signing.PublicKey(x963Representation: data))
                    case 1 + 2 * 48: self = .p384(try P384.Signing.PublicKey(x963Representation: data))
                    case 1 + 2 * 66: self = .p521(try P521.Signing.PublicKey(x963Representation: data))
                    default: throw CryptoKitError.incorrectParameterSize
                    }
                }
            } catch {
                throw .parameter(
                    isRSA
                        ? "no RSA public key of 2048 bits or more in PKCS #1"
                        : "no point of P-256, P-384 or P-521 in X9.63")
            }
            _ = try KeyType(typeNumber: type.typeNumber, bits: Int64(type.bits))
        }

        var type: KeyType {
            switch self {
            case .rsa(let key): .rsa(bits: key.keySizeInBits)
            case .p256: .p256
            case .p384: .p384
            case .p521: .p521
            }
        }

        var externalRepresentation: Data {
            switch self {
            case .rsa(let key): key.pkcs1DERRepresentation
            case .p256(let key): key.x963Representation
            case .p384(let key): key.x963Representation
            case .p521(let key): key.x963Representation
            }
        }

        /// `SubjectPublicKeyInfo`, as most other software reads it.
        var subjectPublicKeyInfo: Data {
            switch self {
            case .rsa(let key): key.derRepresentation
            case .p256(let key): key.derRepresentation
            case .p384(let key): key.derRepresentation
            case .p521(let key): key.derRepresentation
            }
        }

        /// `kSecAttrApplicationLabel`: SHA-1 of the external representation, for public and private key alike.
        var applicationLabel: Data { Data(Insecure.SHA1.hash(data: externalRepresentation)) }

        /// Whether `signature` is one of `data`. A malformed one is not.
        func verifies(_ signature: Data, of data: Data, _ scheme: SignatureScheme) throws(KeychainError) -> Bool {
            try scheme.withDigest(of: data) { (digest) throws(KeychainError) in
                verifies(signature, digest, scheme)
            }
        }

        private func verifies(_ signature: Data, _ digest: some Digest, _ scheme: SignatureScheme) -> Bool {
            switch self {
            case .rsa(let key):
                key.isValidSignature(.init(rawRepresentation: signature), for: digest, padding: scheme.padding)
            case .p256(let key):
                (scheme.form == .x962
                    ? try? P256.Signing.ECDSASignature(derRepresentation: signature)
                    : try? P256.Signing.ECDSASignature(rawRepresentation: signature))
                    .map { key.isValidSignature($0, for: digest) } ?? false
            case .p384(let key):
                (scheme.form == .x962
                    ? try? P384.Signing.ECDSASignature(derRepresentation: signature)
                    : try? P384.Signing.ECDSASignature(rawRepresentation: signature))
                    .map { key.isValidSignature($0, for: digest) } ?? false
            case .p521(let key):
                (scheme.form == .x962
                    ? try? P521.Signing.ECDSASignature(derRepresentation: signature)
                    : try? P521.Signing.ECDSASignature(rawRepresentation: signature))
                    .map { key.isValidSignature($0, for: digest) } ?? false
            }
        }
    }

    extension SignatureScheme {
        var padding: _RSA.Signing.Padding { form == .pss ? .PSS : .insecurePKCS1v1_5 }
    }
#endif
