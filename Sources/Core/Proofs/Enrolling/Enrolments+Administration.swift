import Foundation

/// Single factors, in the name of an administrator who has made sure of who it is, or of their owner.
extension Enrolments {
    /// Removes a second factor or the recovery code. With the last second factor the recovery code and all sessions go
    /// too. False where the user has no such factor.
    public func remove(_ id: FactorID, of userID: UserID, by client: ClientContext) async throws -> Bool {
        let now = realm.clock.now
        let sealer = realm.sealer
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.writeSending { transaction in
            guard let factor = try transaction.factor(id), factor.userID == userID,
                factor.kind.isSecondFactor || factor.kind == .recoveryCode
            else { return false }
            return try transaction.withdraw(factor, at: now, eventID: eventID, by: client, sealer: sealer)
        }
    }

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

    /// Names a second factor anew; nil where the user has no such factor.
    public func rename(
        _ id: FactorID, of userID: UserID, to name: String, by client: ClientContext
    ) async throws -> FactorRecord? {
        let now = realm.clock.now
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard var factor = try transaction.factor(id), factor.userID == userID, factor.kind.isSecondFactor else {
                return nil
            }
            factor.name = name
            guard try transaction.update(factor) else { return nil }
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .deviceChanged, userID: userID, context: client,
                    details: ["factor": .string(id.rawValue)]))
            return factor
        }
    }

    public enum AdditionOutcome: Sendable {
        case added([FactorRecord])
        case refused(EnrolmentRefusal)
    }

    /// Adds authenticators whose secrets are known, with nothing left to prove.
    /// - Parameter replacing: whether everything that the user had goes, in the same instant; an empty list is then a
    ///   reset.
    public func add(
        _ authenticators: [PortableTOTP], to userID: UserID, replacing: Bool = false, by client: ClientContext
    ) async throws -> AdditionOutcome {
        let now = realm.clock.now
        let sealer = realm.sealer
        let ids = authenticators.map { _ in FactorID(rawValue: realm.random.uuid()) }
        let eventIDs = (0...authenticators.count).map { _ in AuditEvent.freshID(at: now, random: realm.random) }
        return try await realm.writeSending { transaction in
            guard var user = try transaction.user(userID) else { return .refused(.userNotFound) }
            let settings = try transaction.settings().secondFactors
            guard authenticators.isEmpty || settings.offersTOTP else { return .refused(.notOffered) }
            let present = try transaction.factors(of: userID)
            let kept = replacing ? [] : present.filter { $0.kind == .totp }
            guard kept.count + authenticators.count <= TOTPFactor().limitPerUser else { return .refused(.limitReached) }
            let removesFactors = replacing && present.contains(where: \.kind.isSecondFactor)
            if removesFactors {
                for factor in present where factor.kind.isSecondFactor || factor.kind == .recoveryCode {
                    _ = try transaction.remove(factor.id)
                }
                user.revokeTokens(at: now)
                _ = try transaction.update(user)
                try transaction.append(
                    AuditEvent(id: eventIDs[0], at: now, kind: .factorsReset, userID: userID, context: client))
            }
            var added: [FactorRecord] = []
            for (index, authenticator) in authenticators.enumerated() {
                let factor = FactorRecord(
                    id: ids[index], userID: userID, kind: .totp, name: authenticator.name,
                    createdAt: now,
                    payload: try sealer.seal(
                        JSONEncoder().encode(authenticator.payload), for: .factor(ids[index]), in: transaction))
                _ = try transaction.insert(factor)
                try transaction.append(
                    AuditEvent(
                        id: eventIDs[index + 1], at: now, kind: .factorEnrolled, userID: userID, context: client,
                        details: ["factor": .string(ids[index].rawValue)]))
                added.append(factor)
            }
            for (factor, id) in zip(added, eventIDs.dropFirst()) {
                try transaction.notify(
                    AccountNotice(.factorAdded, factorName: factor.name), user, by: client, id: id, at: now,
                    sealer: sealer)
            }
            if removesFactors {
                try transaction.notify(
                    AccountNotice(.factorsRemoved), user, by: client, id: eventIDs[0], at: now, sealer: sealer)
            }
            return .added(added)
        }
    }
}

extension StoreTransaction {
    /// Removes a factor, writes it down and tells the owner; with the last second factor all sessions end. False where it is
    /// gone.
    func withdraw(
        _ factor: FactorRecord, at now: Date, eventID: String, by client: ClientContext, sealer: Sealer
    ) throws -> Bool {
        guard let owner = try user(factor.userID), try remove(factor.id) else { return false }
        try append(
            AuditEvent(
                id: eventID, at: now, kind: .factorWithdrawn, userID: factor.userID, context: client,
                details: ["factor": .string(factor.id.rawValue)]))
        if factor.kind.isSecondFactor, try !factors(of: factor.userID).contains(where: \.kind.isSecondFactor) {
            var user = owner
            user.revokeTokens(at: now)
            _ = try update(user)
        }
        try notify(
            AccountNotice(.factorRemoved, factorName: factor.name), owner, by: client, id: eventID, at: now,
            sealer: sealer)
        return true
    }
}
