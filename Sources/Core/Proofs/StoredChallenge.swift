import Foundation

/// What a flow waits for, as it is stored. A flow outlives the program that began it, so every shape that was ever written is
/// read: until the means of proof became types, each had a case of its own here.
private enum StoredChallenge: Codable {
    case secondFactor
    case proof(OpenChallenge)
    case enrolment(kind: FactorKind, payload: Data)
    case registration(DeviceOffer)
    case unasked
    case newPassword
    case attributes
    case confirmation
    case claim
    // Read, and not written any more.
    case link
    case mailedCode(digest: Data, expiresAt: Date)
    case deviceDecision(DeviceChallenge)
    case password
    case approval
}

extension FlowChallenge: Codable {
    init(from decoder: any Decoder) throws {
        switch try StoredChallenge(from: decoder) {
        case .secondFactor: self = .secondFactor
        case .proof(let open): self = .proof(open)
        case .enrolment(let kind, let payload): self = .enrolment(kind: kind, payload: payload)
        case .registration(let offer): self = .registration(offer)
        case .unasked: self = .unasked
        case .newPassword: self = .newPassword
        case .attributes: self = .attributes
        case .confirmation: self = .confirmation
        case .claim: self = .claim
        case .link: self = .link
        case .mailedCode(let digest, let expiresAt): self = try .mailedCode(digest: digest, expiresAt: expiresAt)
        case .deviceDecision(let challenge): self = try .deviceDecision(challenge)
        case .password: self = .password
        case .approval: self = .approval
        }
    }

    func encode(to encoder: any Encoder) throws {
        let stored: StoredChallenge =
            switch self {
            case .secondFactor: .secondFactor
            case .proof(let open): .proof(open)
            case .enrolment(let kind, let payload): .enrolment(kind: kind, payload: payload)
            case .registration(let offer): .registration(offer)
            case .unasked: .unasked
            case .newPassword: .newPassword
            case .attributes: .attributes
            case .confirmation: .confirmation
            case .claim: .claim
            }
        try stored.encode(to: encoder)
    }
}
