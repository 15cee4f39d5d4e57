import Foundation

/// A mailbox that was registered to receive codes as a second factor.
///
/// It is one only where every user needs a second factor: a user who has enrolled an authenticator is never asked for
/// less. Its codes are judged like other mailed codes (``MailedCode``).
struct MailboxFactor: ProofMethod {
    /// What is kept. Shapes so far: `{"address"}`.
    struct Payload: Codable, Equatable {
        var address: String
    }

    let kind = FactorKind.email
    let traits: ProofTraits = {
        var traits = ProofTraits(role: .lesserSecond, assurance: .possession)
        traits.prompt = .mail
        traits.limitPerUser = MailboxFactor.limit
        traits.movesAsIs = true
        return traits
    }()

    /// How many one user may have.
    static let limit = 5

    /// A mailbox answers nothing by itself.
    func judge(
        _ response: NoContent, against material: ProofMaterial<Payload, NoContent>, by permit: JudgingPermit
    ) async throws -> Judgement<Payload> {
        .wrong(.unexpectedAnswer)
    }

    static func address(of factor: FactorRecord, with sealer: Sealer) throws -> EmailAddress {
        let plain = try sealer.open(factor.payload, for: .factor(factor.id))
        return EmailAddress(keptAtAnyTime: try Payload(stored: plain).address)
    }

    static func payload(_ address: EmailAddress) throws -> Data {
        try Payload(address: address.canonical).stored
    }
}

extension FactorKind {
    /// An e-mail address that receives links and codes. As a first factor it is no row: the reader of the account's
    /// address has it. A row is a mailbox that was registered for a second factor (`MailboxFactor`).
    public static let email = FactorKind(rawValue: "email")
}

extension Collection<Proof> {
    /// Whether a mailbox gave the first proof.
    var beginWithMailbox: Bool { contains { $0.kind == .email && !$0.isSecondFactor } }
}

extension MailboxFactor.Payload: StoredJSON {
    init(from json: inout JSONReader) throws {
        var address: String?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "address": address = try json.read()
            default: try json.skip()
            }
        }
        self.address = try json.required(address, "address")
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("address", address)
        json.endObject()
    }
}
