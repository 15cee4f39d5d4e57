/// An algorithm of signatures by its number in IANA's registry "COSE Algorithms" (RFC 9053).
///
/// A value may name an algorithm that this library does not verify: options of other relying parties, faults.
public struct COSEAlgorithm: RawRepresentable, Hashable, Sendable, Codable {
    public var rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// ECDSA on P-256 with SHA-256.
    public static let es256 = COSEAlgorithm(rawValue: -7)
    /// ECDSA on P-384 with SHA-384.
    public static let es384 = COSEAlgorithm(rawValue: -35)
    /// ECDSA on P-521 with SHA-512.
    public static let es512 = COSEAlgorithm(rawValue: -36)
    /// EdDSA, with Ed25519 alone.
    public static let edDSA = COSEAlgorithm(rawValue: -8)
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8812), with moduli of 2,048 to 8,192 bits.
    public static let rs256 = COSEAlgorithm(rawValue: -257)

    /// Every algorithm that this library verifies.
    public static let supported: Set<COSEAlgorithm> = [.es256, .es384, .es512, .edDSA, .rs256]

    /// What to offer unless there is a reason for others, the best first.
    public static let recommended: [COSEAlgorithm] = [.edDSA, .es256, .rs256]
}
