import Foundation

/// A code of eight digits that goes out by mail.
struct MailedCode: ImmediateProofMethod {
    /// What the flow keeps that waits for it. Shapes so far: `{"digest", "expiresAt"}`.
    struct Challenge: Codable, Sendable, Equatable {
        /// Keyed, because eight digits are soon tried, and bound to the flow.
        var digest: Data
        var expiresAt: Date
    }

    let kind = FactorKind.mailedCode
    let traits: ProofTraits = {
        var traits = ProofTraits(role: .answer, assurance: .possession)
        traits.lockout = .mailedCode
        traits.evidence = .email
        traits.amr = ["otp"]
        return traits
    }()

    func response(toCode code: Secret<String>) -> Secret<String>? { code }

    func locate(
        _ code: Secret<String>, _ challenge: Challenge?, in lookup: ProofLookup
    ) throws -> ProofLocation {
        guard let challenge, let flow = lookup.flow else { return .refused(Refusal(.unexpectedAnswer)) }
        guard challenge.expiresAt > lookup.now else {
            return .refused(Refusal(flow.body.journey == nil ? .flowExpired : .codeExpired))
        }
        var found = LocatedProof(
            user: lookup.user, factor: nil, counter: .named(CounterKey.mailedCode(challenge.digest)))
        // No code to a mailbox that its owner has reported lost is right.
        if let asked = flow.body.journey?.asked, let mailbox = try lookup.transaction.factor(asked.id),
            mailbox.frozenAt != nil
        {
            found.factor = mailbox
            found.comparesRevision = false
        }
        return .found(found)
    }

    func judge(
        _ code: Secret<String>, against material: ProofMaterial<NoContent, Challenge>, by permit: JudgingPermit
    ) async throws -> Judgement<NoContent> {
        try await permit.realm.sealer.keys.retrying { try judgement(of: code, against: material, by: permit) }
    }

    func judgement(
        of code: Secret<String>, against material: ProofMaterial<NoContent, Challenge>, by permit: JudgingPermit
    ) throws -> Judgement<NoContent> {
        guard let flow = material.flow, let challenge = material.challenge else { return .wrong(.unknownFlow) }
        let isRight = try Self.matches(
            code.reveal(), challenge.digest, flow: flow.digest, sealer: permit.realm.sealer)
        // The code of an address without account was never sent: no answer is right.
        let belongsToNoUser = material.user == nil && flow.body.journey != nil && flow.purpose != .signUp
        guard isRight, !belongsToNoUser else { return .wrong(.wrongAnswer) }
        var result = ProofResult()
        result.factorID = flow.body.journey?.asked?.id
        result.provesAddress = true
        return .right(RightAnswer(result))
    }

    // MARK: Making

    static let digits = 8

    static func fresh(random: any RandomSource) -> String {
        random.string(digits, of: .digits)
    }

    /// What is kept of it. White space that people copy along does not count.
    static func digest(
        _ code: String, flow: Data, sealer: Sealer, in transaction: any StoreTransaction
    ) throws -> Data {
        try sealer.digest(text(code, flow), for: context, in: transaction)
    }

    static func matches(_ code: String, _ digest: Data, flow: Data, sealer: Sealer) throws -> Bool {
        try sealer.matches(text(code, flow), digest, for: context)
    }

    private static let context = "mailed-code"

    private static func text(_ code: String, _ flow: Data) -> String {
        "\(flow.hex)/\(code.filter { !$0.isWhitespace })"
    }
}

extension FactorKind {
    /// No row; what it proves is ``email``.
    static let mailedCode = FactorKind(rawValue: "mailed-code")
}

extension Answer {
    /// A code that was mailed.
    public static func mailedCode(_ code: Secret<String>) -> Answer { .proof(.mailedCode, code) }
}

extension FlowChallenge {
    /// The code of that digest.
    static func mailedCode(digest: Data, expiresAt: Date) throws -> FlowChallenge {
        .proof(try OpenChallenge(.mailedCode, MailedCode.Challenge(digest: digest, expiresAt: expiresAt)))
    }

    /// The mailed code that is waited for.
    var mailedCode: MailedCode.Challenge? {
        get throws { try open(.mailedCode)?.read() }
    }
}

extension FlowStage {
    /// Nothing has been proven: a code was mailed and is waited for.
    public static let mailedCode = FlowStage.proof(.mailedCode)
}

extension MailedCode.Challenge: StoredJSON {
    init(from json: inout JSONReader) throws {
        var digest: Data?
        var expiresAt: Date?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "digest": digest = try json.read()
            case "expiresAt": expiresAt = try json.read()
            default: try json.skip()
            }
        }
        self.digest = try json.required(digest, "digest")
        self.expiresAt = try json.required(expiresAt, "expiresAt")
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("digest", digest)
        try json.write("expiresAt", expiresAt)
        json.endObject()
    }
}
