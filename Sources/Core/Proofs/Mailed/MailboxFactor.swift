import Foundation

/// A mailbox that was registered to receive codes as a second factor.
///
/// It is one only where a second factor is required of everybody: whoever has enrolled an authenticator is never asked
/// for less. Its codes are judged like other mailed codes (``MailedCode``), so it is not in the registry.
enum MailboxFactor {
    /// What is kept. Shapes so far: `{"address"}`.
    struct Payload: Codable, Equatable {
        var address: String
    }

    /// How many one user may have.
    static let limitPerUser = 5

    static func address(of factor: FactorRecord, with sealer: Sealer) throws -> EmailAddress {
        let plain = try sealer.open(factor.payload, for: .factor(factor.id))
        return EmailAddress(kept: try JSONDecoder().decode(Payload.self, from: plain).address)
    }

    static func payload(_ address: EmailAddress) throws -> Data {
        try JSONEncoder().encode(Payload(address: address.canonical))
    }
}
