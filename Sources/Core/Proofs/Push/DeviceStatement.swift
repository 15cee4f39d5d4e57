import Foundation
import OneTimePassword
import SignedTokens

/// A device's signed answer to a request: it decides about the attempt that waits for it, and proves nothing in its own.
///
/// Keys are small and have one exponent (``DeviceKey``), so that judging only computes (docs/decisions/0568).
struct DeviceStatement: SettlingProof, ImmediateProofMethod {
    typealias Payload = PushFactor.Payload

    struct Response: Sendable {
        /// A compact JWS.
        var statement: Secret<String>
        /// It has to name one of these.
        var audiences: Set<String>
        /// Where it says what was decided.
        var names: DecisionClaims
    }

    let kind = FactorKind.deviceStatement
    let traits: ProofTraits = {
        var traits = ProofTraits(role: .answer, assurance: .possession)
        traits.evidence = .push
        return traits
    }()

    func locate(_ response: Response, _ challenge: DeviceChallenge?, in lookup: ProofLookup) throws -> ProofLocation {
        guard let challenge, let factor = try lookup.factor(challenge.factorID) else {
            return .refused(Refusal(.unknownFactor))
        }
        return .found(LocatedProof(user: lookup.user, factor: factor, counter: .nothing))
    }

    func judgement(
        of response: Response, against material: ProofMaterial<Payload, DeviceChallenge>, by permit: JudgingPermit
    ) throws -> Judgement<Payload> {
        guard let challenge = material.challenge, let payload = material.payload else {
            return .wrong(.unexpectedAnswer)
        }
        do throws(Refusal) {
            let decision = try Self.decision(
                of: response, challenge: challenge, payload: payload, at: permit.now)
            var result = ProofResult()
            result.finding = decision
            return .right(RightAnswer(result))
        } catch {
            return .wrong(error)
        }
    }

    /// The maximum validity of a signed answer, in seconds. Clients say thirty.
    static let longestStatement: TimeInterval = 300
    /// Characters of a reason that are kept.
    static let longestReason = 256

    /// Judges a signed answer to a request (Guardian.swift, `APIClient.resolve`). Nothing in it is trusted before the signature.
    ///
    /// Its issuer should be what the device called itself when it enrolled, which some systems change when an app is
    /// installed again: a difference is noted, as the key has shown who it is.
    private static func decision(
        of response: Response, challenge: DeviceChallenge, payload: PushFactor.Payload, at now: Date
    ) throws(Refusal) -> DeviceDecision {
        let names = response.names
        guard let token = ReceivedToken(response.statement.reveal()) else { throw Refusal(.malformedCredential) }
        let claims: TokenClaims
        do {
            claims = try payload.key.claims(of: token)
        } catch {
            switch error {
            case .malformed: throw Refusal(.malformedCredential)
            case .wrongAlgorithm: throw Refusal(.wrongAlgorithm)
            case .wrongSignature: throw Refusal(.wrongSignature)
            }
        }
        // A proof for another purpose, which the same key signs, is no answer (RFC 8725, section 3.11).
        guard [.untyped, .jwt].contains(TokenType(header: token.header.typ)) else {
            throw Refusal(.malformedCredential)
        }
        guard let subject = claims.string("sub"),
            ConstantTime.equal(Array(subject.utf8), Array(challenge.text.utf8))
        else { throw Refusal(.wrongChallenge) }
        guard let audience = claims.string("aud"), response.audiences.contains(audience) else {
            throw Refusal(.wrongAudience)
        }
        guard let issuedAt = claims.date("iat"), let expiresAt = claims.date("exp"),
            expiresAt.timeIntervalSince(issuedAt) <= longestStatement
        else { throw Refusal(.malformedCredential) }
        guard issuedAt <= now + PushFactor.leeway, expiresAt > now - PushFactor.leeway, expiresAt > issuedAt else {
            throw Refusal(.answerExpired)
        }
        guard claims.string(names.method) == names.push,
            case .bool(let isAllowed)? = claims[names.accepted]
        else { throw Refusal(.malformedCredential) }
        if isAllowed, let number = challenge.number {
            guard let typed = claims.string(names.number),
                ConstantTime.equal(Array(typed.utf8), Array(number.utf8))
            else { throw Refusal(.wrongNumber) }
        }
        let reason = claims.string(names.reason).map {
            PlainText($0, longest: longestReason).text
        }
        return DeviceDecision(
            isAllowed: isAllowed, reason: isAllowed ? nil : reason,
            hasDrifted: claims.string("iss") != payload.identifier)
    }
}

