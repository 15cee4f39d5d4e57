import Foundation

extension RememberingTransaction {
    func noteDecision(of attempt: Data) { notes.decided(attempt: attempt) }

    func announceEnd(of grant: Grant) throws {
        guard grant.dialect == .oauth, grant.revokedAt == nil, let session = try session(grant.sessionID),
            let user = try user(grant.userID)
        else { return }
        notes.ended(SessionEnding(user: user, session: session, holders: [GrantHolder(of: grant)]))
    }
}
