import Foundation

/// How well an account is protected, and what is missing.
public struct OwnOverview: Sendable {
    /// The user whose account it is.
    public let user: User
    /// What a full sign-in proves at present.
    public let contextClass: ContextClass
    /// The user's means of proof.
    public let factors: [OwnFactor]
    /// What would make the account safer, in the order of ``Gap``.
    public let gaps: [Gap]
    /// The newest sign-ins, at most five.
    public let signIns: [AuditEvent]

    /// What would make the account safer, the most important first.
    public enum Gap: String, Sendable, CaseIterable {
        /// The account has an address that was never confirmed: no password reset can rely on it.
        case unverifiedEmail
        /// There is no second factor and no passkey, and the realm offers second factors.
        case noSecondFactor
        /// There is no passkey, and the realm offers them.
        case noPasskey
        /// There is a second factor, and nothing that stands in for it once it is lost.
        case noRecoveryCodes
        /// Fewer than three recovery codes of a list are left.
        case fewRecoveryCodes
        /// One is reported lost: remove it, or use it again.
        case frozenFactor
        /// There may be a copy of a passkey.
        case suspiciousPasskey
    }

    /// Recovery codes that are left; nil where there were never any.
    public var recoveryCodesLeft: Int? { factors.compactMap(\.codesLeft).first }
}

extension OwnAccount {
    /// What the first page of an account shows, read from one snapshot of the store.
    /// - Returns: ``Refusal/revoked`` where the session is over.
    public func overview(of session: OwnSession) async throws -> Result<OwnOverview, Refusal> {
        let realm = realm
        return try await realm.sealer.keys.retrying {
            try await read(of: session) { transaction, user, now in
                let factors = try realm.ownFactors(of: user, in: transaction)
                let settings = try transaction.settings()
                let hasSecond = factors.contains { $0.isSecondFactor && !$0.isFrozen }
                let hasPasskey = factors.contains { $0.record.kind == .passkey && !$0.isFrozen }
                let left = factors.compactMap(\.codesLeft).first
                var gaps: [OwnOverview.Gap] = []
                if user.email != nil, !user.profile.emailVerified { gaps.append(.unverifiedEmail) }
                if !hasSecond, !hasPasskey, settings.secondFactors.state != .disabled { gaps.append(.noSecondFactor) }
                if !hasPasskey, settings.secondFactors.offersPasskeys { gaps.append(.noPasskey) }
                if hasSecond, left == nil { gaps.append(.noRecoveryCodes) }
                // A code of before there were lists is one, and is replaced when it is used.
                if let left, left < 3, left != 1 || factors.contains(where: \.isList) { gaps.append(.fewRecoveryCodes) }
                if factors.contains(where: \.isFrozen) { gaps.append(.frozenFactor) }
                if factors.contains(where: \.isSuspicious) { gaps.append(.suspiciousPasskey) }
                return OwnOverview(
                    user: user, contextClass: realm.proofs.neededClass(of: factors.map(\.record)), factors: factors,
                    gaps: gaps,
                    signIns: Array(
                        try transaction.auditEvents(of: user.id, before: nil, limit: 100)
                            .filter { $0.kind == .signedIn && $0.at > now - Double(Self.activityDays) * 86_400 }
                            .prefix(5)))
            }
        }
    }
}
