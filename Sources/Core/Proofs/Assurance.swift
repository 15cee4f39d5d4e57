/// What a proof is made of (NIST SP 800-63B-4, section 2): policy adds these up and compares levels.
///
/// Stored as the number of its bits.
public struct Assurance: OptionSet, Sendable, Hashable, Codable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Something that the user knows.
    public static let knowledge = Assurance(rawValue: 1)
    /// Something that the user has: an authenticator, a device, a mailbox.
    public static let possession = Assurance(rawValue: 2)
    /// What the user has has made sure of the user, by a PIN or a biometric.
    public static let userVerified = Assurance(rawValue: 4)
    /// The answer is bound to this server, so that it cannot be relayed.
    public static let phishingResistant = Assurance(rawValue: 8)
    /// Another system answers for the user, with its own second factor or none; or there is nothing that could be proven.
    public static let delegated = Assurance(rawValue: 16)
    /// The key is in hardware that it cannot leave, as its maker attests.
    public static let hardware = Assurance(rawValue: 32)

    /// How much one such proof is by itself.
    public var level: AssuranceLevel {
        if contains(.delegated) { return .delegated }
        let isTwo = isSuperset(of: [.possession, .userVerified]) || isSuperset(of: [.knowledge, .possession])
        return isTwo ? .twoFactors : isDisjoint(with: [.knowledge, .possession]) ? .nothing : .oneFactor
    }
}

/// How much a set of proofs is together.
public enum AssuranceLevel: Int, Sendable, Comparable, CaseIterable {
    /// No proof, or none that says anything of the user.
    case nothing
    /// One factor.
    case oneFactor
    /// Two proofs, or one that is two factors by itself: a passkey whose authenticator has verified the user.
    case twoFactors
    /// Enough by another system's word, whatever it asked.
    case delegated

    public static func < (one: AssuranceLevel, other: AssuranceLevel) -> Bool { one.rawValue < other.rawValue }
}

extension Proof {
    /// How much it proves. Evidence of before assurance was kept says it by its kind.
    func assurance(_ proofs: ProofRegistry) -> Assurance { assurance ?? proofs.assurance(of: kind) }
}

extension ProofRegistry {
    /// How much these proofs are together: the highest of any, or two where one was given beside another.
    package func level(of proofs: [Proof]) -> AssuranceLevel {
        let highest = proofs.map { $0.assurance(self).level }.max() ?? .nothing
        return isPair(proofs) ? max(highest, .twoFactors) : highest
    }

    /// Whether the user has given two factors to this server; another system's word does not say so.
    public func provesTwoFactors(_ evidence: SessionEvidence) -> Bool {
        isPair(evidence.proofs) || evidence.proofs.contains { $0.assurance(self).level == .twoFactors }
    }

    /// Whether a second factor was given beside something else. By itself it is one factor: a device, say, that an application asked
    /// without a password before.
    func isPair(_ proofs: [Proof]) -> Bool {
        proofs.contains(where: \.isSecondFactor) && !proofs.allSatisfy(\.isSecondFactor)
    }
}

extension Assurance: StoredJSON {
    package init(from json: inout JSONReader) throws { self.init(rawValue: try json.read()) }
    package func write(to json: inout JSONWriter) { rawValue.write(to: &json) }
}
