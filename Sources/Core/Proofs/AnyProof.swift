import Foundation

/// A response before its method has read it.
enum ProofForm: Sendable {
    case typed(any Sendable)
    case code(Secret<String>)
    case wire(JSONValue)
}

/// One comparison that an answer is charged for: a response, and what it is judged against.
struct ProofCandidate: Sendable {
    let method: any ProofMethod
    let form: ProofForm
    /// JSON; nil where none is open.
    var challenge: Data?
    var located: LocatedProof
    /// What is compared where no row keeps it, because the factor is only being enrolled.
    var offered: Data?

    var isEnrolment: Bool { offered != nil }
    /// Whether the response makes the factor that is being enrolled (``ResponseEnrolledProof``).
    var isRegistration = false

    /// The name of what wrong answers are counted in.
    func counterKey(_ proofs: ProofRegistry) -> String? {
        switch located.counter {
        case .nothing: nil
        case .factor: located.factor.map { CounterKey.factor($0.id, $0.kind, proofs) }
        case .named(let name): name
        }
    }

    /// What the log calls it.
    var kindInLog: FactorKind? {
        guard method.traits.isNamedInLog else { return nil }
        return isEnrolment ? method.kind : located.factor?.kind ?? method.traits.evidence ?? method.kind
    }
}

/// What came of judging. Indirect, since it is handed on and what fits is large.
indirect enum Judged: Sendable {
    /// Nothing was to be compared: the handle is enough.
    case handle
    case right(ProofCandidate, newPayload: Data?, ProofResult)
    case wrong(Refusal, alarm: Alarm? = nil)

    var isWrong: Bool { if case .wrong = self { true } else { false } }

    /// What a wrong answer says about a factor: what the factor keeps from now on, what the log says, and what its owner is notified
    /// of.
    struct Alarm: Sendable {
        let factor: FactorRecord
        let newPayload: Data
        let event: AuditEvent.Kind
        let notice: AccountNotice?
    }
}

extension ProofMethod {
    func read(_ form: ProofForm) -> Response? {
        switch form {
        case .typed(let response): response as? Response
        case .code(let code): response(toCode: code)
        case .wire(let wire): response(from: wire)
        }
    }

    /// Whether the method takes a response in this form.
    func takes(_ form: ProofForm) -> Bool { read(form) != nil }

    func locate(_ form: ProofForm, challenge: Data?, in lookup: ProofLookup) throws -> ProofLocation {
        guard let response = read(form) else { return .refused(Refusal(.unexpectedAnswer)) }
        return try locate(response, challenge.map(Self.challenge(of:)), in: lookup)
    }

    /// - Parameter payload: opened.
    func judge(
        _ candidate: ProofCandidate, payload: Data?, user: User?, flow: OpenFlow?, by permit: JudgingPermit
    ) async throws -> Judged {
        if candidate.isRegistration {
            guard let method = self as? any ResponseEnrolledProof, let payload else {
                return .wrong(Refusal(.unexpectedAnswer))
            }
            return try await method.register(candidate, creation: payload, by: permit)
        }
        guard let response = read(candidate.form) else { return .wrong(Refusal(.unexpectedAnswer)) }
        let material = try material(candidate, payload: payload, user: user, flow: flow)
        return try judged(candidate, await judge(response, against: material, by: permit))
    }

    /// The same where judging only computes; nil where it may be slow.
    func judgeAtOnce(
        _ candidate: ProofCandidate, payload: () throws -> Data?, user: User?, flow: OpenFlow?,
        by permit: JudgingPermit
    ) throws -> Judged? {
        if candidate.isRegistration { return nil }
        guard let response = read(candidate.form) else { return .wrong(Refusal(.unexpectedAnswer)) }
        let judgement = try judgeAtOnce(
            response, against: { try material(candidate, payload: payload(), user: user, flow: flow) }, by: permit)
        return try judgement.map { try judged(candidate, $0) }
    }

    private func material(
        _ candidate: ProofCandidate, payload: Data?, user: User?, flow: OpenFlow?
    ) throws -> ProofMaterial<Payload, Challenge> {
        ProofMaterial(
            payload: try payload.map { try Payload(stored: $0) },
            challenge: try candidate.challenge.map(Self.challenge(of:)), user: user, factor: candidate.located.factor,
            flow: flow)
    }

    private func judged(_ candidate: ProofCandidate, _ judgement: Judgement<Payload>) throws -> Judged {
        switch judgement {
        case .wrong(let refusal): .wrong(refusal)
        case .alarming(let refusal, let alarm):
            .wrong(
                refusal,
                alarm: try candidate.located.factor.map { factor in
                    Judged.Alarm(
                        factor: factor, newPayload: try alarm.newPayload.stored, event: alarm.event,
                        notice: alarm.notice.map { AccountNotice($0, factorName: factor.name) })
                })
        case .right(let right):
            .right(candidate, newPayload: try right.newPayload?.stored, right.result)
        }
    }

    private static func challenge(of json: Data) throws -> Challenge {
        try Challenge(stored: json)
    }

    /// A payload of another place in the present shape; nil where it is in none of the kind.
    func normalized(payload: Data) -> Data? {
        try? Payload(stored: payload).stored
    }

    /// Whether something is drawn for the client to respond to.
    var hasChallenge: Bool { Challenge.self != NoContent.self }

    /// A fresh challenge, and its description for the client.
    /// - Parameter factors: the user's, where a first proof has shown who it is.
    func open(
        nonce: [UInt8], for user: User? = nil, having factors: [FactorRecord] = [], settings: RealmSettings,
        realm: Realm
    ) throws -> (challenge: OpenChallenge, shown: JSONValue)? {
        let request = ProofChallengeRequest(
            nonce: nonce, user: user, present: try opened(factors, sealer: realm.sealer), settings: settings,
            site: realm.site, mode: realm.mode)
        guard let challenge = try challenge(request) else { return nil }
        return (try OpenChallenge(kind, challenge), shown(challenge))
    }

    /// What the factors of the kind keep.
    func opened(_ factors: [FactorRecord], sealer: Sealer) throws -> [Payload] {
        try factors.filter { $0.kind == kind }.map { factor in
            try Payload(stored: sealer.open(factor.payload, for: .factor(factor.id)))
        }
    }
}
