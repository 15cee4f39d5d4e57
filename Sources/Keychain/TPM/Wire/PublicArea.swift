import Crypto

/// The public part of an object (Part 2, clause 12.2.4, TPMT_PUBLIC), of the four kinds that this module uses. All of
/// them are named by SHA-256; curves are P-256.
struct PublicArea: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// The template of a storage key: restricted decryption on P-256 with AES-128-CFB for its children.
        case storage(x: [UInt8], y: [UInt8])
        /// Only signs, RSASSA with SHA-256.
        case rsaSigning(bits: UInt16, exponent: UInt32, modulus: [UInt8])
        /// Only signs, ECDSA with SHA-256.
        case eccSigning(x: [UInt8], y: [UInt8])
        /// Holds bytes that `Unseal` gives back.
        case sealedData(unique: [UInt8])
    }

    let attributes: ObjectAttributes
    let authPolicy: [UInt8]
    let kind: Kind
    /// The TPMT_PUBLIC as the TPM computes names from it.
    let encoded: [UInt8]

    init(attributes: ObjectAttributes, kind: Kind) {
        self.attributes = attributes
        self.authPolicy = []
        self.kind = kind
        self.encoded = Self.encode(attributes: attributes, kind: kind)
    }

    /// The object's name: the algorithm and the digest of the public area (Part 1, "Names").
    var name: [UInt8] {
        WireWriter.bytes {
            $0.put(Algorithm.sha256)
            $0.put(Array(SHA256.hash(data: encoded)))
        }
    }

    /// Whether the other one differs at most in what the TPM fills in.
    func isMade(from template: PublicArea) -> Bool {
        guard attributes == template.attributes, authPolicy == template.authPolicy else { return false }
        return switch (kind, template.kind) {
        case (.storage, .storage), (.eccSigning, .eccSigning), (.sealedData, .sealedData): true
        case (.rsaSigning(let bits, let exponent, let modulus), .rsaSigning(let wanted, let wantedExponent, _)):
            bits == wanted && exponent == wantedExponent && modulus.count == Int(bits) / 8 && modulus[0] >= 0x80
        default: false
        }
    }

    private static func encode(attributes: ObjectAttributes, kind: Kind) -> [UInt8] {
        WireWriter.bytes { writer in
            let type =
                switch kind {
                case .storage, .eccSigning: Algorithm.ecc
                case .rsaSigning: Algorithm.rsa
                case .sealedData: Algorithm.keyedHash
                }
            writer.put(type)
            writer.put(Algorithm.sha256)
            writer.put(attributes.rawValue)
            writer.putSized([])
            parameters(of: kind, into: &writer)
            switch kind {
            case .storage(let x, let y), .eccSigning(let x, let y):
                writer.putSized(x)
                writer.putSized(y)
            case .rsaSigning(_, _, let modulus): writer.putSized(modulus)
            case .sealedData(let unique): writer.putSized(unique)
            }
        }
    }

    /// The TPMU_PUBLIC_PARMS (Part 2, clause 12.2.3.7).
    static func parameters(of kind: Kind, into writer: inout WireWriter) {
        switch kind {
        case .storage:
            writer.put(Algorithm.aes)
            writer.put(UInt16(128))
            writer.put(Algorithm.cfb)
            writer.put(Algorithm.null)
            writer.put(Curve.p256)
            writer.put(Algorithm.null)
        case .rsaSigning(let bits, let exponent, _):
            writer.put(Algorithm.null)
            writer.put(Algorithm.rsassa)
            writer.put(Algorithm.sha256)
            writer.put(bits)
            writer.put(exponent)
        case .eccSigning:
            writer.put(Algorithm.null)
            writer.put(Algorithm.ecdsa)
            writer.put(Algorithm.sha256)
            writer.put(Curve.p256)
            writer.put(Algorithm.null)
        case .sealedData:
            writer.put(Algorithm.null)
        }
    }
}
