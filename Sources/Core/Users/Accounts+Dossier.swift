import Foundation

/// All that an administrator is shown of one account, from one snapshot.
public struct AccountDossier: Sendable {
    /// The user as it is stored.
    public let user: User
    /// In the order of enrolment.
    public let factors: [Factor]
    /// Sessions that go on, held by a browser or with a grant that goes on. At most ``sessionLimit`` are counted.
    public let sessionCount: Int

    /// Sessions that are counted at most.
    public static let sessionLimit = 1000

    /// A factor, and what its counter of wrong answers says.
    public struct Factor: Sendable {
        /// The factor as it is stored.
        public let record: FactorRecord
        /// When it proved something last, as far as its row and the sessions that are kept say.
        public let lastUsedAt: Date?
        /// Whether answers by it are judged.
        public let standing: FactorStanding
    }
}

/// Whether answers by a factor are judged.
public enum FactorStanding: Sendable, Equatable {
    /// Yes; so many have been wrong in a row.
    case open(wrongAnswers: Int)
    /// Not before this instant.
    case locked(until: Date, wrongAnswers: Int)
    /// Not until an administrator resets it.
    case disabled(wrongAnswers: Int)
}

extension Accounts {
    /// Nil where there is no such user.
    public func dossier(_ id: UserID) async throws -> AccountDossier? {
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            guard let user = try transaction.user(id) else { return nil }
            let factors = try transaction.factorStandings(of: id, at: now, realm.proofs)
            let sessions = try transaction.sessionListings(of: id, limit: AccountDossier.sessionLimit).count {
                $0.isLiving(of: user, at: now)
            }
            return AccountDossier(user: user, factors: factors, sessionCount: sessions)
        }
    }
}

extension StoreTransaction {
    /// A user's factors, and whether answers by them are judged.
    func factorStandings(
        of id: UserID, at now: Date, _ proofs: ProofRegistry
    ) throws -> [AccountDossier.Factor] {
        let sessions = try sessions(of: id, limit: AccountDossier.sessionLimit)
        return try factors(of: id).map { record in
            let policy = proofs.lockout(of: record.kind)
            let counter = try counter(CounterKey.factor(record.id, record.kind, proofs))
            return AccountDossier.Factor(
                record: record, lastUsedAt: record.lastUse(in: sessions), standing: policy.standing(counter, at: now))
        }
    }
}

extension LockoutPolicy {
    /// What the next attempt would meet. Looking is not charged.
    func standing(_ counter: AttemptCounter?, at now: Date) -> FactorStanding {
        guard var counter else { return .open(wrongAnswers: 0) }
        counter.dropLapsed(at: now)
        if let disabledAfter, counter.count >= disabledAfter { return .disabled(wrongAnswers: counter.count) }
        if let until = counter.blockedUntil, until > now { return .locked(until: until, wrongAnswers: counter.count) }
        return .open(wrongAnswers: counter.count)
    }
}
