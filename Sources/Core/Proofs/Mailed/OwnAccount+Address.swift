import Foundation

extension OwnAccount {
    /// Mails a code of eight digits to the address that is to be the account's. The present address stays until the code comes back.
    ///
    /// That an address has an account already is told, as its owner would have to be found out by a mail otherwise; it counts as a mail, so
    /// that a client cannot ask about any number.
    /// - Returns: the handle that waits for the code.
    public func beginAddressChange(
        to address: EmailAddress, of session: OwnSession, by client: ClientContext
    ) async throws -> Result<FlowHandle, Refusal> {
        let handle = FlowHandle(random: realm.random)
        let code = MailedCode.fresh(random: realm.random)
        let outcome = try await change(of: session, .full, by: client) {
            transaction, user, draft -> Result<FlowHandle, Refusal> in
            if let limited = try Mailings.charge(address, client, draft.now, draft.sealer, transaction) {
                throw Refusal.limited(until: limited.retryAt ?? draft.now + 60)
            }
            // These are counted, so they are no error that undoes.
            if user.email == address {
                // The present one is asked for once, until it is proven.
                if user.profile.emailVerified { return .failure(.invalid("address")) }
            } else if try !transaction.settings().privacy.hidesAddresses || client.revealsAddresses,
                try transaction.user(email: address) != nil
            {
                return .failure(.addressTaken)
            }
            // Where addresses are hidden, the code goes to a taken one as well: who has that mailbox learns that it is taken, and who
            // has not learns nothing.
            let expiresAt = draft.now + FlowLifetime.mailedCode
            var body = FlowBody(
                purpose: .changeEmail, client: client, email: user.email, newEmail: address,
                challenge: try .mailedCode(
                    digest: MailedCode.digest(code, flow: handle.digest, sealer: draft.sealer, in: transaction),
                    expiresAt: expiresAt),
                maximumAttempts: 5, tokenEpoch: user.tokenEpoch)
            body.keptSession = session.session
            try body.start(by: session.session, in: transaction)
            guard
                try transaction.insert(
                    FlowRecord(
                        digest: handle.digest, userID: user.id, purpose: FlowPurpose.changeEmail.rawValue,
                        createdAt: draft.now, expiresAt: expiresAt,
                        body: try body.sealed(by: draft.sealer, digest: handle.digest, in: transaction)))
            else { return .failure(.busy) }
            try transaction.send(
                OutboxContent(
                    template: "code", locale: user.profile.locale ?? client.locale,
                    values: ["code": code, "email": address.canonical], expiresAt: expiresAt),
                to: address.canonical, about: user.id, id: draft.id, at: draft.now, sealer: draft.sealer)
            try transaction.append(draft.event(.mailQueued, of: user.id, ["template": "code"]))
            return .success(handle)
        }
        return outcome.flatMap { $0 }
    }

    /// Gives the account its new address, by the code that the address got. This session goes on, all others end; the former address gets a
    /// link that takes the change back for a day.
    public func completeAddressChange(
        _ handle: FlowHandle, code: Secret<String>, of session: OwnSession, by client: ClientContext
    ) async throws -> Result<User, Refusal> {
        if let refusal = try await refusal(of: session) { return .failure(refusal) }
        let expectation = FlowExpectation(
            [.changeEmail], at: [.mailedCode], of: [.dialect(client.dialect)], user: session.userID)
        switch try await realm.authenticator.answer(.mailedCode(code), to: .flow(handle, expectation), by: client) {
        case .accomplished(.emailChanged(let user)), .accomplished(.emailVerified(let user)): return .success(user)
        case .refused(let refusal) where refusal.reason == .addressTaken: return .failure(.addressTaken)
        case .refused(let refusal): return .failure(.wrong(refusal))
        default: return .failure(.wrong(CountersignCore.Refusal(.unexpectedAnswer)))
        }
    }
}
