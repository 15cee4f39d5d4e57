import Foundation
import OneTimePassword

extension Enrolments {
    /// What an authenticator app needs to know.
    public struct TOTPOffer: Sendable {
        /// The handle that the first code goes to, with ``Answer/enrolmentCode(_:name:)``.
        public let handle: FlowHandle
        /// 20 random bytes (RFC 4226, section 4, R6).
        public let secret: Secret<[UInt8]>
        /// The hash that codes are made with.
        public let algorithm: OTPAlgorithm
        /// Digits of a code.
        public let digits: Int
        /// Seconds.
        public let period: Int
        /// Until when the first code may come.
        public let expiresAt: Date
    }

    /// What came of beginning.
    public enum TOTPOutcome: Sendable {
        /// The enrolment waits for the app's first code.
        case offered(TOTPOffer)
        /// Nothing was begun.
        case refused(EnrolmentRefusal)
    }

    /// Begins to enrol a TOTP factor.
    /// - Parameters:
    ///   - evidence: the evidence of the caller's session.
    ///   - epoch: the token epoch in which that session was found good; a revocation since then refuses.
    ///   - session: names that session: where it is ended, nothing is enrolled any more.
    public func beginTOTP(
        for userID: UserID, evidence: SessionEvidence, asOf epoch: Int? = nil, in session: SessionID? = nil,
        by client: ClientContext
    ) async throws -> TOTPOutcome {
        let now = realm.clock.now
        let handle = FlowHandle(random: realm.random)
        let secret = realm.random.bytes(20)
        let payload = try TOTPFactor.Payload(secret: Data(secret)).stored
        let refusal: EnrolmentRefusal? = try await realm.store.write { transaction in
            try open(
                .totp, for: userID, evidence: evidence, asOf: epoch, startedBy: session, handle: handle,
                attempts: Self.attempts, at: now, by: client, in: transaction, { _, _ in payload })
        }
        if let refusal { return .refused(refusal) }
        return .offered(
            TOTPOffer(
                handle: handle, secret: Secret(secret), algorithm: .sha1, digits: 6, period: 30,
                expiresAt: now + FlowLifetime.standard))
    }
}
