#if !canImport(Security)
    import Crypto
    import CryptoExtras
    import Foundation
    import KeychainTypes

    /// The private half of a key, in memory. Swift Crypto wipes its numbers when the last reference goes.
    enum PrivateKey: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)

        init(generating type: KeyType) throws(KeychainError) {
            switch type {
            case .rsa(let bits):
                do {
                    self = .rsa(try _RSA.Signing.PrivateKey(keySize: .init(bitCount: bits)))
                } catch {
                    throw .status(errSecInternal)
                }
            case .p256: self = .p256(P256.Signing.PrivateKey())
            case .p384: self = .p384(P384.Signing.PrivateKey())
            case .p521: self = .p521(P521.Signing.PrivateKey())
            }
        }

        /// - Parameter bytes: PKCS #1 for RSA, `04‖X‖Y‖K` (X9.63) for elliptic curves. They are read where they lie.
        init(_ bytes: LockedBytes, isRSA: Bool) throws(KeychainError) {
            self = try bytes.withBytes { (bytes) throws(KeychainError) in try Self(bytes, isRSA: isRSA) }
        }

        private init(_ bytes: UnsafeRawBufferPointer, isRSA: Bool) throws(KeychainError) {
            do {
                if isRSA {
                    guard PKCS1.isPrivateKey(bytes) else { throw CryptoKitError.invalidParameter }
                    self = .rsa(try _RSA.Signing.PrivateKey(derRepresentation: bytes))
                } else {
                    switch bytes.count {
                    case 1 + 3 * 32: self = .p256(try P256.Signing.PrivateKey(x963Representation: bytes))
                    case 1 + 3 * 48: self = .p384(try P384.Signing.PrivateKey(x963Representation: bytes))
                    case 1 + 3 * 66: self = .p521(try P521.Signing.PrivateKey(x963Representation: bytes))
                    default: throw CryptoKitError.incorrectParameterSize
                    }
                }
            } catch {
                throw .parameter(
                    isRSA
                        ? "no RSA private key of 2048 bits or more in PKCS #1"
                        : "no private key of P-256, P-384 or P-521 in X9.63")
            }
            _ = try KeyType(typeNumber: type.typeNumber, bits: Int64(type.bits))
        }

        var type: KeyType { publicKey.type }

        var publicKey: PublicKey {
            switch self {
            case .rsa(let key): .rsa(key.publicKey)
            case .p256(let key): .p256(key.publicKey)
            case .p384(let key): .p384(key.publicKey)
            case .p521(let key): .p521(key.publicKey)
            }
        }

        /// What ``init(_:isRSA:)`` reads. Swift Crypto hands it out in ordinary memory, which is overwritten here.
        var externalRepresentation: LockedBytes {
            var data: Data =
                switch self {
                case .rsa(let key): key.derRepresentation
                case .p256(let key): key.x963Representation
                case .p384(let key): key.x963Representation
                case .p521(let key): key.x963Representation
                }
            defer { data.resetBytes(in: data.startIndex..<data.endIndex) }
            return LockedBytes(data)
        }

        func signature(of data: Data, _ scheme: SignatureScheme) throws(KeychainError) -> Data {
            try scheme.withDigest(of: data) { (digest) throws(KeychainError) in
                do {
                    return try signature(digest, scheme)
                } catch {
                    throw .status(errSecInternal)
                }
            }
        }

        private func signature(_ digest: some Digest, _ scheme: SignatureScheme) throws -> Data {
            let isDER = scheme.form == .x962
            switch self {
            case .rsa(let key): return try key.signature(for: digest, padding: scheme.padding).rawRepresentation
            case .p256(let key):
                let signature = try key.signature(for: digest)
                return isDER ? signature.derRepresentation : signature.rawRepresentation
            case .p384(let key):
                let signature = try key.signature(for: digest)
                return isDER ? signature.derRepresentation : signature.rawRepresentation
            case .p521(let key):
                let signature = try key.signature(for: digest)
                return isDER ? signature.derRepresentation : signature.rawRepresentation
            }
        }
    }
#endif
