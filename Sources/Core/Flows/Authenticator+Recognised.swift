import Foundation

extension Authenticator {
    /// Opens a sign-in of a user that a module above the core has recognised. It waits for a second factor.
    /// - Parameters:
    ///   - kind: names what recognised the user, in the evidence.
    /// - Returns: nil where there is no such user, or the user is disabled.
    package func openAttempt(
        of id: UserID, recognisedBy kind: FactorKind, by client: ClientContext
    ) async throws -> FlowHandle? {
        let realm = realm
        let now = realm.clock.now
        let handle = FlowHandle(random: realm.random)
        return try await realm.store.write { transaction in
            guard let user = try transaction.user(id), !user.isDisabled else { return nil }
            let body = FlowBody(
                purpose: .signIn, client: client, email: user.email, proven: [Proof(kind: kind, at: now)],
                challenge: .secondFactor, tokenEpoch: user.tokenEpoch)
            let flow = FlowRecord(
                digest: handle.digest, userID: id, purpose: FlowPurpose.signIn.rawValue, createdAt: now,
                expiresAt: now + FlowLifetime.secondFactor,
                body: try body.sealed(by: realm.sealer, digest: handle.digest, in: transaction))
            return try transaction.insert(flow) ? handle : nil
        }
    }
}
