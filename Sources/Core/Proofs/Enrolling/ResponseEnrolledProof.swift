import Foundation

/// A means of proof that is enrolled by a challenge and a response: the client makes the credential, and its response brings what
/// the factor's row is to keep. A passkey is one (Web Authentication Level 3, section 7.1).
///
/// The other two forms need no more than a ``ProofMethod``: a factor whose secret the server makes is enrolled by its first code
/// (``FlowChallenge/enrolment(kind:payload:)``), a device by a ticket.
///
/// Enrolling is an attempt like others: ``Enrolments/begin(_:of:by:)`` opens a flow, and the response goes through the door
/// (``Answer/registration(of:response:name:)``), which charges, judges and settles. One flow takes one response, right or wrong.
package protocol ResponseEnrolledProof: ProofMethod {
    /// What the flow keeps until the response comes: what was asked of the client, so that the response is compared with that.
    associatedtype Creation: Codable & Sendable
    /// The client's response.
    associatedtype Registration: Decodable & Sendable

    /// What the client is asked to make. Runs in a transaction, which may run twice, so all that is random is in the request.
    func creation(_ request: CreationRequest<Payload>) throws -> Creation
    /// The description of it for the client.
    func shown(creation: Creation) -> JSONValue

    /// Whether the response makes a factor; a right one brings the payload. No transaction is open; it may be slow.
    ///
    /// Where the response names its credential, ``ProofResult/factorID`` is an id that is made from that name: the store takes it
    /// once, so that no credential is of two users, and ``ProofMethod/locate(_:_:in:)`` finds the factor by it.
    func register(
        _ registration: Registration, to creation: Creation, by permit: JudgingPermit
    ) async throws -> Judgement<Payload>
}

/// For whom a factor is to be made, and with what.
package struct CreationRequest<Payload: Sendable>: Sendable {
    package let user: User
    /// What the user has of the kind already, opened: the client need not make a second credential in one place.
    package let present: [Payload]
    package let settings: RealmSettings
    /// Names the flow. A protocol that has no other name for it may take it for the challenge.
    package let handle: FlowHandle
    /// 32 random bytes.
    package let nonce: [UInt8]
}

extension ResponseEnrolledProof {
    func open(
        for user: User, having factors: [FactorRecord], settings: RealmSettings, handle: FlowHandle, nonce: [UInt8],
        sealer: Sealer
    ) throws -> (kept: Data, shown: JSONValue) {
        let present = try factors.map { factor in
            try Payload(stored: sealer.open(factor.payload, for: .factor(factor.id)))
        }
        let creation = try creation(
            CreationRequest(user: user, present: present, settings: settings, handle: handle, nonce: nonce))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try encoder.encode(creation), shown(creation: creation))
    }

    /// - Parameter creation: what the flow kept.
    func register(_ candidate: ProofCandidate, creation: Data, by permit: JudgingPermit) async throws -> Judged {
        guard case .wire(let wire) = candidate.form,
            let registration = try? JSONDecoder().decode(Registration.self, from: JSONEncoder().encode(wire))
        else { return .wrong(Refusal(.unexpectedAnswer)) }
        let kept = try JSONDecoder().decode(Creation.self, from: creation)
        switch try await register(registration, to: kept, by: permit) {
        case .wrong(let refusal): return .wrong(refusal)
        case .right(let right):
            guard let payload = right.newPayload else { return .wrong(Refusal(.unexpectedAnswer)) }
            return .right(candidate, newPayload: try payload.stored, right.result)
        }
    }
}
