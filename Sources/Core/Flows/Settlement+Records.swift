import Foundation

/// What several ends of an attempt write.
extension Settlement {
    /// Tells the owner of a change. One settlement has at most one: the message's id is drawn beforehand.
    func notify(_ notice: AccountNotice, _ user: User, in transaction: any StoreTransaction) throws {
        try transaction.notify(notice, user, by: attempt.client, id: messageID, at: now, sealer: sealer)
    }

    /// What a right answer writes in another order than the one that all transactions keep.
    func writtenRows(in transaction: any StoreTransaction) throws -> Set<ReservedRow> {
        var rows: Set<ReservedRow> = []
        var flows: Set<Data> = []
        if let user = context.user { rows.insert(.user(user.id)) }
        if let fitting, let settling = fitting.method as? any SettlingProof {
            if let factor = fitting.located.factor { rows.insert(.factor(factor.id)) }
            flows.formUnion(try settling.writtenFlows(result.finding, self, in: transaction))
        }
        if let invitation = context.body.invitation { flows.insert(invitation) }
        // The flow that is answered is written beside others only where there are any.
        if let own = context.flow?.digest, !flows.isEmpty { flows.insert(own) }
        return rows.union(flows.map { .flow($0) })
    }

    /// An answer is counted before its verdict is disclosed.
    /// - Returns: why its verdict must not be disclosed now.
    func renewCharge(in transaction: any StoreTransaction) throws -> Refusal? {
        try context.charge.flatMap { try transaction.renew($0, at: now) }
    }

    func endCharge(_ end: ChargeEnd, in transaction: any StoreTransaction) throws {
        if let charge = context.charge { try transaction.end(charge, end) }
    }

    /// The flow that is answered as it is now, this answer counted: whatever writes it counts the answer with it.
    func presentFlow(in transaction: any StoreTransaction) throws -> FlowRecord? {
        guard let judged = context.flow, var flow = try transaction.flow(digest: judged.digest) else { return nil }
        // Of one transaction: nothing else counts meanwhile.
        if isAtOnce, context.charge != nil, flow.attempts == judged.attempts { flow.attempts += 1 }
        return flow
    }

    /// Counts the answer in its flow, where nothing else has written the flow.
    func countInFlow(in transaction: any StoreTransaction) throws {
        guard isAtOnce, let judged = context.flow, let flow = try presentFlow(in: transaction),
            flow.attempts != judged.attempts, try transaction.flow(digest: judged.digest)?.attempts == judged.attempts
        else { return }
        _ = try transaction.update(flow)
    }

    /// A handle is valid for one success.
    /// - Parameter outcome: what the request is answered if it comes again; nil: that the attempt is over.
    func finishFlow(answering outcome: AnsweredRequest.Outcome? = nil, in transaction: any StoreTransaction) throws {
        guard var flow = try presentFlow(in: transaction) else { return }
        flow.finishedAt = now
        if let outcome {
            var body = context.body
            body.memory = try .of(
                request, outcome, at: now, attempts: flow.attempts, sealer: sealer, in: transaction)
            flow.body = try body.sealed(by: sealer, digest: flow.digest, in: transaction)
        }
        _ = try transaction.update(flow)
    }

    /// The events that one settlement may write, each at most once.
    enum EventPlace: Int, CaseIterable {
        case outcome, refusal, alert, enrolment
    }

    func eventID(_ place: EventPlace) -> String { draft.eventID(place) }

    func record(
        _ kind: AuditEvent.Kind, reason: Refusal.Reason? = nil, at place: EventPlace = .outcome, user: UserID? = nil,
        details: [String: JSONValue] = [:], in transaction: any StoreTransaction
    ) throws {
        var details = details
        if reason == nil { details["purpose"] = .string(context.body.purpose.rawValue) }
        if reason != nil { details.merge(context.auditDetails) { present, _ in present } }
        try transaction.append(
            AuditEvent(
                id: eventID(reason == nil ? place : .refusal), at: now, kind: kind, userID: user ?? context.user?.id,
                context: attempt.client, reason: reason?.rawValue, details: details))
    }
}
