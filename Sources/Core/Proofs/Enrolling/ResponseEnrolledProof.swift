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
    /// - Returns: nil where the realm is not set up for the kind.
    func creation(_ request: CreationRequest<Payload>) throws -> Creation?
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
    /// 32 random bytes, as those of a ``ProofChallengeRequest``.
    package let nonce: [UInt8]
    package let site: PublicSite
    package let mode: RealmMode
    package let now: Date
    /// What the client calls itself.
    package let userAgent: String?
    /// What the client asks for, by the method's own words; nil where it leaves all to the server.
    package let wish: JSONValue?
}

extension ResponseEnrolledProof {
    func open(
        for user: User, having factors: [FactorRecord], settings: RealmSettings, nonce: [UInt8], at now: Date,
        by client: ClientContext, wish: JSONValue?, realm: Realm
    ) throws -> (kept: Data, shown: JSONValue)? {
        let request = CreationRequest(
            user: user, present: try opened(factors, sealer: realm.sealer), settings: settings, nonce: nonce,
            site: realm.site, mode: realm.mode, now: now, userAgent: client.userAgent, wish: wish)
        guard let creation = try creation(request) else { return nil }
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
        case .wrong(let refusal), .alarming(let refusal, _): return .wrong(refusal)
        case .right(let right):
            guard let payload = right.newPayload else { return .wrong(Refusal(.unexpectedAnswer)) }
            return .right(candidate, newPayload: try payload.stored, right.result)
        }
    }
}