/// What a device was asked.
struct DeviceChallenge: Codable, Sendable, Equatable {
    /// What its answer has to repeat.
    var text: String
    var factorID: FactorID
    /// The approval that it belongs to, and the attempt that waits for it.
    var approvalID: String
    var flow: Data
    /// What the person has to read off the screen that asks, where that is asked for.
    var number: String?
}

/// What a device said.
struct DeviceDecision: Sendable, Equatable {
    var isAllowed: Bool
    var reason: String?
    /// The issuer is not what the device called itself when it enrolled.
    var hasDrifted: Bool

    /// The word for "this was not me": it ends everything else that is open for the user.
    static let disowned = "not_me"
}

extension DeviceStatement {
    func writtenFlows(
        _ finding: (any Sendable)?, _ settlement: Settlement, in transaction: any StoreTransaction
    ) throws -> Set<Data> {
        guard let challenge = try settlement.context.body.challenge.deviceDecision else { return [] }
        var flows: Set = [challenge.flow]
        if let decision = finding as? DeviceDecision, decision.reason == DeviceDecision.disowned,
            let user = settlement.context.user
        {
            flows.formUnion(
                try settlement.otherAttempts(than: challenge.flow, of: user.id, in: transaction).map(\.digest))
        }
        return flows
    }

    func settle(
        _ finding: (any Sendable)?, _ settlement: Settlement, in transaction: any StoreTransaction
    ) throws -> Authenticator.Settled {
        guard let decision = finding as? DeviceDecision else {
            return .verdict(.refused(Refusal(.unexpectedAnswer)))
        }
        return try settlement.decide(decision, in: transaction)
    }
}

extension FactorKind {
    /// No row; it is a ``push`` factor that answers.
    static let deviceStatement = FactorKind(rawValue: "device-statement")
}

extension Answer {
    /// What a device signed about a request: a compact JWS that names one of these audiences (as Guardian.swift signs them).
    /// - Parameter claims: where the protocol's devices say what was decided.
    public static func signedDecision(
        _ statement: Secret<String>, audiences: Set<String>, claims: DecisionClaims
    ) -> Answer {
        proof(
            .deviceStatement, DeviceStatement.Response(statement: statement, audiences: audiences, names: claims))
    }
}

extension FlowChallenge {
    /// A device's signature.
    static func deviceDecision(_ challenge: DeviceChallenge) throws -> FlowChallenge {
        .proof(try OpenChallenge(.deviceStatement, challenge))
    }

    /// What a device was asked.
    var deviceDecision: DeviceChallenge? {
        get throws { try open(.deviceStatement)?.read() }
    }
}

extension FlowStage {
    /// A device has been asked, and its signed answer is waited for.
    public static let deviceRequest = FlowStage.proof(.deviceStatement)
}

extension DeviceChallenge: StoredJSON {
    init(from json: inout JSONReader) throws {
        var text: String?
        var factorID: FactorID?
        var approvalID: String?
        var flow: Data?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "text": text = try json.read()
            case "factorID": factorID = try json.read()
            case "approvalID": approvalID = try json.read()
            case "flow": flow = try json.read()
            case "number": number = try json.readOptional()
            default: try json.skip()
            }
        }
        self.text = try json.required(text, "text")
        self.factorID = try json.required(factorID, "factorID")
        self.approvalID = try json.required(approvalID, "approvalID")
        self.flow = try json.required(flow, "flow")
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("approvalID", approvalID)
        try json.write("factorID", factorID)
        try json.write("flow", flow)
        try json.write("number", optional: number)
        try json.write("text", text)
        json.endObject()
    }
}
