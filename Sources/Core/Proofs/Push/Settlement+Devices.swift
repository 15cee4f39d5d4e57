import Foundation

extension Settlement {
    /// A device said yes or no, and its signature is right: the waiting attempt gets it, once.
    func decide(_ decision: DeviceDecision, in transaction: any StoreTransaction) throws -> Authenticator.Settled {
        guard var factor = fitting?.located.factor, let challenge = try context.body.challenge.deviceDecision else {
            return .verdict(.refused(Refusal(.unexpectedAnswer)))
        }
        guard let present = try transaction.factor(factor.id), present.revision == factor.revision else {
            return .stale
        }
        guard var waiting = try transaction.flow(digest: challenge.flow), waiting.finishedAt == nil else {
            return .verdict(.refused(Refusal(.flowFinished)))
        }
        guard waiting.expiresAt > now else { return .verdict(.refused(Refusal(.flowExpired))) }
        var body = try FlowBody.open(waiting, with: sealer)
        guard var approval = body.approval, approval.id == challenge.approvalID, approval.decision == nil else {
            // Another device was quicker, or another request has taken the place of this one.
            return .verdict(.refused(Refusal(.flowFinished)))
        }
        let decided = ApprovalDecision(
            isAllowed: decision.isAllowed, by: factor.id, at: now, reason: decision.reason)
        approval.decision = decided
        // Between the yes and the session that it opens, an application and its user have nothing else that could end.
        if decided.isAllowed, body.purpose == .backchannel, let userID = waiting.userID {
            approval.basis = try transaction.basis(of: userID, to: body.clientID, isWithoutSession: true)
        }
        body.approval = approval
        waiting.body = try body.sealed(by: sealer, digest: waiting.digest, in: transaction)
        guard try transaction.update(waiting) else { return .stale }
        transaction.noteDecision(of: waiting.digest)

        factor.lastUsedAt = now
        guard try transaction.update(factor) else { return .stale }
        try finishFlow(in: transaction)
        try endCharge(.returned, in: transaction)
        var details: [String: JSONValue] = [
            "approval": .string(approval.id), "factor": .string(factor.id.rawValue),
        ]
        if decision.hasDrifted { details["identifierChanged"] = .bool(true) }
        if let reason = decision.reason { details["reason"] = .string(reason) }
        try record(decision.isAllowed ? .approvalAllowed : .approvalRejected, details: details, in: transaction)
        if decision.reason == DeviceDecision.disowned { try endOtherAttempts(than: waiting, in: transaction) }
        return .verdict(.accomplished(.decided(decided)))
    }

    /// The answer completes the sign-in, and another client than the answering one gets the session.
    func keepForLater(_ proof: Proof, in transaction: any StoreTransaction) throws -> Authenticator.Settled {
        guard var flow = try presentFlow(in: transaction), let factorID = proof.factorID
        else { return .verdict(.refused(Refusal(.unexpectedAnswer))) }
        let decision = ApprovalDecision(isAllowed: true, by: factorID, at: now, kind: proof.kind)
        var body = context.body
        body.approval = Approval(
            id: body.approval?.id ?? approvalID, askedAt: body.approval?.askedAt ?? now, expiresAt: flow.expiresAt,
            devices: body.approval?.devices ?? [], decision: decision)
        flow.body = try body.sealed(by: sealer, digest: flow.digest, in: transaction)
        guard try transaction.update(flow) else { return .stale }
        transaction.noteDecision(of: flow.digest)
        try record(
            .approvalAllowed,
            details: ["factor": .string(factorID.rawValue), "kind": .string(proof.kind.rawValue)],
            in: transaction)
        return .verdict(
            .accomplished(
                .proven(decision, recoveryCode: result.replacement)))
    }

    func otherAttempts(
        than waiting: Data, of userID: UserID, in transaction: any StoreTransaction
    ) throws -> [FlowRecord] {
        try transaction.openAttempts(of: userID, but: waiting, at: now)
    }

    private func endOtherAttempts(than waiting: FlowRecord, in transaction: any StoreTransaction) throws {
        guard let userID = waiting.userID else { return }
        let ended = try transaction.end(otherAttempts(than: waiting.digest, of: userID, in: transaction), at: now)
        try transaction.append(
            AuditEvent(
                id: eventID(.alert), at: now, kind: .signInDisowned, userID: userID, context: attempt.client,
                details: ["endedAttempts": .integer(Int64(ended))]))
    }
}
