/// How tokens tell what a session was proven with: the values of `amr` (RFC 8176, section 2).
public enum AuthenticationMethods: Sendable, Hashable {
    /// The method of each proof, once, in the order of the proofs; `mfa` last where two factors were proven.
    case each
    /// `pwd` for the first factor whatever it is, unless a key gave it: `pop`. Then `mfa` where two factors were proven; `pop`
    /// alone where a device's approval was the only proof.
    case summary

    /// What RFC 8176 calls a key in hardware and one in software.
    private static let ofKeys: Set<String> = ["hwk", "swk"]

    /// The values for a session. A means of proof that has no word of its own (``ProofTraits/amr``) is one that is used once.
    func names(of evidence: SessionEvidence, _ proofs: ProofRegistry) -> [String] {
        let more = proofs.contextClass(of: evidence.proofs) == .aal2 ? ["mfa"] : []
        switch self {
        case .each:
            var names: [String] = []
            for proof in evidence.proofs {
                let amr = proofs.methodNames(of: proof)
                for name in amr.isEmpty ? ["otp"] : amr where !names.contains(name) { names.append(name) }
            }
            return names + more
        case .summary:
            guard let first = evidence.proofs.first(where: { !$0.isSecondFactor }) else { return ["pop"] }
            let words = proofs.methodNames(of: first)
            return [words.contains { Self.ofKeys.contains($0) } ? "pop" : "pwd"] + more
        }
    }
}

extension ProofRegistry {
    fileprivate func methodNames(of proof: Proof) -> [String] {
        guard let traits = traits(proof.kind) else { return [] }
        return proof.assurance(self).contains(.hardware) ? traits.amrInHardware ?? traits.amr : traits.amr
    }
}
