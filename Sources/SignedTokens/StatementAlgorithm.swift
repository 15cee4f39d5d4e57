/// An algorithm in which a device or an application may sign statements of its own. What this server signs has fewer:
/// ``SigningAlgorithm``.
public enum StatementAlgorithm: String, Sendable, Codable, CaseIterable {
    /// ECDSA on P-256 (RFC 7518, section 3.4).
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518, section 3.3).
    case rs256 = "RS256"
    /// RSASSA-PSS with SHA-256 and a salt of 32 bytes (RFC 7518, section 3.5).
    case ps256 = "PS256"
    /// Ed25519 (RFC 8037, section 3.1).
    case edDSA = "EdDSA"

    /// The algorithm that `alg` names. Ed25519 has two names: its own (RFC 9864, section 2.2), and `EdDSA`, which RFC 8037 gave to it
    /// and to another curve together.
    public init?(name: String) {
        switch name {
        case "Ed25519": self = .edDSA
        default: self.init(rawValue: name)
        }
    }

    /// All names, as metadata lists them: clients that know one of the two names of Ed25519 look for that one.
    public static let names = allCases.map(\.rawValue) + ["Ed25519"]

    /// What Guardian's devices sign with.
    public static let devices: Set<Self> = [.es256, .rs256]
}
