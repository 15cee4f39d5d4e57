/// How tokens tell the level of what a session was proven with: the values of `acr` (OpenID Connect Core 1.0, section 2).
public enum ContextClasses: Sendable, Hashable {
    /// "1", and "2" for two factors.
    case numbers
    /// `aal1`, and `aal2` for two factors: the authenticator assurance levels of NIST SP 800-63B-4, section 2.
    case assuranceLevels

    /// One proof that is two factors by itself counts as two, as it does for policy
    /// (``ProofRegistry/provesTwoFactors(_:)``). Another system's word does not.
    func name(of evidence: SessionEvidence, _ proofs: ProofRegistry) -> String {
        let isTwo = proofs.provesTwoFactors(evidence)
        return switch self {
        case .numbers: isTwo ? "2" : "1"
        case .assuranceLevels: isTwo ? "aal2" : "aal1"
        }
    }
}
