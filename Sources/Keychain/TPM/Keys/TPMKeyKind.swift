/// The kinds of signing keys. Which of them a chip has varies; RSA with 2048 bits and P-256 are in nearly all.
public enum TPMKeyKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256. A chip may look for the primes for many seconds.
    case rsa2048, rsa3072, rsa4096
    /// ECDSA with SHA-256 on P-256.
    case p256

    var rsaBits: UInt16? {
        switch self {
        case .rsa2048: 2048
        case .rsa3072: 3072
        case .rsa4096: 4096
        case .p256: nil
        }
    }

    /// For messages.
    var name: String { rsaBits.map { "RSA-\($0)" } ?? "P-256" }
}
