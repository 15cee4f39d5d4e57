import Foundation

/// An answer that is no part of a flow. It goes through the same door as the others (``Authenticator/attempt(_:)``).
///
/// A module above the core says what the answer is counted in, which means of proof judges it, and what follows. The door
/// charges before it judges, asks all limits before it counts in any, holds no transaction while it judges, tells an answer only where it is
/// counted, and ends every charge.
package protocol ChargedAttempt: Sendable {
    /// The means of proof that judges the answer. It need not be one of the realm's: no flow asks for it.
    associatedtype Method: ProofMethod
    /// The result for the caller of the door.
    associatedtype Outcome: Sendable

    var method: Method { get }
    var response: Method.Response { get }
    /// The requester: answers count against its source.
    var client: ClientContext { get }
    /// The instant of the request.
    var now: Date { get }
    /// What the log says of an answer that is refused before it was judged.
    var auditDetails: [String: JSONValue] { get }

    /// Finds what the answer is about, and says what it is counted in. It writes nothing but what it hands over with its
    /// answer; the transaction may run twice.
    /// - Parameter charge: names the charge. An attempt that keeps a count of its own keeps the name with it.
    func admit(_ charge: String, in transaction: any StoreTransaction) throws -> AttemptAdmission<Outcome>

    /// Makes the judgement count, once, where what was judged is still there. A refusal for ``Refusal/Reason/approvalPending`` is
    /// neither right nor wrong yet, and costs no attempt.
    func settle(
        _ judgement: Judgement<Method.Payload>, _ charge: String, in transaction: any StoreTransaction
    ) throws -> AttemptSettlement<Outcome>

    /// Ends the count of the attempt's own where ``settle(_:_:in:)`` did not: the answer was not judged, by our own
    /// fault, could not be made to count, or must not be disclosed because a limit is now used up.
    func release(_ charge: String, _ end: ChargeEnd, in transaction: any StoreTransaction) throws

    /// The result of an answer that a limit refuses.
    func outcome(of refusal: Refusal) -> Outcome
}

/// What an attempt says of itself when it is to be charged.
package enum AttemptAdmission<Outcome: Sendable> {
    /// The answer may be judged, where these limits and that of the source admit it.
    /// - `write` writes a count of the attempt's own, after all limits were asked. False where another request came first,
    ///   of which `busy` tells.
    case admitted(counted: [Allowance], busy: Outcome, write: () throws -> Bool)
    /// The answer is not judged. It counts against the source and stands in the log; `write` writes what else is to be kept.
    case refused(Refusal, write: () throws -> Void)
    /// The answer is not judged, and counts nowhere.
    case ended(Outcome)
}

/// How an attempt was settled.
package enum AttemptSettlement<Outcome: Sendable>: Sendable {
    /// The charge ends so.
    case settled(Outcome, ChargeEnd)
    /// Another attempt has taken the place of this one: its charge lapses by itself (``OpenCharge``).
    case superseded(Outcome)
    /// Nothing could be written, and the transaction is undone.
    case undone(Outcome)
}

extension Authenticator {
    /// Judges an answer that is no part of a flow.
    ///
    /// What is thrown is our own failure; the answer then counts only where it was wrong.
    package func attempt<A: ChargedAttempt>(_ attempt: A) async throws -> A.Outcome {
        switch try await charge(attempt, ChargeID(random: realm.random)) {
        case .refused(let outcome): return outcome
        case .admitted(let charge, let settings):
            let permit = JudgingPermit(
                realm, settings: settings, at: attempt.now, revealsAddresses: attempt.client.revealsAddresses)
            let judgement = try await ending(attempt, charge, .returned) {
                try await attempt.method.judge(attempt.response, against: ProofMaterial(), by: permit)
            }
            let end = judgement.isWrong ? ChargeEnd.kept : .returned
            return try await ending(attempt, charge, end) {
                do {
                    return try await settle(attempt, charge, judgement)
                } catch let undone as Undone<A.Outcome> {
                    await self.end(attempt, charge, end)
                    return undone.outcome
                }
            }
        }
    }

    private enum ChargedAnswer<Outcome: Sendable>: Sendable {
        case admitted(Charge, RealmSettings)
        case refused(Outcome)
    }

