import Foundation

/// How many users a change of the settings concerns, before it is made.
public struct ConcernedUsers: Sendable, Equatable {
    /// What becomes different for a user. The words are stable.
    public enum Effect: String, Sendable, CaseIterable {
        /// Has no second factor, and needs one from now on.
        case needsSecondFactor = "needs-second-factor"
        /// Has no second factor, and may put off the one that is required.
        case mayPutOff = "may-put-off"
        /// Has no second factor, and cannot put off any more the one that is required.
        case cannotPutOff = "cannot-put-off"
        /// Signs in without a second factor from now on.
        case losesSecondFactor = "loses-second-factor"
        /// Has a factor that is not taken any more, and another second factor.
        case losesFactor = "loses-factor"
        /// Has a factor that counts again.
        case regainsFactor = "regains-factor"
        /// Has passkeys, which are not taken any more, and no password.
        case losesWayIn = "loses-way-in"
        /// Has a password, and chooses the next one by the other rules.
        case choosesPassword = "chooses-password"
        /// Is asked to agree to the terms.
        case isAskedTerms = "is-asked-terms"
    }

    /// Effects that some user has.
    public internal(set) var counts: [Effect: Int] = [:]
    /// Users who were looked at.
    public internal(set) var seen = 0
    /// Whether these are all users; the look ends at ``Accounts/mostSeen``.
    public internal(set) var isWhole = true
}

extension Accounts {
    /// Users that one look at the effects of a change goes through at most (`docs/decisions/0384`).
    public static let mostSeen = 20_000

    /// How many users change would concern if it took the place of the present settings. Users who are disabled do not count.
    ///
    /// No transaction reads more than a thousand users, so that others do not wait; a change that has no effect on users who are there already
    /// reads none.
    public func concerned(by change: RealmSettings, most: Int = mostSeen) async throws -> ConcernedUsers {
        var rule = RuleChange(from: try await realm.settings(), to: change, proofs: realm.proofs, at: realm.clock.now)
        rule.named = try await namedForSecondFactor(by: rule.before.secondFactors, most: most)
        rule.namedThen = try await namedForSecondFactor(by: change.secondFactors, most: most)
        var concerned = ConcernedUsers()
        var place: UserPlace?
        while rule.hasEffects {
            let limit = min(1000, most - concerned.seen)
            guard limit > 0 else {
                concerned.isWhole = false
                break
            }
            let range = UserRange(.creation, from: place, limit: limit)
            let (users, kinds) = try await realm.store.read { transaction in
                let users = try transaction.users(range)
                return (users, try transaction.factorKinds(of: users.map(\.id)))
            }
            for user in users where !user.isDisabled {
                for effect in rule.effects(on: user, kinds[user.id] ?? []) {
                    concerned.counts[effect, default: 0] += 1
                }
            }
            concerned.seen += users.count
            guard users.count == limit, let last = users.last else { break }
            place = UserPlace(last, in: .creation)
        }
        return concerned
    }
}

/// What a change of the settings means for one user: a rule without a store.
private struct RuleChange: Sendable {
    let before: RealmSettings
    let after: RealmSettings
    let proofs: ProofRegistry
    let now: Date
    /// Those of whom the settings require a second factor by name, before and after.
    var (named, namedThen): (Set<UserID>, Set<UserID>) = ([], [])

    init(from before: RealmSettings, to after: RealmSettings, proofs: ProofRegistry, at now: Date) {
        self.now = now
        self.before = before
        self.after = after
        self.proofs = proofs
    }

    var hasEffects: Bool {
        before.secondFactors != after.secondFactors || before.passwords != after.passwords
            || before.terms.version != after.terms.version
    }

    func effects(on user: User, _ kinds: Set<FactorKind>) -> [ConcernedUsers.Effect] {
        var effects: [ConcernedUsers.Effect] = []
        let (former, latter) = (taken(kinds, before), taken(kinds, after))
        let wasRequired = before.secondFactors.isRequired || named.contains(user.id)
        let isRequired = after.secondFactors.isRequired || namedThen.contains(user.id)
        if isRequired, latter.isEmpty, !(wasRequired && former.isEmpty) {
            effects.append(.needsSecondFactor)
        } else if latter.isEmpty, !former.isEmpty {
            effects.append(.losesSecondFactor)
        } else if !former.isSubset(of: latter) {
            effects.append(.losesFactor)
        }
        if isRequired, latter.isEmpty {
            let mayPutOff = after.secondFactors.delay(for: user.profile, at: now) != nil
            // Who needs one from now on, or may have it wait: both are news.
            if mayPutOff, !(wasRequired && couldPutOff(user)) {
                effects.append(.mayPutOff)
            } else if !mayPutOff, wasRequired, couldPutOff(user) {
                effects.append(.cannotPutOff)
            }
        }
        if !latter.isSubset(of: former) { effects.append(.regainsFactor) }
        if former.contains(.passkey), !latter.contains(.passkey), !kinds.contains(.password) {
            effects.append(.losesWayIn)
        }
        if before.passwords != after.passwords, kinds.contains(.password) { effects.append(.choosesPassword) }
        if before.terms.version != after.terms.version, after.terms.asked(of: user.profile) != nil {
            effects.append(.isAskedTerms)
        }
        return effects
    }

    private func couldPutOff(_ user: User) -> Bool {
        before.secondFactors.delay(for: user.profile, at: now) != nil
    }

    /// The second factors among these kinds that are taken under the settings.
    private func taken(_ kinds: Set<FactorKind>, _ settings: RealmSettings) -> Set<FactorKind> {
        kinds.filter { proofs.guardsFactors($0) && proofs.isOffered($0, settings.secondFactors) }
    }
}
