import Foundation

/// A device that is asked and answers with a signature of its own key; what Guardian calls an enrolment or a device
/// account. Its codes, where it has any, are the way in when no request can reach it.
struct PushFactor: ImmediateProofMethod {
    /// What is kept. Shapes so far: `{"identifier", "key", "tokenDigest", "service"?, "pushToken"?, "totp"?}`,
    /// and later `"pushTokenAt"?`.
    struct Payload: Codable, Equatable {
        /// What the device calls itself: the issuer of what it signs.
        var identifier: String
        var key: DeviceKey
        /// SHA-256 of the token by which the device manages its own enrolment.
        var tokenDigest: Data
        /// How it is reached, `APNS` or `GCM`; nil where it only asks for itself.
        var service: String?
        var pushToken: String?
        /// When the device said so last; nil for what was there before that was kept, and for its first.
        var pushTokenAt: Date?
        /// Nil where codes were switched off when it enrolled.
        var totp: TOTPFactor.Payload?

        init(
            identifier: String, key: DeviceKey, tokenDigest: Data, service: String? = nil, pushToken: String? = nil,
            totp: TOTPFactor.Payload? = nil
        ) {
            self.identifier = identifier
            self.key = key
            self.tokenDigest = tokenDigest
            self.service = service
            self.pushToken = pushToken
            self.totp = totp
        }
    }

    let kind = FactorKind.push
    let traits: ProofTraits = {
        var traits = ProofTraits(role: .second, assurance: .possession)
        traits.prompt = .device
        traits.limitPerUser = PushFactor.limit
        traits.movesAsIs = true
        traits.isOffered = \.offersPush
        // Another channel than the client's, a key, and a user who was there (RFC 8176, section 2).
        traits.amr = ["mca", "hwk", "user"]
        traits.isEnrolledByTicket = true
        return traits
    }()

    /// Devices that one person may have. A request goes to all of them.
    static let limit = 50

    func response(toCode code: Secret<String>) -> Secret<String>? { code }

    /// Judges a code of the device. What it signs is judged by ``DeviceStatement``.
    func judgement(
        of code: Secret<String>, against material: ProofMaterial<Payload, NoContent>, by permit: JudgingPermit
    ) throws -> Judgement<Payload> {
        guard var payload = material.payload, permit.settings.secondFactors.offersTOTP, let totp = payload.totp else {
            return .wrong(.factorNotOffered)
        }
        switch try TOTPFactor.judge(code, totp, by: permit) {
        case .wrong(let refusal), .alarming(let refusal, _): return .wrong(refusal)
        case .right(let right):
            payload.totp = right.newPayload ?? totp
            var result = ProofResult()
            result.evidence = TOTPFactor.evidence
            return .right(RightAnswer(newPayload: payload, result))
        }
    }

    /// Seconds that a device's clock may be off.
    static let leeway: TimeInterval = 30
}

extension FactorKind {
    /// A device that is asked, and answers with a signature.
    public static let push = FactorKind(rawValue: "push")
}

extension Collection<FactorRecord> {
    /// The user's devices.
    public var devices: [FactorRecord] { filter { $0.kind == .push } }
}

extension PushFactor.Payload: StoredJSON {
    init(from json: inout JSONReader) throws {
        var identifier: String?
        var key: DeviceKey?
        var tokenDigest: Data?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "identifier": identifier = try json.read()
            case "key": key = try json.read()
            case "tokenDigest": tokenDigest = try json.read()
            case "service": service = try json.readOptional()
            case "pushToken": pushToken = try json.readOptional()
            case "pushTokenAt": pushTokenAt = try json.readOptional()
            case "totp": totp = try json.readOptional()
            default: try json.skip()
            }
        }
        self.identifier = try json.required(identifier, "identifier")
        self.key = try json.required(key, "key")
        self.tokenDigest = try json.required(tokenDigest, "tokenDigest")
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("identifier", identifier)
        try json.write("key", key)
        try json.write("pushToken", optional: pushToken)
        try json.write("pushTokenAt", optional: pushTokenAt)
        try json.write("service", optional: service)
        try json.write("tokenDigest", tokenDigest)
        try json.write("totp", optional: totp)
        json.endObject()
    }
}
