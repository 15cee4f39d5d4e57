import Foundation

extension StoreTransaction {
    /// Ends what would open the account of a user who is about to administer, and may be in other hands: links to a new password, to another
    /// address and back to a former one, tickets and invitations to enrol, and a recovery code that an administrator had mailed. All of
    /// them were made when less guarded the account. Sessions, and codes that the user made, stay (`docs/decisions/0561`).
    ///
    /// Called before the role is written, as its row is locked after these.
    func endHandedOut(of user: UserID, at now: Date, _ proofs: ProofRegistry, _ sealer: Sealer) throws {
        let purposes: [FlowPurpose] = [.resetPassword, .changeEmail, .restoreEmail, .enrolFactor]
        let handedOut = try purposes.flatMap {
            try openFlows(of: user, purpose: $0.rawValue, at: now, limit: 1000).map(\.digest)
        }
        let kept = try factors(of: user)
        try reserve(Set([.user(user)] + kept.map { .factor($0.id) } + handedOut.map { .flow($0) }))
        try removeMailedCode(among: kept, proofs, sealer)
        for digest in handedOut { _ = try deleteFlow(digest: digest) }
    }
}
