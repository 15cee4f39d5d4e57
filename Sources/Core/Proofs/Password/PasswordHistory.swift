import Foundation

/// Whether a new password is one that its account had lately.
///
/// Looking costs a password hash for each that is remembered, one after the other, so that no user takes more than one
/// place in the hasher's queue; no transaction is open meanwhile.
///
/// The answer discloses whether a text was the account's password, as at a sign-in. So it is counted before it is
/// compared: tries that led to no new password are at most ``RateLimit/newPasswordsPerUser``, and a new password sets
/// the count back.
///
/// It is asked where the protocol has a word for the refusal (``ClientContext/refusesFormerPasswords``). In others users may
/// take a password of before.
struct PasswordHistory: Sendable {
    let realm: Realm

    enum Finding: Sendable, Equatable {
        case fresh
        case recent
        case limited(until: Date)
    }

    /// - Parameter factors: the account's, from one snapshot.
    /// - Throws: ``PasswordHashingOverload``, `SealingError`, ``StoreError``; then the try is not counted.
    func look(
        for password: Secret<String>, of id: UserID, _ factors: [FactorRecord], _ policy: PasswordPolicy
    ) async throws -> Finding {
        guard policy.remembered > 0, let factor = factors.password else { return .fresh }
        let realm = realm
        let now = realm.clock.now
        let key = CounterKey.newPasswords(of: id)
        if let until = try await realm.store.write({ try $0.charge(.newPasswordsPerUser, key: key, at: now) }) {
            return .limited(until: until)
        }
        do {
            let payload = try await realm.sealer.opened(factor.payload, for: .factor(factor.id))
            let kept = try PasswordFactor.Payload(stored: payload)
            for hash in kept.last(policy.remembered) {
                if try await realm.hasher.verify(password, against: hash) { return .recent }
            }
            return .fresh
        } catch {
            try? await realm.store.write { try $0.refund(key: key) }
            throw error
        }
    }
}
