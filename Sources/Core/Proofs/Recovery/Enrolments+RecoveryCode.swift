import Foundation

extension Enrolments {
    /// A fresh recovery code for a user, in place of any earlier one; nil where there is no such user, or none who has a
    /// second factor.
    public func makeRecoveryCode(for userID: UserID, by client: ClientContext) async throws -> Secret<String>? {
        let realm = realm
        let now = realm.clock.now
        let code = RecoveryCodeFactor.fresh(random: realm.random)
        let factorID = FactorID(rawValue: realm.random.uuid())
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.writeSending { transaction in
            let factors = try transaction.factors(of: userID)
            guard let user = try transaction.user(userID), !realm.proofs.secondFactors(among: factors).isEmpty else {
                return nil
            }
            if let earlier = factors.recoveryCode { _ = try transaction.remove(earlier.id, realm.proofs) }
            try transaction.insertRecoveryCode(code, id: factorID, of: userID, at: now, sealer: realm.sealer)
            try transaction.append(
                AuditEvent(id: eventID, at: now, kind: .recoveryCodeMade, userID: userID, context: client))
            try transaction.notify(
                AccountNotice(.recoveryCodeMade), user, by: client, id: eventID, at: now, sealer: realm.sealer)
            return code
        }
    }
}

extension StoreTransaction {
    func insertRecoveryCode(
        _ code: Secret<String>, id: FactorID, of userID: UserID, at now: Date, sealer: Sealer
    ) throws {
        _ = try insert(
            FactorRecord(
                id: id, userID: userID, kind: .recoveryCode, name: "", createdAt: now,
                payload: try sealer.seal(
                    RecoveryCodeFactor.payload(of: code), for: .factor(id), in: self)))
    }
}
