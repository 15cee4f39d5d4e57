import Foundation

/// A signing key of a TPM: the public half, and the private half that only the TPM which made it can read.
///
/// It is no secret and may be stored anywhere, but who loses it loses the key. It stays usable with the PIN it was made
/// with for as long as a copy exists; a TPM has no list of keys to strike it from. To revoke a key, or its PIN, make
/// another and enrol that.
public struct TPMKeyBlob: Sendable, Hashable {
    let object: TPMObject
    /// What the key is.
    public let kind: TPMKeyKind

    init(_ object: TPMObject) throws(TPMError) {
        guard object.publicArea.attributes.contains(.sign), !object.publicArea.attributes.contains(.restricted) else {
            throw .invalidBlob("the key does not sign what others hash")
        }
        switch object.publicArea.kind {
        case .rsaSigning(let bits, let exponent, let modulus):
            guard let kind = TPMKeyKind.allCases.first(where: { $0.rsaBits == bits }),
                exponent == 0 || exponent == 65537
            else { throw .invalidBlob("an RSA key of \(bits) bits with the exponent \(exponent)") }
            guard let first = modulus.first, first >= 0x80 else {
                throw .invalidBlob("an RSA modulus that is too short")
            }
            self.kind = kind
        case .eccSigning(let x, let y):
            // Throws for a point that is not on the curve.
            _ = try SubjectPublicKeyInfo.p256(x: x, y: y)
            kind = .p256
        case .storage, .sealedData: throw .invalidBlob("it is no signing key")
        }
        self.object = object
    }

    /// Reads what ``bytes`` gave.
    ///
    /// - Throws: ``TPMError/invalidBlob(_:)``.
    public init(bytes: some Sequence<UInt8>) throws(TPMError) { try self.init(try TPMObject(bytes: bytes)) }

    /// The form to store.
    public var bytes: Data { Data(object.bytes) }

    /// Whether the key has a PIN.
    public var hasAuthorization: Bool { object.hasAuthorization }

    /// The storage key under which it was made.
    public var parent: TPMParent { object.parent }

    /// The public key as a SubjectPublicKeyInfo in DER (RFC 5280, 4.1.2.7), as OpenSSL reads it.
    public var publicKey: Data {
        switch object.publicArea.kind {
        case .rsaSigning(_, _, let modulus): SubjectPublicKeyInfo.rsa(modulus: modulus)
        case .eccSigning(let x, let y): (try? SubjectPublicKeyInfo.p256(x: x, y: y)) ?? Data()
        case .storage, .sealedData: Data()
        }
    }
}

/// A secret that only the TPM which sealed it gives back, and only for its PIN.
///
/// An old copy opens with its old PIN for ever (see ``TPMKeyBlob``): to change the PIN in earnest, seal a *new* secret
/// and encrypt again what the old one has encrypted.
public struct TPMSealedBlob: Sendable, Hashable {
    let object: TPMObject

    init(_ object: TPMObject) throws(TPMError) {
        guard case .sealedData = object.publicArea.kind else { throw .invalidBlob("it is no sealed secret") }
        self.object = object
    }

    /// Reads what ``bytes`` gave.
    ///
    /// - Throws: ``TPMError/invalidBlob(_:)``.
    public init(bytes: some Sequence<UInt8>) throws(TPMError) { try self.init(try TPMObject(bytes: bytes)) }

    /// The form to store.
    public var bytes: Data { Data(object.bytes) }

    /// Whether the secret has a PIN.
    public var hasAuthorization: Bool { object.hasAuthorization }

    /// The storage key under which it was sealed.
    public var parent: TPMParent { object.parent }
}

// MARK: Codable

extension TPMKeyBlob: Codable {
    public init(from decoder: any Decoder) throws {
        try self.init(bytes: try decoder.singleValueContainer().decode(Data.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }
}

extension TPMSealedBlob: Codable {
    public init(from decoder: any Decoder) throws {
        try self.init(bytes: try decoder.singleValueContainer().decode(Data.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }
}
