import Foundation

extension Enrolments {
    /// Takes its codes from a device, which is asked as before. False where it has none.
    public func removeCodes(
        ofDevice id: FactorID, of userID: UserID, by client: ClientContext
    ) async throws -> Bool {
        let now = realm.clock.now
        let sealer = realm.sealer
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.writeSending { transaction in
            guard var factor = try transaction.factor(id), factor.userID == userID, factor.kind == .push else {
                return false
            }
            var payload = try PushFactor.Payload.open(factor, with: sealer)
            guard payload.totp != nil else { return false }
            payload.totp = nil
            factor.payload = try sealer.seal(JSONEncoder().encode(payload), for: .factor(id), in: transaction)
            guard try transaction.update(factor) else { return false }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .deviceChanged, userID: userID, context: client,
                    details: ["factor": .string(id.rawValue), "codesRemoved": .bool(true)]))
            if let user = try transaction.user(userID) {
                try transaction.notify(
                    AccountNotice(.factorRemoved, factorName: factor.name), user, by: client, id: eventID, at: now,
                    sealer: sealer)
            }
            return true
        }
    }
}
