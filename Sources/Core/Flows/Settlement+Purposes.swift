import Foundation

/// What a right answer leads to that is no sign-in.
extension Settlement {
    func enrol(
        _ user: User, _ kind: FactorKind, payload: Data, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        switch try insert(kind, payload: payload, of: user, at: .outcome, in: transaction) {
        case .refused(let settled): return settled
        case .inserted(let factor):
            try finishFlow(in: transaction)
            let signedIn = try open(user, body(with: factor), in: transaction)
            return .verdict(.accomplished(.enrolled(factor, signedIn)))
        }
    }

    enum Insertion {
        case inserted(FactorRecord)
        case refused(Authenticator.Settled)
    }

    /// Puts a factor's row where the user has room for it, writes it down and tells the owner, unless the account is just being made.
    func insert(
        _ kind: FactorKind, payload: Data, of user: User, at place: EventPlace, tellsOwner: Bool = true,
        in transaction: any StoreTransaction
    ) throws -> Insertion {
        let present = try transaction.factors(of: user.id)
        guard present.count(where: { $0.kind == kind }) < proofs.limitPerUser(of: kind) else {
            return .refused(.verdict(.refused(Refusal(.factorLimitReached))))
        }
        let id = result.factorID ?? factorID
        let factor = FactorRecord(
            id: id, userID: user.id, kind: kind,
            name: attempt.factorName.isEmpty ? result.factorName ?? "" : attempt.factorName, createdAt: now,
            lastUsedAt: now, payload: try sealer.seal(payload, for: .factor(id), in: transaction))
        guard try transaction.insert(factor) else {
            // A credential is registered once. A random id is never taken.
            return .refused(.verdict(.refused(Refusal(result.factorID == nil ? .busy : .replayed))))
        }
        try record(
            .factorEnrolled, at: place, user: user.id, details: ["factor": .string(factor.id.rawValue)],
            in: transaction)
        if tellsOwner { try notify(.init(.factorAdded, factorName: factor.name), user, in: transaction) }
        return .inserted(factor)
    }

    func verifyEmail(
        _ user: User, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard user.email?.canonical == context.body.email else { return .verdict(.refused(Refusal(.unknownFlow))) }
        var user = user
        user.profile.emailVerified = true
        guard try transaction.update(user) else { return .stale }
        try finishFlow(in: transaction)
        try record(.emailVerified, user: user.id, in: transaction)
        return .verdict(.accomplished(.emailVerified(user)))
    }

    func resetPassword(
        _ user: User, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard user.email?.canonical == context.body.email, let hash = attempt.newPasswordHash else {
            return .verdict(.refused(Refusal(.unknownFlow)))
        }
        guard let user = try replacePassword(of: user, by: hash, in: transaction) else { return .stale }
        try finishFlow(in: transaction)
        return .verdict(.accomplished(.passwordReset(user)))
    }

    /// Sets a new password for a user who has proven the mailbox, and ends the sessions of the old one. Nil where the
    /// user changed meanwhile.
    func replacePassword(
        of user: User, by hash: String, in transaction: any StoreTransaction
    ) throws -> User? {
        var user = user
        try transaction.setPassword(hash, of: &user, newFactorID: factorID, at: now, sealer: sealer)
        user.profile.emailVerified = true
        user.revokeTokens(at: now)
        guard try transaction.update(user) else { return nil }
        try record(.passwordReset, user: user.id, in: transaction)
        try notify(.init(.passwordChanged), user, in: transaction)
        return user
    }

    func changeEmail(
        _ user: User, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard let newEmail = context.body.newEmail, user.email?.canonical == context.body.email else {
            return .verdict(.refused(Refusal(.unknownFlow)))
        }
        let address = EmailAddress(kept: newEmail)
        if let holder = try transaction.user(email: address), holder.id != user.id {
            return .verdict(.refused(Refusal(.addressTaken)))
        }
        var user = user
        let former = user.email
        if let former { try tell(former, of: address, user.id, in: transaction) }
        user.email = address
        user.profile.emailVerified = true
        user.revokeTokens(at: now)
        guard try transaction.update(user) else { return .stale }
        try finishFlow(in: transaction)
        try record(
            .emailChanged, user: user.id, details: ["former": former.map { .string($0.canonical) } ?? .null],
            in: transaction)
        return .verdict(.accomplished(.emailChanged(user)))
    }

    /// Notifies a former address which one has taken its place.
    func tell(
        _ former: EmailAddress, of address: EmailAddress, _ id: UserID, in transaction: any StoreTransaction
    ) throws {
        try transaction.assignOutboxMessages(to: former.canonical, of: id)
        try transaction.send(
            OutboxContent(
                template: "email-changed", locale: attempt.client.locale,
                values: ["email": former.canonical, "newEmail": address.canonical]),
            to: former.canonical, about: id, id: messageID, at: now, sealer: sealer)
    }
}
