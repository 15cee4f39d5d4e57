import Foundation
import OneTimePassword

extension Sessions {
    /// What the session of a refresh token was granted, for a dialect that has to look before the token is traded. Nothing
    /// is used up by it.
    /// - Returns: nil where ``refresh(_:of:requiringSecondFactor:by:asking:)`` would not trade the token either.
    public func evidence(of text: Secret<String>, of owner: HandleOwner) async throws -> SessionEvidence? {
        guard let given = RefreshToken(text.reveal()) else { return nil }
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            guard let session = try transaction.session(given.sessionID), owner.owns(session),
                session.revokedAt == nil, session.expiresAt > now
            else { return nil }
            let isCurrent = ConstantTime.equal(given.digest, session.refresh.currentDigest)
            let isPrevious = session.refresh.previousDigest.map { ConstantTime.equal(given.digest, $0) } ?? false
            return isCurrent || isPrevious ? session.evidence : nil
        }
    }
}
