import Foundation
import OneTimePassword

/// Sessions of browsers: made by no grant, held by a cookie.
extension Sessions {
    /// A browser's session, and what its cookie carries.
    public struct BrowserSession: Sendable {
        public let session: Session
        public let user: User
        /// 256 random bits after the session's id. The server keeps the digest.
        public let token: Secret<String>
    }

    /// Turns a sign-in that just took place on a page into a browser's session without grants: the grant that the sign-in
    /// made is removed, so that its refresh token opens nothing.
    ///
    /// Applications then get grants of it (``Grants/open(on:of:terms:for:secondFactor:by:)``).
    /// - Returns: nil where the session is over meanwhile, or a browser holds it already.
    public func begin(inBrowser signedIn: SignedIn) async throws -> BrowserSession? {
        let now = realm.clock.now
        let token = BrowserToken(session: signedIn.session.id, random: realm.random)
        return try await realm.store.write { transaction in
            guard let user = try transaction.user(signedIn.user.id), !user.isDisabled,
                var session = try transaction.session(signedIn.session.id), session.isLiving(of: user, at: now),
                session.browserDigest == nil
            else { return nil }
            session.browserDigest = token.digest
            guard try transaction.update(session), try transaction.deleteGrant(signedIn.grant.id) else { return nil }
            return BrowserSession(
                session: try transaction.session(session.id) ?? session, user: user, token: token.text)
        }
    }

    /// The session of a browser's cookie, where it goes on and the user is not disabled.
    public func session(ofBrowser text: Secret<String>) async throws -> (session: Session, user: User)? {
        guard let given = BrowserToken(text.reveal()) else { return nil }
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            guard let session = try transaction.session(given.sessionID), let digest = session.browserDigest,
                ConstantTime.equal(given.digest, digest), let user = try transaction.user(session.userID),
                !user.isDisabled, session.isLiving(of: user, at: now), !user.refuses(issuedAt: session.createdAt)
            else { return nil }
            return (session, user)
        }
    }
}
