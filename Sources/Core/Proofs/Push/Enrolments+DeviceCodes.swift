import Foundation

extension Enrolments {
    /// Takes its codes from a device, which is asked as before. False where it has none.
    public func removeCodes(
        ofDevice id: FactorID, of userID: UserID, by client: ClientContext
    ) async throws -> Bool {
        let now = realm.clock.now
        let sealer = realm.sealer
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard let factor = try transaction.factor(id), factor.userID == userID else { return false }
            return try transaction.removeCodes(of: factor, at: now, eventID: eventID, by: client, sealer: sealer)
        }
    }
}

extension StoreTransaction {
    /// Takes the codes from a device, writes it down and tells the owner. False where it is no device or has none.
    func removeCodes(
        of device: FactorRecord, at now: Date, eventID: String, by client: ClientContext, sealer: Sealer
    ) throws -> Bool {
        guard device.kind == .push else { return false }
        var factor = device
        var payload = try PushFactor.Payload.open(factor, with: sealer)
        guard payload.totp != nil else { return false }
        payload.totp = nil
        factor.payload = try sealer.seal(payload.stored, for: .factor(factor.id), in: self)
        guard try update(factor) else { return false }
        try append(
            AuditEvent(
                id: eventID, at: now, kind: .deviceChanged, userID: factor.userID, context: client,
                details: ["factor": .string(factor.id.rawValue), "codesRemoved": .bool(true)]))
        if let user = try user(factor.userID) {
            try notify(
                AccountNotice(.factorRemoved, factorName: factor.name), user, by: client, id: eventID, at: now,
                sealer: sealer)
        }
        return true
    }
}
