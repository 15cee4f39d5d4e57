import Foundation

extension Mailings {
    /// Mails a code of eight digits and answers the handle that waits for it. Ten minutes, five wrong answers.
    ///
    /// Where the address has no account the handle looks the same and no code is right.
    public func sendCode(
        to email: EmailAddress, terms: GrantTerms = GrantTerms(), by client: ClientContext
    ) async throws -> Outcome {
        let realm = realm
        let now = realm.clock.now
        let handle = FlowHandle(random: realm.random)
        let code = MailedCode.fresh(random: realm.random)
        let messageID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            if let refusal = try Self.charge(email, client, now, realm.sealer, transaction) { return .refused(refusal) }
            let user = try transaction.user(email: email)
            let body = FlowBody(
                purpose: .signIn, client: client, email: email,
                challenge: try .mailedCode(
                    digest: MailedCode.digest(
                        code, flow: handle.digest, sealer: realm.sealer, in: transaction),
                    expiresAt: now + FlowLifetime.mailedCode),
                terms: terms, tokenEpoch: user?.tokenEpoch)
            let flow = FlowRecord(
                digest: handle.digest, userID: user?.id, purpose: FlowPurpose.signIn.rawValue, createdAt: now,
                expiresAt: now + FlowLifetime.standard,
                body: try body.sealed(by: realm.sealer, digest: handle.digest, in: transaction))
            guard try transaction.insert(flow) else { return .refused(Refusal(.busy)) }
            if user != nil {
                try transaction.send(
                    OutboxContent(
                        template: "code", locale: user?.profile.locale ?? client.locale,
                        values: ["code": code, "email": email.canonical],
                        expiresAt: now + FlowLifetime.mailedCode),
                    to: email.canonical, about: user?.id, id: messageID, at: now, sealer: realm.sealer)
            }
            return .sent(to: email, handle: handle)
        }
    }
}
