import Crypto
import Foundation

extension Settlement {
    /// A device said yes or no, and its signature is right: the attempt that waits is told, once.
    func decide(_ decision: DeviceDecision, in transaction: any StoreTransaction) throws -> Authenticator.Settled {
        guard case .device(var factor, let challenge) = matter.judged else {
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
        body.approval = approval
        waiting.body = try body.sealed(by: sealer, digest: waiting.digest, in: transaction)
        guard try transaction.update(waiting) else { return .stale }

        factor.lastUsedAt = now
        guard try transaction.update(factor) else { return .stale }
        try finishFlow(in: transaction)
        if let source = attempt.client.limitedSource {
            try transaction.refund(key: CounterKey.answers(from: source))
        }
        var details: [String: JSONValue] = [
            "approval": .string(approval.id), "factor": .string(factor.id.rawValue),
        ]
        if decision.hasDrifted { details["identifierChanged"] = .bool(true) }
        if let reason = decision.reason { details["reason"] = .string(reason) }
        try record(decision.isAllowed ? .approvalAllowed : .approvalRejected, details: details, in: transaction)
        if decision.reason == DeviceDecision.disowned { try endOtherAttempts(than: waiting, in: transaction) }
        return .verdict(.accomplished(.decided(decided)))
    }

    /// The answer completes the sign-in, and the one who gave it is not who gets the session.
    func keepForLater(_ proof: Proof, in transaction: any StoreTransaction) throws -> Authenticator.Settled {
        guard let judged = matter.flow, var flow = try transaction.flow(digest: judged.digest),
            let factorID = proof.factorID
        else { return .verdict(.refused(Refusal(.unexpectedAnswer))) }
        let decision = ApprovalDecision(isAllowed: true, by: factorID, at: now, kind: proof.kind)
        var body = matter.body
        body.approval = Approval(
            id: body.approval?.id ?? approvalID, askedAt: body.approval?.askedAt ?? now, expiresAt: flow.expiresAt,
            devices: body.approval?.devices ?? [], decision: decision)
        flow.body = try body.sealed(by: sealer, digest: flow.digest, in: transaction)
        guard try transaction.update(flow) else { return .stale }
        try record(.approvalAllowed, details: ["factor": .string(factorID.rawValue)], in: transaction)
        return .verdict(
            .accomplished(
                .proven(decision, recoveryCode: proof.kind == .recoveryCode ? recoveryCode : nil)))
    }

    /// Somebody else knows the password: whatever else waits for a second factor is theirs too.
    private func endOtherAttempts(than waiting: FlowRecord, in transaction: any StoreTransaction) throws {
        guard let userID = waiting.userID else { return }
        var ended = 0
        for purpose in [FlowPurpose.signIn, .approve] {
            for var other in try transaction.openFlows(of: userID, purpose: purpose.rawValue, at: now, limit: 1000)
            where other.digest != waiting.digest {
                other.finishedAt = now
                if try transaction.update(other) { ended += 1 }
            }
        }
        try transaction.append(
            AuditEvent(
                id: eventIDs[1], at: now, kind: .signInDisowned, userID: userID, context: attempt.client,
                details: ["endedAttempts": .integer(Int64(ended))]))
    }

    /// A device comes with its ticket.
    func enrolDevice(
        _ user: User?, _ offer: DeviceOffer, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard let user, case .device(let registration) = attempt.answer else {
            return .verdict(.refused(Refusal(.unexpectedAnswer)))
        }
        let factors = try transaction.factors(of: user.id)
        guard factors.count(where: { $0.kind == .push }) < PushFactor.limit else {
            return .verdict(.refused(Refusal(.factorLimitReached)))
        }
        if let digest = matter.body.invitation {
            guard var invitation = try transaction.flow(digest: digest), invitation.finishedAt == nil else {
                return .verdict(.refused(Refusal(.flowFinished)))
            }
            guard invitation.expiresAt > now else { return .verdict(.refused(Refusal(.flowExpired))) }
            invitation.finishedAt = now
            guard try transaction.update(invitation) else { return .stale }
        }
        let payload = PushFactor.Payload(
            identifier: registration.identifier, key: registration.key,
            tokenDigest: Data(SHA256.hash(data: Data(deviceToken.reveal().utf8))), service: registration.service,
            pushToken: registration.pushToken, totp: offer.totpSecret.map { TOTPFactor.Payload(secret: $0) })
        let factor = FactorRecord(
            id: offer.factorID, userID: user.id, kind: .push, name: registration.name.filter { $0 != "\0" },
            createdAt: now,
            payload: try sealer.seal(JSONEncoder().encode(payload), for: .factor(offer.factorID), in: transaction))
        guard try transaction.insert(factor) else { return .verdict(.refused(Refusal(.flowFinished))) }
        var code: Secret<String>?
        if !factors.contains(where: { $0.kind == .recoveryCode }) {
            code = recoveryCode
            try transaction.insertRecoveryCode(recoveryCode, id: factorID, of: user.id, at: now, sealer: sealer)
        }
        try finishFlow(in: transaction)
        try record(.factorEnrolled, user: user.id, details: ["factor": .string(factor.id.rawValue)], in: transaction)
        return .verdict(
            .accomplished(
                .deviceEnrolled(
                    DeviceEnrolment(
                        factor: factor, user: user, token: deviceToken,
                        totpSecret: offer.totpSecret.map { Secret(Array($0)) }, recoveryCode: code))))
    }
}