    private func charge<A: ChargedAttempt>(_ attempt: A, _ id: ChargeID) async throws -> ChargedAnswer<A.Outcome> {
        let realm = realm
        let eventID = AuditEvent.freshID(at: attempt.now, random: realm.random)
        let ended = realm.unsettledCharges.ends(at: attempt.now)
        do {
            return try await realm.store.write { transaction in
                try Self.charge(
                    attempt, id, eventID, ended: ended, attempt.admit(id.name, in: transaction), in: transaction)
            }
        } catch let error as StoreError where error.code == .outcomeUnknown {
            // Perhaps it is counted; nothing has judged it.
            realm.unsettledCharges.note(id.name, .returned, at: attempt.now)
            throw error
        }
    }

    /// - Parameter ended: what became of earlier charges that could not be settled in their own time.
    private static func charge<A: ChargedAttempt>(
        _ attempt: A, _ id: ChargeID, _ eventID: String, ended: [String: ChargeEnd],
        _ admission: AttemptAdmission<A.Outcome>, in transaction: any StoreTransaction
    ) throws -> ChargedAnswer<A.Outcome> {
        /// An answer that is not judged counts against the source like a wrong one. A flood from one source is in the log with
        /// its first hundred answers.
        func refuse(_ refusal: Refusal, _ write: () throws -> Void = {}) throws -> ChargedAnswer<A.Outcome> {
            if refusal.reason == .sourceLimited { return .refused(attempt.outcome(of: refusal)) }
            if let limited = try transaction.chargeAnswer(of: attempt.client, at: attempt.now, from: id.part) {
                return .refused(attempt.outcome(of: limited))
            }
            try write()
            try transaction.append(
                AuditEvent(
                    id: eventID, at: attempt.now, kind: .answerRefused, userID: nil, context: attempt.client,
                    reason: refusal.reason.rawValue, details: attempt.auditDetails))
            return .refused(attempt.outcome(of: refusal))
        }
        switch admission {
        case .ended(let outcome): return .refused(outcome)
        case .refused(let refusal, let write): return try refuse(refusal, write)
        case .admitted(let counted, let busy, let write):
            let source = attempt.client.limitedSource.map {
                Allowance(.answersPerSource, CounterKey.answers(from: $0))
            }
            let limits = counted + [source].compactMap { $0 }
            switch try transaction.ask(limits, at: attempt.now, as: id.name, from: id.part, ended: ended) {
            case .refused(let allowance, let refusal): return try refuse(Refusal(by: allowance, refusal))
            case .admitted(let counters):
                guard try write() else { return .refused(busy) }
                try transaction.count(counters)
                return .admitted(
                    Charge(id: id, counted: zip(limits, counters).map { Allowance($0.rule, $1.key) }, flow: nil),
                    try transaction.settings())
            }
        }
    }

    /// Runs a transaction in which one answer may be judged at once (``AtOnce``).
    ///
    /// Charging, judging and settling are then one: all of it is there, or nothing. So no charge is ever open that could lapse, and
    /// of many answers sent at once each is judged after the one before was settled.
    /// - Throws: ``UndoneAttempt`` where the answer could not be made to count.
    package func atOnce<T: Sendable>(
        at now: Date, _ body: @escaping @Sendable (AtOnce, any StoreTransaction) throws -> T
    ) async throws -> T {
        let door = AtOnce(
            realm: realm, charge: ChargeID(random: realm.random),
            eventID: AuditEvent.freshID(at: now, random: realm.random), ended: realm.unsettledCharges.ends(at: now))
        return try await realm.store.write { try body(door, $0) }
    }

