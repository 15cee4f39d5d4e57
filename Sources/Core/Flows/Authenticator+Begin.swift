import Foundation

/// A sign-in that began with a challenge, before it is known whose it is.
public struct BegunProof: Sendable {
    /// The response goes to it, at the stage ``FlowStage/proof(_:)``.
    public let handle: FlowHandle
    public let kind: FactorKind
    /// The answer to the client: what its response is about.
    public let challenge: JSONValue
    public let expiresAt: Date
}

extension Authenticator {
    public enum BeginOutcome: Sendable {
        case begun(BegunProof)
        /// `unexpectedAnswer` where no attempt begins with the kind, `factorNotOffered` where it is switched off,
        /// `sourceLimited` where the source has begun too many.
        case refused(Refusal)
    }

    /// Whether a sign-in can begin with a challenge of the kind.
    public func begins(with kind: FactorKind) -> Bool {
        realm.proofs.method(kind).map { $0.traits.opensSignIn && $0.hasChallenge } ?? false
    }

    /// Begins a sign-in by a means of proof that finds its user by the response. Counted against the source, as each is a row.
    /// - Parameter lifetime: seconds in which the response may come.
    public func begin(
        _ kind: FactorKind, terms: GrantTerms = GrantTerms(), lifetime: TimeInterval = FlowLifetime.secondFactor,
        by client: ClientContext
    ) async throws -> BeginOutcome {
        let realm = realm
        guard begins(with: kind), let method = realm.proofs.method(kind),
            let (challenge, shown) = try method.open(random: realm.random)
        else { return .refused(Refusal(.unexpectedAnswer)) }
        let now = realm.clock.now
        let handle = FlowHandle(random: realm.random)
        let begun = BegunProof(handle: handle, kind: kind, challenge: shown, expiresAt: now + lifetime)
        return try await realm.store.write { transaction in
            guard realm.proofs.isOffered(kind, try transaction.settings().secondFactors) else {
                return .refused(Refusal(.factorNotOffered))
            }
            if let source = client.limitedSource,
                let until = try transaction.charge(
                    .attemptsPerSource, key: CounterKey.attempts(from: source), at: now)
            {
                return .refused(Refusal(.sourceLimited, retryAt: until))
            }
            let body = FlowBody(purpose: .signIn, client: client, challenge: .proof(challenge), terms: terms)
            let flow = FlowRecord(
                digest: handle.digest, userID: nil, purpose: FlowPurpose.signIn.rawValue, createdAt: now,
                expiresAt: begun.expiresAt,
                body: try body.sealed(by: realm.sealer, digest: handle.digest, in: transaction))
            guard try transaction.insert(flow) else { return .refused(Refusal(.busy)) }
            return .begun(begun)
        }
    }
}
