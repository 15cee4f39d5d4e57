import Foundation

/// Finds what an answer is to be compared with, in the transaction that charges.
struct ProofFinder {
    let attempt: Attempt
    let flow: FlowRecord?
    let body: FlowBody
    let user: User?
    let settings: RealmSettings
    let realm: Realm
    let transaction: any StoreTransaction

    enum Lookup<Value> {
        case found(Value)
        case refused(Refusal)
    }

    private var proofs: ProofRegistry { realm.proofs }

    /// Whether the answer's own means of proof finds whose it is.
    var namesUser: Bool {
        guard case .proof(let kind, _, _) = attempt.answer.content else { return false }
        return proofs.traits(kind)?.namesUser ?? false
    }

    func isOffered(_ kind: FactorKind) -> Bool { proofs.isOffered(kind, settings.secondFactors) }

    /// Why an earlier proof counts no more: the password changed, or the session that began the attempt was ended.
    func refusal(ofEpochOf user: User?) throws -> Refusal? {
        guard let user, try !body.goesOn(for: user, at: attempt.now, in: transaction) else { return nil }
        return Refusal(.flowExpired)
    }

    // MARK: What is open

    /// What a proof is compared with, in a flow.
    func candidates() throws -> Lookup<[ProofCandidate]> {
        switch (attempt.answer.content, body.challenge) {
        case (.proof(let kind, let form, nil), _) where body.opened?.kind == kind && body.asksForSecondFactor:
            return try one(response(form, to: body.opened))
        case (.proof(let kind, let form, nil), .proof(let open)) where open.kind == kind:
            return try one(response(form, to: open))
        case (.code(let code, nil), .proof(let open)):
            guard let method = proofs.method(open.kind), method.takes(.code(code)) else {
                return .refused(Refusal(.unexpectedAnswer))
            }
            return try one(locate(method, .code(code), challenge: open.bytes))
        case (.proof(let kind, let form, let factorID), .secondFactor):
            guard let method = proofs.method(kind), method.traits.role.isGivenAsSecond,
                method.traits.prompt != .response
            else { return .refused(Refusal(.unexpectedAnswer)) }
            let factor = try factorID.flatMap { try transaction.factor($0) }
            if factorID != nil, factor == nil || factor?.userID != flow?.userID || factor?.kind != kind {
                return .refused(Refusal(.unknownFactor))
            }
            return try one(locate(method, form, factor: factor))
        case (.code(let code, let factorID?), .secondFactor):
            return try one(locate(transaction.factor(factorID), code))
        case (.code(let code, nil), .secondFactor):
            return try compared(with: code)
        case (.registration(let kind, let form, _), .enrolment(let offered, let creation)) where kind == offered:
            return registration(kind, form, creation)
        case (.registration, .enrolment):
            // A handle of another kind's enrolment is as unknown as a made-up one, here and where codes come.
            return .refused(Refusal(.unknownFlow))
        case (.registration(let kind, let form, _), _) where body.openCreation?.kind == kind:
            guard let open = body.openCreation else { return .refused(Refusal(.unexpectedAnswer)) }
            // As in an enrolment of its own, which takes one response: another has to be asked for.
            if body.isTaken(open, by: attempt.charge) { return .refused(Refusal(.flowExhausted)) }
            return registration(kind, form, open.bytes)
        case (.enrolmentCode(let code, _), _), (.code(let code, nil), _):
            return try one(enrolment(code))
        default:
            return .refused(Refusal(.unexpectedAnswer))
        }
    }

    /// A response that makes the factor which was asked for.
    private func registration(_ kind: FactorKind, _ form: ProofForm, _ creation: Data) -> Lookup<[ProofCandidate]> {
        guard isOffered(kind) else { return .refused(Refusal(.factorNotOffered)) }
        guard let method = proofs.method(kind) as? any ResponseEnrolledProof else {
            return .refused(Refusal(.unexpectedAnswer))
        }
        return .found([
            ProofCandidate(
                method: method, form: form, located: LocatedProof(user: user, factor: nil, counter: .nothing),
                offered: creation, isRegistration: true)
        ])
    }

    /// A response to what is open. A challenge that takes one answer has the answer of this charge or none.
    private func response(_ form: ProofForm, to open: OpenChallenge?) throws -> Lookup<ProofCandidate> {
        guard let open, let method = proofs.method(open.kind) else { return .refused(Refusal(.unexpectedAnswer)) }
        if body.isTaken(open, by: attempt.charge) { return .refused(Refusal(.replayed)) }
        return try locate(method, form, challenge: open.bytes)
    }

