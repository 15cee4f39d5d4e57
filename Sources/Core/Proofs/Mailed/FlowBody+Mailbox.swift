import Foundation

extension FlowBody {
    /// Whether the account's own mailbox can become its second factor in this attempt: not where it is the first, be it for
    /// want of a password or because a code to it began this very sign-in, sign-up or reset.
    func mayRegisterOwnMailbox(of user: User, in transaction: any StoreTransaction) throws -> Bool {
        if proven.beginWithMailbox { return false }
        return try transaction.factors(of: user.id).password != nil
    }

    /// What may prove the rest. A mailbox only where there is nothing stronger and a second factor is required, and never
    /// the one that gave the first proof.
    func usableSecondFactors(
        of user: User, _ settings: SecondFactorSettings, _ proofs: ProofRegistry, _ sealer: Sealer,
        in transaction: any StoreTransaction
    ) throws -> [FactorRecord] {
        let factors = try transaction.factors(of: user.id)
        let policy = AssurancePolicy(
            settings: settings, requiresSecondFactor: requiresSecondFactor, proofs: proofs)
        if case .secondFactor(let strong) = policy.decide(proven: proven, factors: factors) {
            return strong.filter { factor in journey.map { $0.abilities.answers(factor, proofs) } ?? true }
        }
        guard requiresSecondFactor else { return [] }
        let usedUp = proven.beginWithMailbox ? email : nil
        let mailboxes = try factors.filter {
            try proofs.traits($0.kind)?.role == .lesserSecond
                && MailboxFactor.address(of: $0, with: sealer).canonical != usedUp
        }
        // What is reported lost makes the question necessary, and is no answer to it.
        let answering = mailboxes.filter { $0.frozenAt == nil }
        return answering.isEmpty ? mailboxes : answering
    }
}

extension FactorRecord {
    /// The address of a registered mailbox.
    func mailbox(with sealer: Sealer) throws -> EmailAddress { try MailboxFactor.address(of: self, with: sealer) }
}
