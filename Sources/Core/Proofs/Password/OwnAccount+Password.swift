import Foundation

extension OwnAccount {
    /// Sets the account's password, the first or another. This session goes on, all others end.
    public func setPassword(
        _ password: Secret<String>, of session: OwnSession, by client: ClientContext
    ) async throws -> Result<Void, Refusal> {
        if let refusal = try await refusal(of: session) { return .failure(refusal) }
        var change = AccountChange()
        change.password = password
        change.needsFullProof = true
        change.keepsSession = true
        var client = client
        client.refusesFormerPasswords = true
        switch try await realm.accounts.change(session.userID, change, of: session, by: client) {
        case .changed: return .success(())
        case .refused(let refusal):
            switch refusal {
            case .weakPassword(let fault): return .failure(.weakPassword(fault))
            case .newPasswordsLimited(let until), .limited(let until): return .failure(.limited(until: until))
            case .signInTooOld:
                return .failure(try await self.refusal(of: session) ?? .proofTooOld(.aal1))
            case .revoked, .userNotFound: return .failure(.revoked)
            default: return .failure(.busy)
            }
        }
    }

    /// Removes the account's password, where there is another way in. This session goes on, all others end.
    public func removePassword(
        of session: OwnSession, by client: ClientContext
    ) async throws -> Result<Void, Refusal> {
        try await change(of: session, .full, by: client) { transaction, user, draft in
            let factors = try transaction.factors(of: user.id)
            guard let password = factors.password else { throw Refusal.unknown }
            if try draft.proofs.isGivenUpLast(password, of: user, among: factors, in: transaction) {
                throw Refusal.lastWayIn
            }
            try transaction.removePassword(password, of: user, keeping: session.session, draft)
        }
    }
}

extension StoreTransaction {
    func removePassword(
        _ password: FactorRecord, of user: User, keeping session: SessionID?, _ draft: OwnAccount.Draft
    ) throws {
        try reserve(user: user, keeping: session)
        guard try remove(password.id, draft.proofs) else { throw OwnAccount.Refusal.unknown }
        var after = user
        after.profile.providers.remove("password")
        after.revokeTokens(at: draft.now)
        if let session { try carry(session, into: after, at: draft.now) }
        guard try update(after) else { throw OwnAccount.Refusal.busy }
        try append(draft.event(.passwordChanged, of: user.id, ["removed": .bool(true)]))
        try draft.notify(AccountNotice(.passwordRemoved), user, in: self)
    }
}
