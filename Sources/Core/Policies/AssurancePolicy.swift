import Foundation

/// Decides whether what was proven is enough, or which factors may prove the rest.
public struct AssurancePolicy: Sendable {
    public enum Decision: Sendable, Equatable {
        case enough
        /// One of these has to be given too.
        case secondFactor([FactorRecord])
        /// A second factor is required and the user has none.
        case enrolmentRequired
    }

    let settings: SecondFactorSettings
    let requiresSecondFactor: Bool

    public init(settings: SecondFactorSettings, requiresSecondFactor: Bool) {
        self.settings = settings
        self.requiresSecondFactor = requiresSecondFactor
    }

    /// - Parameters:
    ///   - proven: what this attempt has proven so far.
    ///   - factors: all that the user has enrolled.
    public func decide(proven: [Proof], factors: [FactorRecord]) -> Decision {
        if proven.contains(where: \.isSecondFactor) { return .enough }
        // A custom token is the word of the developer's own back end, which has its own second factor or none
        // (Identity Platform asks for no second factor there). An anonymous user has nothing to prove.
        if proven.contains(where: { $0.kind == .customToken || $0.kind == .anonymous }) { return .enough }
        let usable = factors.filter { isSecondFactor($0.kind) && isOffered($0.kind) }
        if !usable.isEmpty { return .secondFactor(usable) }
        return requiresSecondFactor ? .enrolmentRequired : .enough
    }

    /// Whether a user with these factors is asked for more than a password.
    static func asksForMore(_ factors: [FactorRecord], settings: SecondFactorSettings) -> Bool {
        let policy = AssurancePolicy(settings: settings, requiresSecondFactor: false)
        return factors.contains { policy.isSecondFactor($0.kind) && policy.isOffered($0.kind) }
    }

    /// Whether the kind can be given beside a first proof.
    public func isSecondFactor(_ kind: FactorKind) -> Bool { kind.isSecondFactor }

    /// Whether a code of the kind is taken where a second factor is asked for.
    public func takesCode(of kind: FactorKind) -> Bool { isSecondFactor(kind) || kind == .recoveryCode }

    /// Whether the realm has the kind switched on.
    public func isOffered(_ kind: FactorKind) -> Bool {
        switch kind {
        case .totp: settings.offersTOTP
        case .push: settings.offersPush
        default: true
        }
    }
}
