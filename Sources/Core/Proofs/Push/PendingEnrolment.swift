import Foundation

/// A device or an app that was offered to be enrolled, and has not been yet.
public struct PendingEnrolment: Sendable {
    /// What the factor will be called.
    public let id: FactorID
    /// The user who was offered it.
    public let userID: UserID
    /// What may be enrolled: ``FactorKind/push``, ``FactorKind/totp``, or either.
    public let kinds: [FactorKind]
    /// When it was offered.
    public let begunAt: Date
    /// Until when it may be used.
    public let expiresAt: Date
}

extension Enrolments {
    /// The open offer of this id; nil where there is none, or it was used or has expired.
    public func pending(_ id: FactorID) async throws -> PendingEnrolment? {
        let now = realm.clock.now
        let (sealer, proofs) = (realm.sealer, realm.proofs)
        return try await realm.store.read { transaction in
            guard let flow = try transaction.openFlow(offering: id, at: now), let userID = flow.userID,
                let user = try transaction.user(userID)
            else { return nil }
            let body = try FlowBody.open(flow, with: sealer)
            // An offer of before the user's tokens were revoked, or of a session that was ended, is not taken any more.
            guard case .registration(let offer) = body.challenge, try body.goesOn(for: user, at: now, in: transaction)
            else { return nil }
            return PendingEnrolment(
                id: id, userID: userID, kinds: offer.kinds ?? proofs.kindsByTicket, begunAt: flow.createdAt,
                expiresAt: flow.expiresAt)
        }
    }
}