    /// The door for one answer within a transaction. Its random values were drawn before.
    package struct AtOnce: Sendable {
        fileprivate let realm: Realm
        fileprivate let charge: ChargeID
        fileprivate let ended: [String: ChargeEnd]
        /// Of the one event that the answer leads to.
        package let eventID: String

        fileprivate init(realm: Realm, charge: ChargeID, eventID: String, ended: [String: ChargeEnd]) {
            (self.realm, self.charge, self.eventID, self.ended) = (realm, charge, eventID, ended)
        }

        /// Names the answer's charge.
        package var chargeName: String { charge.name }

        /// Judges an answer as ``Authenticator/attempt(_:)`` does.
        ///
        /// Its means of proof has to be one that judges at once (``ProofMethod/judgeAtOnce(_:against:by:)``).
        /// - Parameter admission: what the attempt is counted in. A count of its own it keeps until it settles; its `write` is not
        ///   called.
        package func attempt<A: ChargedAttempt>(
            _ attempt: A, admission: AttemptAdmission<A.Outcome>, in transaction: any StoreTransaction,
            settle: (Judgement<A.Method.Payload>) throws -> AttemptSettlement<A.Outcome>
        ) throws -> A.Outcome {
            var admission = admission
            if case .admitted(let counted, let busy, _) = admission {
                admission = .admitted(counted: counted, busy: busy, write: { true })
            }
            switch try Authenticator.charge(attempt, charge, eventID, ended: ended, admission, in: transaction) {
            case .refused(let outcome): return outcome
            case .admitted(let charge, let settings):
                let permit = JudgingPermit(
                    realm, settings: settings, at: attempt.now, revealsAddresses: attempt.client.revealsAddresses)
                guard
                    let judgement = try attempt.method.judgeAtOnce(
                        attempt.response, against: { ProofMaterial() }, by: permit)
                else { throw UndoneAttempt() }
                switch try settle(judgement) {
                case .settled(let outcome, let end):
                    try transaction.end(charge, end)
                    return outcome
                case .superseded(let outcome): return outcome
                case .undone: throw UndoneAttempt()
                }
            }
        }
    }

    private func settle<A: ChargedAttempt>(
        _ attempt: A, _ charge: Charge, _ judgement: Judgement<A.Method.Payload>
    ) async throws -> A.Outcome {
        let eventID = AuditEvent.freshID(at: attempt.now, random: realm.random)
        return try await realm.store.write { transaction in
            // A charge that has lapsed meanwhile is charged again, or the verdict is not disclosed.
            if !judgement.isPending, let refusal = try transaction.renew(charge, at: attempt.now) {
                try transaction.end(charge, .kept)
                try attempt.release(charge.id.name, .kept, in: transaction)
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: attempt.now, kind: .answerRefused, userID: nil, context: attempt.client,
                        reason: refusal.reason.rawValue, details: attempt.auditDetails))
                return attempt.outcome(of: refusal)
            }
            switch try attempt.settle(judgement, charge.id.name, in: transaction) {
            case .settled(let outcome, let end):
                try transaction.end(charge, end)
                return outcome
            case .superseded(let outcome): return outcome
            case .undone(let outcome): throw Undone(outcome: outcome)
            }
        }
    }

    /// Runs a step. Where it fails, by an internal error, the verdict is not disclosed, and the charge ends
    /// accordingly.
    private func ending<A: ChargedAttempt, T>(
        _ attempt: A, _ charge: Charge, _ end: ChargeEnd, _ step: () async throws -> T
    ) async throws -> T {
        do {
            return try await step()
        } catch {
            await self.end(attempt, charge, end)
            throw error
        }
    }

    /// Ends a charge without telling anything. Where the store cannot be reached, the end is noted for the next charge
    /// of this process, and the charge lapses for all others.
    private func end<A: ChargedAttempt>(_ attempt: A, _ charge: Charge, _ end: ChargeEnd) async {
        do {
            try await realm.store.write { transaction in
                try transaction.end(charge, end)
                try attempt.release(charge.id.name, end, in: transaction)
            }
        } catch {
            realm.unsettledCharges.note(charge.id.name, end, at: realm.clock.now)
        }
    }
}

/// Undoes a transaction in which an answer was judged and could not be made to count.
package struct UndoneAttempt: Error {}

/// Undoes the transaction of an attempt that could not be settled.
private struct Undone<Outcome: Sendable>: Error {
    let outcome: Outcome
}

extension Judgement {
    fileprivate var isPending: Bool {
        if case .wrong(let refusal) = self { refusal.reason == .approvalPending } else { false }
    }

    fileprivate var isWrong: Bool { if case .wrong = self { !isPending } else { false } }
}
