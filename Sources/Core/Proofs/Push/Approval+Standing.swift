import Foundation

extension Approval {
    /// Devices' requests of one user that are looked through: as many as ``ApprovalDraft`` ends for a new one.
    private static let lookedThrough = 10 * PushFactor.limit

    /// The state of the request, for the waiting client.
    ///
    /// A request that can no longer be answered ends at once, and not only when its time is: because every device that
    /// was asked has been removed, or because a newer request of the same user and application took its place.
    func standing(
        for userID: UserID?, at now: Date, sealer: Sealer, in transaction: any StoreTransaction
    ) throws -> ApprovalState {
        let state = state(at: now)
        guard case .pending = state, let userID else { return state }
        let present = Set(try transaction.factors(of: userID).map(\.id))
        let open = try transaction.openFlows(
            of: userID, purpose: FlowPurpose.approve.rawValue, at: now, limit: Self.lookedThrough)
        let canBeAnswered = try open.contains { flow in
            guard let challenge = try FlowBody.open(flow, with: sealer).challenge.deviceDecision else { return false }
            return challenge.approvalID == id && present.contains(challenge.factorID)
        }
        return canBeAnswered ? state : .expired(id: id)
    }
}
