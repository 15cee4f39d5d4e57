import Foundation

extension StoreTransaction {
    /// Replaces the password of a user who is about to be updated, and forgives earlier wrong ones. As many of those before
    /// it are remembered as the settings say.
    func setPassword(_ hash: String, of user: inout User, newFactorID: FactorID, at now: Date, sealer: Sealer) throws {
        try reserve([.user(user.id)])
        if var factor = try factors(of: user.id).password {
            let former = try PasswordFactor.Payload(
                stored: sealer.open(factor.payload, for: .factor(factor.id)))
            let payload = try PasswordFactor.payload(
                hash: hash, earlier: former.last(settings().passwords.remembered - 1))
            factor.payload = try sealer.seal(payload, for: .factor(factor.id), in: self)
            // A thief of the former one does not know this.
            factor.frozenAt = nil
            _ = try update(factor)
            try deleteCounter(CounterKey.factor(factor.id, factor.kind))
            try deleteCounter(CounterKey.newPasswords(of: user.id))
        } else {
            let payload = try PasswordFactor.payload(hash: hash)
            _ = try insert(
                FactorRecord(
                    id: newFactorID, userID: user.id, kind: .password, name: "", createdAt: now,
                    payload: try sealer.seal(payload, for: .factor(newFactorID), in: self)))
        }
        user.passwordChangedAt = now
        user.profile.providers.insert("password")
    }
}
