import Foundation

/// A factor whose secret the server makes and a ticket shows, as a QR code or as text: an app then makes codes by it.
protocol TicketSecretProof: ProofMethod {
    func payload(ofSecret secret: Data) -> Payload
}

/// What stands in once for a second factor that was lost. It comes with a user's first second factor, and is shown once.
protocol StandInProof: ProofMethod {
    func fresh(random: any RandomSource) -> Secret<String>
    func payload(of code: Secret<String>) throws -> Payload
    func matches(_ code: String, _ kept: Payload) -> Bool
    /// How many codes are left, and whether they were made as a list: a single one is replaced by another when it is used.
    func supply(_ kept: Payload) -> (left: Int, isList: Bool)
}

extension TicketSecretProof {
    /// What a row keeps of the secret.
    func kept(_ secret: Data) throws -> Data { try payload(ofSecret: secret).stored }
}

extension StandInProof {
    func supply(of payload: Data) throws -> (left: Int, isList: Bool) { supply(try Payload(stored: payload)) }

    /// Whether the code is the one that a row keeps.
    func matches(_ code: String, row payload: Data) throws -> Bool {
        matches(code, try Payload(stored: payload))
    }

    func insert(
        _ code: Secret<String>, id: FactorID, of userID: UserID, at now: Date, sealer: Sealer,
        in transaction: any StoreTransaction
    ) throws {
        let payload = try payload(of: code).stored
        _ = try transaction.insert(
            FactorRecord(
                id: id, userID: userID, kind: kind, name: "", createdAt: now,
                payload: try sealer.seal(payload, for: .factor(id), in: transaction)))
    }
}

extension ProofRegistry {
    /// The factor whose secret tickets bring.
    var ticketSecret: (any TicketSecretProof)? { methods.lazy.compactMap { $0 as? any TicketSecretProof }.first }

    /// What comes with a first second factor.
    var standIn: (any StandInProof)? { methods.lazy.compactMap { $0 as? any StandInProof }.first }

    /// The row of it among a user's factors.
    func standIn(among factors: [FactorRecord]) -> FactorRecord? {
        standIn.flatMap { method in factors.first { $0.kind == method.kind } }
    }
}
