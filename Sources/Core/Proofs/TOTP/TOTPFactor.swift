import Foundation
import OneTimePassword

/// A time-based one-time password (RFC 6238).
struct TOTPFactor: TicketSecretProof, ImmediateProofMethod {
    /// What is kept. Shapes so far: `{"secret", "algorithm", "digits", "period", "lastStep"?}`, the secret in Base64.
    struct Payload: Codable, Equatable {
        var secret: Data
        var algorithm: OTPAlgorithm
        var digits: Int
        /// Seconds.
        var period: Int
        /// The step of the last code that counted. Codes count once and only forward: this step and all before it are
        /// used up (RFC 6238, section 5.2).
        var lastStep: UInt64?

        init(
            secret: Data, algorithm: OTPAlgorithm = .sha1, digits: Int = 6, period: Int = 30, lastStep: UInt64? = nil
        ) {
            self.secret = secret
            self.algorithm = algorithm
            self.digits = digits
            self.period = period
            self.lastStep = lastStep
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            secret = try members.decode(Data.self, forKey: .secret)
            algorithm = try members.decodeIfPresent(OTPAlgorithm.self, forKey: .algorithm) ?? .sha1
            digits = try members.decodeIfPresent(Int.self, forKey: .digits) ?? 6
            period = try members.decodeIfPresent(Int.self, forKey: .period) ?? 30
            lastStep = try members.decodeIfPresent(UInt64.self, forKey: .lastStep)
        }
    }

    /// What a code of an authenticator app proves, also where the app is registered as a device.
    static let evidence = FactorKind.totp

    let kind = FactorKind.totp
    let traits: ProofTraits = {
        var traits = ProofTraits(role: .second, assurance: .possession)
        // Identity Platform's limit ("Add TOTP multi-factor authentication to your web app"), held for all dialects: one
        // secret per account.
        traits.limitPerUser = 1
        traits.isOffered = \.offersTOTP
        traits.amr = ["otp"]
        traits.isEnrolledByTicket = true
        return traits
    }()

    func payload(ofSecret secret: Data) -> Payload { Payload(secret: secret) }

    func response(toCode code: Secret<String>) -> Secret<String>? { code }

    func judgement(
        of code: Secret<String>, against material: ProofMaterial<Payload, NoContent>, by permit: JudgingPermit
    ) throws -> Judgement<Payload> {
        guard let payload = material.payload else { return .wrong(.unknownFactor) }
        return try Self.judge(code, payload, by: permit)
    }

    /// For a code of a secret wherever it is kept.
    static func judge(
        _ code: Secret<String>, _ payload: Payload, by permit: JudgingPermit
    ) throws -> Judgement<Payload> {
        var payload = payload
        let totp = try TOTP(
            secret: Array(payload.secret), algorithm: payload.algorithm, digits: payload.digits,
            period: payload.period)
        let window = permit.settings.secondFactors.totpWindow
        let answer = code.reveal()
        guard let step = totp.matchedStep(for: answer, at: permit.now, window: window, after: payload.lastStep)
        else {
            let usedUp = totp.matchedStep(for: answer, at: permit.now, window: window) != nil
            return .wrong(usedUp ? .replayed : .wrongAnswer)
        }
        payload.lastStep = step
        return .right(newPayload: payload)
    }
}

extension FactorKind {
    /// Codes of an authenticator app (RFC 6238).
    public static let totp = FactorKind(rawValue: "totp")
}

extension TOTPFactor.Payload: StoredJSON {
    init(from json: inout JSONReader) throws {
        var secret: Data?
        algorithm = .sha1
        digits = 6
        period = 30
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "secret": secret = try json.read()
            case "algorithm": algorithm = try json.readOptional() ?? .sha1
            case "digits": digits = try json.readOptional() ?? 6
            case "period": period = try json.readOptional() ?? 30
            case "lastStep": lastStep = try json.readOptional()
            default: try json.skip()
            }
        }
        self.secret = try json.required(secret, "secret")
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("algorithm", algorithm)
        try json.write("digits", digits)
        try json.write("lastStep", optional: lastStep)
        try json.write("period", period)
        try json.write("secret", secret)
        json.endObject()
    }
}

extension OTPAlgorithm: StoredJSON {}
