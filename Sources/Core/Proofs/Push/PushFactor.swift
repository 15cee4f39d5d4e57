import Crypto
import Foundation
import OneTimePassword

/// A device that is asked and answers with a signature of its own key; what Guardian calls an enrolment or a device
/// account. Its codes, where it has any, are the way in when no request can reach it.
struct PushFactor: FactorType {
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
    let lockout = LockoutPolicy.oneTimeCode
    let limitPerUser = Self.limit

    /// Devices that one person may have. A request goes to all of them.
    static let limit = 50

    /// Judges a code of the device. What it signs is judged by ``judge(statement:challenge:payload:at:)``.
    func judge(_ answer: String, payload: Data, in context: JudgingContext) async throws -> Judgement {
        var payload = try JSONDecoder().decode(Payload.self, from: payload)
        guard context.settings.secondFactors.offersTOTP, let totp = payload.totp else {
            return .wrong(.factorNotOffered)
        }
        switch try await TOTPFactor().judge(answer, payload: JSONEncoder().encode(totp), in: context) {
        case .right(let newPayload):
            payload.totp = try newPayload.map { try JSONDecoder().decode(TOTPFactor.Payload.self, from: $0) } ?? totp
            return .right(newPayload: try JSONEncoder().encode(payload))
        case .wrong(let reason): return .wrong(reason)
        case .decided: return .wrong(.unexpectedAnswer)
        }
    }

    /// Seconds that a device's clock may be off.
    static let leeway: TimeInterval = 30
    /// Seconds that a signed answer may be good for. Clients say thirty.
    static let longestStatement: TimeInterval = 300
    /// Characters of a reason that are kept.
    static let longestReason = 256

    /// Judges a signed answer to a request (Guardian.swift, `APIClient.resolve`). Nothing in it is trusted before the signature.
    ///
    /// Its issuer should be what the device called itself when it enrolled, which some systems change when an app is
    /// installed anew: a difference is noted, as the key has shown who it is.
    static func judge(
        statement token: String, audiences: Set<String>, challenge: DeviceChallenge, payload: Payload, at now: Date
    ) -> Judgement {
        let claims: TokenClaims
        do {
            claims = try payload.key.claims(of: token)
        } catch {
            switch error {
            case .malformed: return .wrong(.malformedCredential)
            case .wrongAlgorithm: return .wrong(.wrongAlgorithm)
            case .wrongSignature: return .wrong(.wrongSignature)
            }
        }
        guard let subject = claims.string("sub"),
            ConstantTime.equal(Array(subject.utf8), Array(challenge.text.utf8))
        else { return .wrong(.wrongChallenge) }
        guard let audience = claims.string("aud"), audiences.contains(audience) else { return .wrong(.wrongAudience) }
        guard let issuedAt = claims.date("iat"), let expiresAt = claims.date("exp"),
            expiresAt.timeIntervalSince(issuedAt) <= longestStatement
        else { return .wrong(.malformedCredential) }
        guard issuedAt <= now + leeway, expiresAt > now - leeway, expiresAt > issuedAt else {
            return .wrong(.answerExpired)
        }
        guard claims.string("auth0_guardian_method") == "push",
            case .bool(let isAllowed)? = claims["auth0_guardian_accepted"]
        else { return .wrong(.malformedCredential) }
        if isAllowed, let number = challenge.number {
            guard let typed = claims.string("countersign_number"),
                ConstantTime.equal(Array(typed.utf8), Array(number.utf8))
            else { return .wrong(.wrongNumber) }
        }
        let reason = claims.string("auth0_guardian_reason").map {
            PlainText($0, longest: longestReason).text
        }
        return .decided(
            DeviceDecision(
                isAllowed: isAllowed, reason: isAllowed ? nil : reason,
                hasDrifted: claims.string("iss") != payload.identifier))
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
