import Foundation

extension Enrolments {
    /// A fresh recovery code for a user, in place of any earlier one; nil where there is no such user, or none who has a
    /// second factor.
    public func makeRecoveryCode(for userID: UserID, by client: ClientContext) async throws -> Secret<String>? {
        let realm = realm
        let now = realm.clock.now
        let method = RecoveryCodeFactor()
        let code = method.fresh(random: realm.random)
        let factorID = FactorID(rawValue: realm.random.uuid())
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            let factors = try transaction.factors(of: userID)
            guard let user = try transaction.user(userID), !realm.proofs.secondFactors(among: factors).isEmpty else {
                return nil
            }
            if let earlier = factors.recoveryCode { _ = try transaction.remove(earlier.id, realm.proofs) }
            try method.insert(code, id: factorID, of: userID, at: now, sealer: realm.sealer, in: transaction)
            try transaction.append(
                AuditEvent(id: eventID, at: now, kind: .recoveryCodeMade, userID: userID, context: client))
            try transaction.notify(
                AccountNotice(.recoveryCodeMade), user, by: client, id: eventID, at: now, sealer: realm.sealer)
            return code
        }
    }
}
