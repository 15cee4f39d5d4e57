import Foundation

extension Enrolments {
    /// What came of adding authenticators.
    public enum AdditionOutcome: Sendable {
        /// They are the user's now, in the order in which they were given.
        case added([FactorRecord])
        /// None was added, and nothing removed.
        case refused(EnrolmentRefusal)
    }

    /// Adds authenticators whose secrets are known, with nothing left to prove.
    /// - Parameter replacing: whether everything that the user had goes, in the same instant; an empty list is then a
    ///   reset.
    public func add(
        _ authenticators: [PortableTOTP], to userID: UserID, replacing: Bool = false, by client: ClientContext
    ) async throws -> AdditionOutcome {
        let now = realm.clock.now
        let (realm, sealer) = (realm, realm.sealer)
        let ids = authenticators.map { _ in FactorID(rawValue: realm.random.uuid()) }
        let eventIDs = (0...authenticators.count).map { _ in AuditEvent.freshID(at: now, random: realm.random) }
        return try await realm.store.write { transaction in
            guard var user = try transaction.user(userID) else { return .refused(.userNotFound) }
            let settings = try transaction.settings().secondFactors
            guard authenticators.isEmpty || realm.proofs.isOffered(.totp, settings) else {
                return .refused(.notOffered)
            }
            let present = try transaction.factors(of: userID)
            let kept = replacing ? [] : present.filter { $0.kind == .totp }
            guard kept.count + authenticators.count <= realm.proofs.limitPerUser(of: .totp) else {
                return .refused(.limitReached)
            }
            let removesFactors = replacing && !realm.proofs.secondFactors(among: present).isEmpty
            if removesFactors {
                for factor in present where realm.proofs.isSecondFactorOrStandIn(factor.kind) {
                    _ = try transaction.remove(factor.id, realm.proofs)
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
                        authenticator.payload.stored, for: .factor(ids[index]), in: transaction))
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
