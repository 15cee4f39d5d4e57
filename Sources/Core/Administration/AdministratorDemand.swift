import Foundation

/// What a user with a role still has to prove before the user administers, by whichever door: the pages of the console, or the operations
/// over HTTP. This is the one place that says it (docs/decisions/0471).
public enum AdministratorDemand: Sendable, Equatable {
    /// Every factor anew: the session is too old, or was not used.
    case signIn
    /// A second factor beside what was proven.
    case secondFactor
    /// A passkey: the user has one, and the session began without.
    case passkey

    /// Seconds after which the factors of a session are too old in any case: eight hours.
    public static let longestSession: TimeInterval = 8 * 3600
}

extension Administrators {
    /// What a session of a user opens.
    public enum Standing: Sendable, Equatable {
        /// Administration, in that role.
        case open(AdministratorRole)
        /// Nothing, before the user has proven more.
        case demanding(AdministratorDemand)
        /// Nothing: the user has no role, or is disabled.
        case closed
    }

    /// Judges a session that goes on, as of now.
    public func judge(_ session: Session, of user: UserID) async throws -> Standing {
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            guard let administrator = try transaction.administrator(user),
                let user = try transaction.user(user), !user.isDisabled
            else { return .closed }
            if let demand = try demand(of: session, at: now, in: transaction) { return .demanding(demand) }
            return .open(administrator.role)
        }
    }

    /// What the session of a user with a role lacks; nil where it lacks nothing.
    func demand(
        of session: Session, at now: Date, in transaction: any StoreTransaction
    ) throws -> AdministratorDemand? {
        guard realm.proofs.contextClass(of: session.proofs) >= .aal2 else { return .secondFactor }
        if !realm.proofs.resistanceClasses(of: session.proofs).contains(ContextClass.phishingResistant),
            try hasResistantFactor(session.userID, in: transaction)
        {
            return .passkey
        }
        let provenAt = realm.proofs.authenticationTime(of: session.proofs, for: .aal2) ?? session.createdAt
        return provenAt.isWithin(AdministratorDemand.longestSession, before: now) ? nil : .signIn
    }

    /// Whether the user has a factor that cannot be relayed, and that can be used here.
    private func hasResistantFactor(_ user: UserID, in transaction: any StoreTransaction) throws -> Bool {
        let settings = try transaction.settings()
        guard realm.passkeySite(in: settings) != nil else { return false }
        return try transaction.factors(of: user).contains {
            realm.proofs.assurance(of: $0.kind).contains(.phishingResistant)
                && realm.proofs.isOffered($0.kind, settings.secondFactors)
        }
    }
}
