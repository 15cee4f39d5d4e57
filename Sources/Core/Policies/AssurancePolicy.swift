import Foundation

/// Decides whether what was proven is enough, or which factors may prove the rest.
///
/// **How the files of this folder meet.** They are plain functions of settings, state and time; none reads the store or knows a
/// means of proof. This one decides what is enough. `LockoutPolicy` and `RateLimit` decide how often something may be tried: both
/// count in an `AttemptCounter`, whose `OpenCharge` lasts until an attempt is settled. `PasswordPolicy` judges a new password, by
/// `CharacterKind` and the list in `CommonPasswords`.
public struct AssurancePolicy: Sendable {
    /// What is still missing.
    public enum Decision: Sendable, Equatable {
        /// What was proven is enough.
        case enough
        /// One of these has to be given too.
        case secondFactor([FactorRecord])
        /// A second factor is required and the user has none.
        case enrolmentRequired
    }

    let settings: SecondFactorSettings
    let requiresSecondFactor: Bool
    let proofs: ProofRegistry

    /// A policy of these settings, for an application or client that requires a second factor, or does not.
    public init(
        settings: SecondFactorSettings, requiresSecondFactor: Bool, proofs: ProofRegistry = .standard
    ) {
        self.settings = settings
        self.requiresSecondFactor = requiresSecondFactor
        self.proofs = proofs
    }

    /// - Parameters:
    ///   - proven: what this attempt has proven so far.
    ///   - factors: all that the user has enrolled; only asked for where it matters.
    public func decide(
        proven: [Proof], factors: @autoclosure () throws -> [FactorRecord]
    ) rethrows -> Decision {
        if proofs.level(of: proven) >= .twoFactors { return .enough }
        let given = Set(proven.map(\.kind))
        // What opens a sign-in by itself is a second factor beside another kind alone.
        let usable = try factors().filter { factor in
            proofs.isOffered(factor.kind, settings)
                && (proofs.isSecondFactor(factor.kind)
                    || proofs.traits(factor.kind)?.role == .firstOrSecond && !given.contains(factor.kind))
        }
        if requiresSecondFactor ? !usable.isEmpty : usable.contains(where: { proofs.isSecondFactor($0.kind) }) {
            // What is reported lost makes the question necessary, and is no answer to it.
            let answering = usable.filter { $0.frozenAt == nil }
            return .secondFactor(answering.isEmpty ? usable : answering)
        }
        return requiresSecondFactor ? .enrolmentRequired : .enough
    }

    /// Whether a user with these factors is asked for more than a password.
    static func asksForMore(
        _ factors: [FactorRecord], settings: SecondFactorSettings, proofs: ProofRegistry
    ) -> Bool {
        factors.contains { proofs.isSecondFactor($0.kind) && proofs.isOffered($0.kind, settings) }
    }
}
