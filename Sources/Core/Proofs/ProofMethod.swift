import Foundation

/// A means of proof: a type that says all about itself.
///
/// **How the files of this folder meet.** `ProofMethod` is the protocol, `ImmediateProofMethod` the one of those that only
/// compute, `ProofTraits` what a method declares of itself,
/// `Assurance` how much it proves. `ProofLookup` is what ``ProofMethod/locate(_:_:in:)`` may ask the store, `Judgement` what
/// ``ProofMethod/judge(_:against:by:)`` may use and say. `ProofRegistry` lists all methods: a new one is a folder here and a line
/// there. `AnyProof` is where the engine (`Flows/Authenticator+Charge.swift`, `+Judge.swift`, `+Settle.swift`) meets them; it
/// knows none by name.
///
/// **For a module above the core.** The protocol is `package`: such a module, or a test target, defines a conforming type and
/// hands it to the realm (`ProofRegistry.standard.adding(…)`, `Realm(…, proofs:)`). It cannot judge by it: judging takes a
/// ``JudgingPermit``, which only the core makes. An answer that is no part of a flow goes through the same door as a
/// ``ChargedAttempt`` (`Flows/ChargedAttempt.swift`): it says what is counted, how it is judged, and what follows; the door
/// charges before it judges, holds no transaction meanwhile, and ends every charge.
///
/// What is stored is JSON (``StoredJSON``: a `Codable` type only has to name it). A type that is stored reads every earlier shape of
/// itself.
package protocol ProofMethod: Sendable {
    /// What a factor's row keeps, sealed. ``NoContent`` where the method has no rows.
    associatedtype Payload: StoredJSON & Sendable = NoContent
    /// What an open flow keeps while it waits for the response. ``NoContent`` where nothing is drawn beforehand.
    associatedtype Challenge: StoredJSON & Sendable = NoContent
    /// What the client sends.
    associatedtype Response: Sendable

    /// The name, which is stored with factors, challenges and evidence: it never changes.
    var kind: FactorKind { get }
    var traits: ProofTraits { get }

    /// A code as the user typed it; nil where the method takes no codes.
    func response(toCode code: Secret<String>) -> Response?
    /// A response as a protocol carries it that knows nothing of the method; nil where it is malformed or not taken so.
    func response(from wire: JSONValue) -> Response?

    /// A fresh challenge, for an attempt that begins with it or asks for it beside a first proof; nil where an attempt cannot. Runs
    /// in a transaction, which may run twice, so all that is random is in the request.
    func challenge(_ request: ProofChallengeRequest<Payload>) throws -> Challenge?
    /// The description of a challenge for the client.
    func shown(_ challenge: Challenge) -> JSONValue

    /// Adds a factor of the kind to an account that is exported.
    /// - Parameter payload: opened.
    func export(_ factor: FactorRecord, payload: Data, into account: inout PortableAccount) throws

    /// Finds what the response is to be compared with: the factor that the answer names, one that the response itself names,
    /// or one of the user. Runs in the transaction that charges, which may run twice. It compares nothing that is secret.
    func locate(_ response: Response, _ challenge: Challenge?, in lookup: ProofLookup) throws -> ProofLocation

    /// Whether the response is right. No transaction is open; it may be slow.
    func judge(
        _ response: Response, against material: ProofMaterial<Payload, Challenge>, by permit: JudgingPermit
    ) async throws -> Judgement<Payload>

    /// The same where judging only computes, for some microseconds: then the transaction that counts the answer judges and
    /// settles it too (`docs/decisions/0155`).
    /// - Returns: nil where ``judge(_:against:by:)`` has to be asked, without a transaction.
    func judgeAtOnce(
        _ response: Response, against material: () throws -> ProofMaterial<Payload, Challenge>, by permit: JudgingPermit
    ) throws -> Judgement<Payload>?
}

/// For which attempt a challenge is drawn.
package struct ProofChallengeRequest<Payload: Sendable>: Sendable {
    /// 32 random bytes. Where an attempt begins with the challenge, they name it unless the protocol sends a handle beside the response:
    /// base64url of them is the token of its handle, so that a response which contains the challenge finds its attempt.
    package let nonce: [UInt8]
    /// The user, where a first proof has shown who it is; nil where no one is known yet.
    package let user: User?
    /// What that user has of the kind, opened.
    package let present: [Payload]
    package let settings: RealmSettings
    package let site: PublicSite
    package let mode: RealmMode
}

/// Nothing is kept: `{}`.
package struct NoContent: StoredJSON, Sendable, Equatable {
    package init() {}

    package init(from json: inout JSONReader) throws { try json.skip() }

    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.endObject()
    }
}

extension ProofMethod {
    package func response(toCode code: Secret<String>) -> Response? { nil }
    package func response(from wire: JSONValue) -> Response? { nil }
    package func challenge(_ request: ProofChallengeRequest<Payload>) throws -> Challenge? { nil }
    package func shown(_ challenge: Challenge) -> JSONValue { .object([:]) }
    package func judgeAtOnce(
        _ response: Response, against material: () throws -> ProofMaterial<Payload, Challenge>, by permit: JudgingPermit
    ) throws -> Judgement<Payload>? { nil }

    /// As its payload.
    package func export(_ factor: FactorRecord, payload: Data, into account: inout PortableAccount) throws {
        account.otherFactors.append(PortableFactor(factor, payload: payload))
    }

    /// The factor that the answer names, or else the one that the user has of the kind.
    package func locate(
        _ response: Response, _ challenge: Challenge?, in lookup: ProofLookup
    ) throws -> ProofLocation {
        guard let factor = try lookup.factor ?? lookup.factors().first(where: { $0.kind == kind }) else {
            return .refused(Refusal(.unknownFactor))
        }
        return .found(LocatedProof(user: lookup.user, factor: factor))
    }
}

extension ProofMethod where Response: Decodable {
    package func response(from wire: JSONValue) -> Response? {
        (try? JSONEncoder().encode(wire)).flatMap { try? JSONDecoder().decode(Response.self, from: $0) }
    }
}