    private func one(_ found: Lookup<ProofCandidate>) -> Lookup<[ProofCandidate]> {
        switch found {
        case .found(let candidate): .found([candidate])
        case .refused(let refusal): .refused(refusal)
        }
    }

    /// A code that names no factor: of the one that was asked for, or of those used last. A user who has none, and was shown a
    /// secret in this sign-in, gives the first code of that.
    private func compared(with code: Secret<String>) throws -> Lookup<[ProofCandidate]> {
        if let journey = body.journey {
            guard let asked = journey.asked else { return .refused(Refusal(.unexpectedAnswer)) }
            return try one(locate(transaction.factor(asked.id), code))
        }
        let factors = proofs.secondFactors(among: try transaction.factors(of: flow?.userID ?? .placeholder))
        if factors.isEmpty { return try one(enrolment(code)) }
        let latest = factors.sorted { ($0.lastUsedAt ?? $0.createdAt) > ($1.lastUsedAt ?? $1.createdAt) }
        var candidates: [ProofCandidate] = []
        var refused = Refusal(.unknownFactor)
        for factor in latest.prefix(Authenticator.comparedFactors) {
            switch try locate(factor, code) {
            case .found(let candidate): candidates.append(candidate)
            case .refused(let refusal): refused = refusal
            }
        }
        return candidates.isEmpty ? .refused(refused) : .found(candidates)
    }

    // MARK: Locating

    /// A code of the factor.
    private func locate(_ factor: FactorRecord?, _ code: Secret<String>) throws -> Lookup<ProofCandidate> {
        guard let factor, factor.userID == flow?.userID, let method = proofs.method(factor.kind),
            proofs.isSecondFactorOrStandIn(factor.kind),
            method.takes(.code(code))
        else { return .refused(Refusal(.unknownFactor)) }
        return try locate(method, .code(code), factor: factor)
    }

    /// - Parameter factor: the factor that the answer names.
    func locate(
        _ method: any ProofMethod, _ form: ProofForm, challenge: Data? = nil, factor: FactorRecord? = nil
    ) throws -> Lookup<ProofCandidate> {
        let lookup = ProofLookup(
            transaction: transaction, sealer: realm.sealer, now: attempt.now, settings: settings, user: user,
            email: body.address, factor: factor, flow: flow.map { OpenFlow($0, body) })
        switch try method.locate(form, challenge: challenge, in: lookup) {
        case .refused(let refusal): return .refused(refusal)
        case .found(let located):
            // Whatever a method finds: no user is judged by another's factor, and a flow stays its user's.
            if let factor = located.factor {
                guard factor.userID == located.user?.id else { return .refused(Refusal(.unknownFactor)) }
                guard isOffered(factor.kind) else { return .refused(Refusal(.factorNotOffered)) }
            }
            if let owner = flow?.userID, owner != located.user?.id { return .refused(Refusal(.unknownFactor)) }
            guard isOffered(method.kind) else { return .refused(Refusal(.factorNotOffered)) }
            return .found(ProofCandidate(method: method, form: form, challenge: challenge, located: located))
        }
    }

    /// The first code of what is being enrolled.
    private func enrolment(_ code: Secret<String>) throws -> Lookup<ProofCandidate> {
        let kind: FactorKind
        let payload: Data
        switch body.challenge {
        case .enrolment(let offered, let secret):
            guard isOffered(offered) else { return .refused(Refusal(.factorNotOffered)) }
            (kind, payload) = (offered, secret)
        case .registration, .secondFactor, .unasked:
            guard let offer = body.offer else { return .refused(Refusal(.unexpectedAnswer)) }
            guard let codes = try offer.codes(proofs), isOffered(codes.kind) else {
                return .refused(Refusal(.factorNotOffered))
            }
            (kind, payload) = codes
        default: return .refused(Refusal(.unexpectedAnswer))
        }
        guard let method = proofs.method(kind) else { return .refused(Refusal(.unknownFactor)) }
        // What waits for a response takes no code.
        guard !(method is any ResponseEnrolledProof) else { return .refused(Refusal(.unknownFlow)) }
        return .found(
            ProofCandidate(
                method: method, form: .code(code),
                located: LocatedProof(user: user, factor: nil, counter: .nothing), offered: payload))
    }
}
