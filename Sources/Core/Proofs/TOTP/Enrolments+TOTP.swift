import Foundation
import OneTimePassword

extension Enrolments {
    /// What an authenticator app needs to know.
    public struct TOTPOffer: Sendable {
        public let handle: FlowHandle
        /// 20 random bytes (RFC 4226, section 4, R6).
        public let secret: Secret<[UInt8]>
        public let algorithm: OTPAlgorithm
        public let digits: Int
        /// Seconds.
        public let period: Int
        public let expiresAt: Date
    }

    public enum TOTPOutcome: Sendable {
        case offered(TOTPOffer)
        case refused(EnrolmentRefusal)
    }

    /// Begins to enrol a TOTP factor.
    /// - Parameters:
    ///   - evidence: the evidence of the caller's session.
    ///   - epoch: the token epoch in which that session was found good; a revocation since then refuses.
    public func beginTOTP(
        for userID: UserID, evidence: SessionEvidence, asOf epoch: Int? = nil, by client: ClientContext
    ) async throws -> TOTPOutcome {
        let realm = realm
        let now = realm.clock.now
        let handle = FlowHandle(random: realm.random)
        let secret = realm.random.bytes(20)
        let payload = try TOTPFactor.Payload(secret: Data(secret)).stored
        let expiresAt = now + FlowLifetime.standard
        let refusal: EnrolmentRefusal? = try await realm.store.write { transaction in
            guard let user = try transaction.user(userID) else { return .userNotFound }
            if let epoch, epoch != user.tokenEpoch { return .revoked }
            let settings = try transaction.settings()
            guard realm.proofs.isOffered(.totp, settings.secondFactors) else { return .notOffered }
            guard user.email != nil, user.profile.emailVerified else { return .unverifiedEmail }
            guard evidence.allowsEnrolment(realm.proofs) else { return .unsupportedFirstFactor }
            guard evidence.isRecent(at: now) else { return .signInTooOld }
            let count = try transaction.factors(of: userID).count { $0.kind == .totp }
            guard count < realm.proofs.limitPerUser(of: .totp) else { return .limitReached }
            if let until = try transaction.charge(.offersPerUser, key: CounterKey.offers(to: userID), at: now) {
                return .limited(until: until)
            }
            let body = FlowBody(
                purpose: .enrolFactor, client: client, email: user.email, proven: evidence.proofs,
                challenge: .enrolment(kind: .totp, payload: payload), maximumAttempts: Self.attempts,
                terms: SessionTerms(scopes: evidence.scopes, details: evidence.details), tokenEpoch: user.tokenEpoch)
            _ = try transaction.insert(
                FlowRecord(
                    digest: handle.digest, userID: userID, purpose: FlowPurpose.enrolFactor.rawValue, createdAt: now,
                    expiresAt: expiresAt,
                    body: try body.sealed(by: realm.sealer, digest: handle.digest, in: transaction)))
            return nil
        }
        if let refusal { return .refused(refusal) }
        return .offered(
            TOTPOffer(
                handle: handle, secret: Secret(secret), algorithm: .sha1, digits: 6, period: 30, expiresAt: expiresAt))
    }
}
