import Foundation

/// A sign-in that began with a challenge, before it is known whose it is.
public struct BegunProof: Sendable {
    /// The response goes to it, at the stage ``FlowStage/proof(_:)``.
    public let handle: FlowHandle
    /// The means of proof that was begun with.
    public let kind: FactorKind
    /// The answer to the client: what its response is about.
    public let challenge: JSONValue
    /// Until when the response may come.
    public let expiresAt: Date
}

extension Authenticator {
    /// What came of asking for a challenge.
    public enum BeginOutcome: Sendable {
        /// The challenge is open.
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
    /// - Parameters:
    ///   - lifetime: seconds in which the response may come.
    ///   - handleApart: whether the handle is another random value than the challenge, for protocols that send it beside the response:
    ///     then both have to be of one attempt.
    public func begin(
        _ kind: FactorKind, terms: GrantTerms = GrantTerms(), lifetime: TimeInterval = FlowLifetime.secondFactor,
        handleApart: Bool = false, by client: ClientContext
    ) async throws -> BeginOutcome {
        try await begin(kind, terms: terms, lifetime: lifetime, handleApart: handleApart, journey: nil, by: client)
    }

    /// Begins a sign-in that goes step by step under the same handle, with a means of proof that finds its user by the response, at the
    /// stage ``JourneyStage/firstProof``.
    public func begin(
        _ kind: FactorKind, leadingTo abilities: JourneyAbilities, by client: ClientContext
    ) async throws -> BeginOutcome {
        try await begin(
            kind, terms: GrantTerms(), lifetime: FlowLifetime.standard, handleApart: false,
            journey: Journey(stage: .firstProof, method: .password, abilities: abilities), by: client)
    }

    private func begin(
        _ kind: FactorKind, terms: GrantTerms, lifetime: TimeInterval, handleApart: Bool, journey: Journey?,
        by client: ClientContext
    ) async throws -> BeginOutcome {
        let realm = realm
        guard begins(with: kind), let method = realm.proofs.method(kind) else {
            return .refused(Refusal(.unexpectedAnswer))
        }
        let now = realm.clock.now
        let (handle, nonce) = FlowHandle.drawn(apart: handleApart, realm.random)
        return try await realm.store.write { transaction in
            let settings = try transaction.settings()
            guard realm.proofs.isOffered(kind, settings.secondFactors),
                let (challenge, shown) = try method.open(nonce: nonce, settings: settings, realm: realm)
            else { return .refused(Refusal(.factorNotOffered)) }
            if let source = client.limitedSource,
                let until = try transaction.charge(
                    .attemptsPerSource, key: CounterKey.attempts(from: source), at: now)
            {
                return .refused(Refusal(.sourceLimited, retryAt: until))
            }
            var body = FlowBody(purpose: .signIn, client: client, challenge: .proof(challenge), terms: terms)
            body.journey = journey
            let flow = FlowRecord(
                digest: handle.digest, userID: nil, purpose: FlowPurpose.signIn.rawValue, createdAt: now,
                expiresAt: now + lifetime,
                body: try body.sealed(by: realm.sealer, digest: handle.digest, in: transaction))
            guard try transaction.insert(flow) else { return .refused(Refusal(.busy)) }
            return .begun(BegunProof(handle: handle, kind: kind, challenge: shown, expiresAt: flow.expiresAt))
        }
    }

    /// Asks for a second factor that responds to a challenge, in an attempt that waits for one. The other second factors may be given all
    /// the same; a challenge takes the place of the one before.
    /// - Returns: ``BeginOutcome/begun(_:)`` with the attempt's own handle. Refused with `unknownFactor` where the user has none of the kind
    ///   that would count, `flowFinished`, `flowExpired` and `unknownFlow` as an answer would be.
    public func challenge(
        _ kind: FactorKind, in handle: FlowHandle, expecting expectation: FlowExpectation, by client: ClientContext
    ) async throws -> BeginOutcome {
        let realm = realm
        guard let method = realm.proofs.method(kind), method.traits.prompt == .response else {
            return .refused(Refusal(.unexpectedAnswer))
        }
        let now = realm.clock.now
        let nonce = realm.random.bytes(32)
        return try await realm.store.write { transaction in
            guard
                let found = try transaction.flow(of: handle, expecting: expectation, at: now, sealer: realm.sealer),
                expectation.admits(stageOf: found.body)
            else { return .refused(Refusal(.unknownFlow)) }
            var (record, body) = (found.record, found.body)
            if record.finishedAt != nil { return .refused(Refusal(.flowFinished)) }
            if record.expiresAt <= now { return .refused(Refusal(.flowExpired)) }
            guard record.attempts < body.maximumAttempts else { return .refused(Refusal(.flowExhausted)) }
            guard body.asksForSecondFactor, let user = try transaction.user(record.userID ?? .placeholder) else {
                return .refused(Refusal(.unexpectedAnswer))
            }
            guard try body.goesOn(for: user, at: now, in: transaction) else { return .refused(Refusal(.flowExpired)) }
            let settings = try transaction.settings()
            let usable = try body.usableSecondFactors(
                of: user, settings.secondFactors, realm.proofs, realm.sealer, in: transaction
            ).filter { $0.kind == kind }
            guard !usable.isEmpty else { return .refused(Refusal(.unknownFactor)) }
            if let source = client.limitedSource,
                let until = try transaction.charge(
                    .attemptsPerSource, key: CounterKey.attempts(from: source), at: now)
            {
                return .refused(Refusal(.sourceLimited, retryAt: until))
            }
            guard
                let (challenge, shown) = try method.open(
                    nonce: nonce, for: user, having: usable, settings: settings, realm: realm)
            else { return .refused(Refusal(.factorNotOffered)) }
            body.opened = challenge
            record.body = try body.sealed(by: realm.sealer, digest: record.digest, in: transaction)
            guard try transaction.update(record) else { return .refused(Refusal(.busy)) }
            return .begun(BegunProof(handle: handle, kind: kind, challenge: shown, expiresAt: record.expiresAt))
        }
    }
}
