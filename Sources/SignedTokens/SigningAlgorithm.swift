/// The algorithms that tokens may be signed with. Nothing else is ever accepted, whatever a token's header says.
public enum SigningAlgorithm: String, Sendable, Codable, CaseIterable {
    /// ECDSA on P-256 (RFC 7518, section 3.4).
    case es256 = "ES256"
    /// RSASSA-PKCS1-v1_5 with SHA-256, 2048 bits (RFC 7518, section 3.3).
    case rs256 = "RS256"

    /// All of them, put together once.
    public static let all = Set(allCases)
}
