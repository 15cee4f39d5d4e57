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

extension FlowChallenge: StoredJSON {
    /// What was written before means of proof became types is read as `Codable` reads it.
    init(from json: inout JSONReader) throws {
        let text = try json.text()
        var challenge = try JSONReader(Array(text))
        try challenge.beginObject()
        switch try challenge.nextMember() {
        case "secondFactor"?: self = .secondFactor
        case "unasked"?: self = .unasked
        case "newPassword"?: self = .newPassword
        case "attributes"?: self = .attributes
        case "confirmation"?: self = .confirmation
        case "claim"?: self = .claim
        case "proof"?: self = .proof(try challenge.readOnlyAssociatedValue())
        case "registration"?: self = .registration(try challenge.readOnlyAssociatedValue())
        default: self = try JSONDecoder().decode(FlowChallenge.self, from: Data(text))
        }
    }

    func write(to json: inout JSONWriter) throws {
        switch self {
        case .secondFactor: json.writeCase("secondFactor")
        case .unasked: json.writeCase("unasked")
        case .newPassword: json.writeCase("newPassword")
        case .attributes: json.writeCase("attributes")
        case .confirmation: json.writeCase("confirmation")
        case .claim: json.writeCase("claim")
        case .proof(let open): try json.writeCase("proof", open)
        case .registration(let offer): try json.writeCase("registration", offer)
        case .enrolment(let kind, let payload):
            json.beginObject()
            json.name("enrolment")
            json.beginObject()
            try json.write("kind", kind)
            try json.write("payload", payload)
            json.endObject()
            json.endObject()
        }
    }
}

/// Cases of enumerations as `Codable` writes them: `{"name":{}}`, `{"name":{"_0":…}}`.
extension JSONWriter {
    fileprivate mutating func writeCase(_ name: StaticString) {
        beginObject()
        self.name(name)
        beginObject()
        endObject()
        endObject()
    }

    fileprivate mutating func writeCase(_ name: StaticString, _ value: some StoredJSON) throws {
        beginObject()
        self.name(name)
        beginObject()
        try write("_0", value)
        endObject()
        endObject()
    }
}

extension JSONReader {
    fileprivate mutating func readOnlyAssociatedValue<Value: StoredJSON>() throws -> Value {
        var value: Value?
        try beginObject()
        while let name = try nextMember() {
            if case "_0" = name { value = try read() } else { try skip() }
        }
        return try required(value, "_0")
    }
}
