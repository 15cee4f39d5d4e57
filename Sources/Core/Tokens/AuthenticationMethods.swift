/// How tokens tell what a session was proven with: the values of `amr` (RFC 8176, section 2).
public enum AuthenticationMethods: Sendable, Hashable {
    /// The method of each proof, once, in the order of the proofs; `mfa` last where there is a second factor.
    case each
    /// `pwd` for the first factor whatever it is, and `mfa` where there is a second; `pop` where a device's key alone proved
    /// who the user is.
    case summary

    /// The values for a session. A means of proof that has no word of its own (``ProofTraits/amr``) is one that is used once.
    func names(of evidence: SessionEvidence, _ proofs: ProofRegistry) -> [String] {
        let more = evidence.secondFactor == nil ? [] : ["mfa"]
        switch self {
        case .each:
            var names: [String] = []
            for proof in evidence.proofs {
                let amr = proofs.traits(proof.kind)?.amr ?? []
                for name in amr.isEmpty ? ["otp"] : amr where !names.contains(name) { names.append(name) }
            }
            return names + more
        case .summary:
            return evidence.proofs.contains { !$0.isSecondFactor } ? ["pwd"] + more : ["pop"]
        }
    }
}
