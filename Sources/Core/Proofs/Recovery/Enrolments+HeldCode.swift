import Foundation

extension Enrolments {
    /// Why no recovery code was mailed.
    public enum HeldCodeRefusal: Error, Sendable, Equatable {
        /// There is no such user.
        case userNotFound
        /// The user has no second factor that a code could stand in for.
        case noSecondFactor
        /// The code goes to an address that is the user's for certain, and there is none.
        case noVerifiedAddress
        /// Too many mails to this address; when there may be more.
        case limited(until: Date)
    }

    /// Has a fresh recovery code mailed to a user who lost the second factors, in place of all earlier ones. It is an answer after
    /// `hold` alone: the mail says so, and a user who did not ask for it has until then to make other codes.
    /// - Parameter hold: seconds.
    /// - Returns: from when on the code is good.
    public func mailRecoveryCode(
        for userID: UserID, heldFor hold: TimeInterval, by client: ClientContext
    ) async throws -> Result<Date, HeldCodeRefusal> {
        let realm = realm
        let now = realm.clock.now
        let heldUntil = now + hold
        let method = RecoveryCodeFactor()
        let code = method.fresh(random: realm.random)
        let factorID = FactorID(rawValue: realm.random.uuid())
        let (eventID, messageID) = (
            AuditEvent.freshID(at: now, random: realm.random), AuditEvent.freshID(at: now, random: realm.random)
        )
        return try await realm.store.write { transaction in
            guard let user = try transaction.user(userID) else { return .failure(.userNotFound) }
            let factors = try transaction.factors(of: userID)
            guard !realm.proofs.secondFactors(among: factors).isEmpty else { return .failure(.noSecondFactor) }
            guard let address = user.email, user.profile.emailVerified else { return .failure(.noVerifiedAddress) }
            let limits = try Mailings.limits(of: address, client, realm.sealer, transaction)
            switch try transaction.ask(limits, at: now) {
            case .admitted(let counters): try transaction.count(counters)
            case .refused(_, .until(let until)): return .failure(.limited(until: until))
            case .refused: return .failure(.limited(until: now))
            }
            if let earlier = factors.recoveryCode { _ = try transaction.remove(earlier.id, realm.proofs) }
            var payload = method.payload(of: code)
            payload.heldUntil = heldUntil
            _ = try transaction.insert(
                FactorRecord(
                    id: factorID, userID: userID, kind: method.kind, name: "", createdAt: now,
                    payload: try realm.sealer.seal(payload.stored, for: .factor(factorID), in: transaction)))
            try transaction.append(
                AuditEvent(
                    id: eventID, at: now, kind: .recoveryCodeMade, userID: userID, context: client,
                    details: ["heldUntil": .string(heldUntil.formatted(Date.ISO8601FormatStyle()))]))
            try transaction.send(
                OutboxContent(
                    template: "recovery-code-held", locale: user.profile.locale ?? client.locale,
                    values: [
                        "email": address.canonical, "code": Self.grouped(code.reveal()),
                        "from": AccountNotice.text(heldUntil),
                    ], expiresAt: now + max(hold, 86_400) + 86_400),
                to: address.canonical, about: userID, id: messageID, at: now, sealer: realm.sealer)
            return .success(heldUntil)
        }
    }

    /// Groups of four, as people read codes.
    private static func grouped(_ code: String) -> String {
        stride(from: 0, to: code.count, by: 4).map { String(code.dropFirst($0).prefix(4)) }.joined(separator: " ")
    }
}

extension StoreTransaction {
    /// Removes the user's recovery code where an administrator had it mailed, whether it is good yet or not.
    func removeMailedCode(among factors: [FactorRecord], _ proofs: ProofRegistry, _ sealer: Sealer) throws {
        guard let code = factors.recoveryCode else { return }
        let payload = try RecoveryCodeFactor.Payload(stored: sealer.open(code.payload, for: .factor(code.id)))
        if payload.heldUntil != nil { _ = try remove(code.id, proofs) }
    }
}
