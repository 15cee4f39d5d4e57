import Foundation

extension Settlement {
    /// Registers the mailbox that a code came back from, or that was proven before.
    func register(
        _ user: User, _ proof: Proof?, _ journey: Journey, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard let contact = journey.contact, contact.isProven || proof != nil else {
            return .verdict(.refused(Refusal(.unexpectedAnswer)))
        }
        let address = EmailAddress(kept: contact.address)
        let mailboxes = try transaction.factors(of: user.id).filter { $0.kind == .email }
        guard mailboxes.count < MailboxFactor.limit else {
            return .verdict(.refused(Refusal(.factorLimitReached)))
        }
        var id = factorID
        if let present = try mailboxes.first(where: { try MailboxFactor.address(of: $0, with: sealer) == address }) {
            id = present.id
        } else {
            let factor = FactorRecord(
                id: id, userID: user.id, kind: .email, name: "", createdAt: now, lastUsedAt: now,
                payload: try sealer.seal(MailboxFactor.payload(address), for: .factor(id), in: transaction))
            guard try transaction.insert(factor) else { return .verdict(.refused(Refusal(.busy))) }
            try record(
                .factorEnrolled, user: user.id, details: ["factor": .string(id.rawValue)], in: transaction)
            try notify(.init(.factorAdded, factorName: address.canonical), user, in: transaction)
        }
        var (body, journey) = (context.body, journey)
        if !contact.isProven {
            body.proven.append(Proof(kind: .email, factorID: id, at: now, isSecondFactor: true))
        }
        journey.hasRegistered = true
        body.challenge = .claim
        return try step(.complete, body, journey, stage: .complete, in: transaction)
    }
}
