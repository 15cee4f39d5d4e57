import Foundation

/// What a right answer leads to that is no sign-in.
extension Settlement {
    func enrol(
        _ user: User, _ kind: FactorKind, payload: Data, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        switch try insert(kind, payload: payload, of: user, at: .outcome, in: transaction) {
        case .refused(let settled): return settled
        case .inserted(let factor):
            if request == nil { try finishFlow(in: transaction) }
            let signedIn = try open(user, body(with: factor), in: transaction)
            if request != nil {
                try finishFlow(
                    answering: .enrolled(
                        factor.id, signedIn.session.id, refreshToken: signedIn.refreshToken.reveal()), in: transaction)
            }
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
        if tellsOwner {
            let notice = proofs.traits(kind)?.addedNotice ?? .factorAdded
            try notify(.init(notice, factorName: factor.name), user, in: transaction)
        }
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

    /// Sets a new password for a user who has proven the mailbox, and ends the sessions of the old one. Where the mailbox was never proven
    /// before, a stranger's passkeys go with the stranger's password. Nil where the user changed meanwhile.
    func replacePassword(
        of user: User, by hash: String, in transaction: any StoreTransaction
    ) throws -> User? {
        if !user.profile.emailVerified {
            try removeWaysIn(of: user, but: transaction.factors(of: user.id).password?.id, in: transaction)
        }
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
        // A user who is signed in has shown that the present address is theirs: nothing moves, and no session ends.
        if user.email == address, context.body.keptSession != nil { return try verifyEmail(user, in: transaction) }
        if let holder = try transaction.user(email: address), holder.id != user.id {
            return .verdict(.refused(Refusal(.addressTaken)))
        }
        var user = user
        let former = user.email
        if let kept = context.body.keptSession {
            let flow = context.flow.map { [ReservedRow.flow($0.digest)] } ?? []
            try transaction.reserve(Set(flow + [.user(user.id), .session(kept)]))
        }
        let undo = try transaction.keepUndo(
            ofChangeOf: user, to: address, under: handle, linkFormat, by: attempt.client, at: now, sealer: sealer)
        if let former { try tell(former, of: address, user.id, undo: undo, in: transaction) }
        user.email = address
        user.profile.emailVerified = true
        user.revokeTokens(at: now)
        if let kept = context.body.keptSession { try transaction.carry(kept, into: user, at: now) }
        guard try transaction.update(user) else { return .stale }
        try finishFlow(in: transaction)
        try record(
            .emailChanged, user: user.id, details: ["former": former.map { .string($0.canonical) } ?? .null],
            in: transaction)
        return .verdict(.accomplished(.emailChanged(user)))
    }

    /// The former address gets the account back, whatever it was changed to since, and also where it is to be removed. All sessions end,
    /// and the links that could undo later changes go: who made those changes may hold them. So do the ways to sign in that were added
    /// since; a password that was set since is frozen, until another one is set. Tokens of programs that were made since end.
    func restoreEmail(
        _ user: User, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard let address = context.body.address else { return .verdict(.refused(Refusal(.unknownFlow))) }
        if let holder = try transaction.user(email: address), holder.id != user.id {
            return .verdict(.refused(Refusal(.addressTaken)))
        }
        let others = try [FlowPurpose.restoreEmail, .keepAccount].flatMap { purpose in
            try transaction.openFlows(of: user.id, purpose: purpose.rawValue, at: now, limit: 1000)
        }.map(\.digest).filter { $0 != context.flow?.digest }
        let own = context.flow.map { [$0.digest] } ?? []
        let factors = try transaction.factors(of: user.id)
        try transaction.reserve(
            Set((others + own).map { .flow($0) } + [.user(user.id)] + factors.map { .factor($0.id) }))
        let since = context.flow?.createdAt ?? now
        var added: [FactorRecord] = []
        for factor in factors {
            if factor.createdAt >= since {
                if try transaction.remove(factor.id, proofs) { added.append(factor) }
            } else if factor.id == factors.password?.id, user.passwordChangedAt.map({ $0 >= since }) == true {
                _ = try transaction.freeze(factor, at: now)
            }
        }
        var user = user
        let former = user.email
        if let former, former != address { try tell(former, of: address, user.id, in: transaction) }
        user.email = address
        user.profile.emailVerified = true
        let wasToGo = user.deletionDueAt != nil
        user.deletionDueAt = nil
        user.revokeTokens(at: now)
        guard try transaction.update(user) else { return .stale }
        try finishFlow(in: transaction)
        for digest in others { _ = try transaction.deleteFlow(digest: digest) }
        let tokens = try transaction.endMachineTokens(of: user.id, madeSince: since, at: now)
        if wasToGo { try record(.deletionWithdrawn, at: .alert, user: user.id, in: transaction) }
        if !added.isEmpty { try notify(.init(.factorsRemoved), user, in: transaction) }
        let details: [String: JSONValue] = ["former": former.map { .string($0.canonical) } ?? .null]
        try record(
            .emailRestored, user: user.id, details: details.merging(MachineToken.details(ofEnded: tokens)) { $1 },
            in: transaction)
        return .verdict(.accomplished(.emailChanged(user)))
    }

    /// The account stays. Its sessions do not come back.
    func keepAccount(
        _ user: User, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard user.deletionDueAt != nil else { return .verdict(.refused(Refusal(.unknownFlow))) }
        var user = user
        user.deletionDueAt = nil
        guard try transaction.update(user) else { return .stale }
        try finishFlow(in: transaction)
        try record(.deletionWithdrawn, user: user.id, in: transaction)
        try notify(.init(.deletionWithdrawn), user, in: transaction)
        return .verdict(.accomplished(.accountKept(user)))
    }

    /// Notifies a former address which one has taken its place.
    /// - Parameter undo: the path of the link that takes the change back; nil where there is none.
    func tell(
        _ former: EmailAddress, of address: EmailAddress, _ id: UserID, undo: String? = nil,
        in transaction: any StoreTransaction
    ) throws {
        try transaction.assignOutboxMessages(to: former.canonical, of: id)
        var values = ["email": former.canonical, "newEmail": address.canonical]
        values["link"] = undo
        try transaction.send(
            OutboxContent(template: "email-changed", locale: attempt.client.locale, values: values),
            to: former.canonical, about: id, id: messageID, at: now, sealer: sealer)
    }
}

extension StoreTransaction {
    /// Keeps what gives an account its former address back: for a day, by a link that goes there.
    ///
    /// An address that nothing has proven takes nothing back: it may be a stranger's, mistyped when the account was made.
    /// - Parameters:
    ///   - user: as it was before the change.
    ///   - handle: unused so far.
    /// - Returns: the link's path; nil where there is none.
    func keepUndo(
        ofChangeOf user: User, to address: EmailAddress, under handle: FlowHandle, _ links: any LinkFormat,
        by client: ClientContext, at now: Date, sealer: Sealer
    ) throws -> String? {
        guard let former = user.email, user.profile.emailVerified else { return nil }
        let body = FlowBody(
            purpose: .restoreEmail, client: client, email: former, newEmail: address, challenge: .link)
        _ = try insert(
            FlowRecord(
                digest: handle.digest, userID: user.id, purpose: FlowPurpose.restoreEmail.rawValue, createdAt: now,
                expiresAt: now + FlowLifetime.undoLink,
                body: try body.sealed(by: sealer, digest: handle.digest, in: self)))
        return links.path(of: ActionLink(.restoreEmail, code: handle.token, locale: client.locale))
    }
}
