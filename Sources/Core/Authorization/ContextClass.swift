import Foundation

/// How well a session was proven, as requests and tokens name it: `acr` (OpenID Connect Core 1.0, section 2).
public enum ContextClass: String, Sendable, Codable, CaseIterable, Comparable {
    /// One factor.
    case aal1
    /// Two factors, or one that is two by itself.
    case aal2

    /// The class that a requested value means; nil for one that this server cannot meet.
    public init?(requested value: String) {
        switch value {
        case Self.multiFactorAlias: self = .aal2
        default: self.init(rawValue: value)
        }
    }

    /// What some applications call two factors (OpenID Provider Authentication Policy Extension 1.0, section 4).
    public static let multiFactorAlias = "http://schemas.openid.net/pape/policies/2007/06/multi-factor"

    /// A proof that cannot be relayed, by an authenticator that made sure of its user. It is told beside a class, not instead of one.
    public static let phishingResistant = "phr"
    /// The same by a key in hardware.
    public static let phishingResistantHardware = "phrh"
    /// What is told beside a class (OpenID Connect Extended Authentication Profile ACR Values 1.0, section 2).
    public static let resistances: Set = [phishingResistant, phishingResistantHardware]

    /// All values that requests may have.
    public static let requestable =
        allCases.map(\.rawValue) + [multiFactorAlias, phishingResistant, phishingResistantHardware]

    public static func < (one: ContextClass, other: ContextClass) -> Bool { one == .aal1 && other == .aal2 }
}

extension ProofRegistry {
    /// What more can be said of a session that began with a proof which cannot be relayed and has made sure of its user: `phr`, and `phrh`
    /// where the key is in hardware (OpenID Connect Extended Authentication Profile ACR Values 1.0, section 2).
    public func resistanceClasses(of proofs: [Proof]) -> Set<String> {
        let resistant = proofs.map { $0.assurance(self) }.filter {
            $0.isSuperset(of: [.phishingResistant, .userVerified])
        }
        if resistant.isEmpty { return [] }
        return resistant.contains { $0.contains(.hardware) }
            ? ContextClass.resistances : [ContextClass.phishingResistant]
    }

    /// The class of a session with these proofs.
    ///
    /// A second factor by itself, such as a device that was asked without a password before, is one factor.
    public func contextClass(of proofs: [Proof]) -> ContextClass {
        if proofs.contains(where: { $0.assurance(self).level == .twoFactors }) { return .aal2 }
        return isPair(proofs) ? .aal2 : .aal1
    }

    /// When the user proved what a class needs: the latest proof of its weakest factor, which is the `auth_time` of tokens. Nil
    /// where nothing was proven.
    public func authenticationTime(of evidence: [Proof], for asked: ContextClass) -> Date? {
        let second = evidence.filter(\.isSecondFactor).map(\.at).max()
        let first = evidence.filter { !$0.isSecondFactor }.map(\.at).max()
        guard asked == .aal2, let first, let second else { return first ?? second }
        return min(first, second)
    }
}
