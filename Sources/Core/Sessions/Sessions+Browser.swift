import Foundation
import OneTimePassword

/// Sessions of browsers: made by no grant, held by a cookie.
extension Sessions {
    /// A browser's session, and what its cookie carries.
    public struct BrowserSession: Sendable {
        /// The session.
        public let session: Session
        /// The session's user.
        public let user: User
        /// 256 random bits after the session's id. The server keeps the digest.
        public let token: Secret<String>
    }

    /// Seconds after which a browser's session is over that was not used, where ``BrowserSessionSettings`` say nothing else (NIST SP
    /// 800-63B-4, section 2.2.3).
    public static let idleTime: TimeInterval = 3600
    /// Seconds after the first of its proofs after which it is over in any case (the same).
    public static let overallTime: TimeInterval = 86_400
    /// Seconds after which a browser's token says anew when the session was used.
    private static let renewalTime: TimeInterval = 300

    /// Turns a sign-in that just took place on a page into a browser's session without grants: the grant that the sign-in
    /// made is removed, so that its refresh token opens nothing.
    ///
    /// Applications then get grants of it (``AuthorizationCodes/redeem(_:presented:secondFactor:by:)``).
    /// - Parameter stays: whether the user asked to stay signed in (``BrowserSessionSettings``).
    /// - Returns: nil where the session is over meanwhile, or a browser holds it already.
    public func begin(inBrowser signedIn: SignedIn, stays: Bool = false) async throws -> BrowserSession? {
        let realm = realm
        let now = realm.clock.now
        let token = BrowserToken(session: signedIn.session.id, stays: stays, random: realm.random)
        return try await realm.store.write { transaction in
            guard let user = try transaction.user(signedIn.user.id), !user.isDisabled,
                var session = try transaction.session(signedIn.session.id), session.isLiving(of: user, at: now),
                session.browserDigest == nil
            else { return nil }
            session.browserDigest = token.digest
            guard try transaction.update(session), try transaction.deleteGrant(signedIn.grant.id) else { return nil }
            return BrowserSession(
                session: try transaction.session(session.id) ?? session, user: user,
                token: try token.stamped(at: now, sealer: realm.sealer, in: transaction))
        }
    }

    /// Puts what a sign-in just proved in place of what a browser's session was proven with: after a step-up that is more, after
    /// a re-authentication the same anew. The session keeps its id, its token is another, and the sign-in's own session is over.
    /// - Parameter stays: whether the user asked to stay signed in.
    /// - Returns: nil where either session is over, or they are of different users.
    public func raise(
        _ browser: Session, by signedIn: SignedIn, stays: Bool = false
    ) async throws -> BrowserSession? {
        let realm = realm
        let now = realm.clock.now
        let token = BrowserToken(session: browser.id, stays: stays, random: realm.random)
        return try await realm.store.write { transaction in
            guard let user = try transaction.user(browser.userID), !user.isDisabled, user.id == signedIn.user.id,
                var session = try transaction.session(browser.id), session.isLiving(of: user, at: now),
                session.browserDigest != nil, browser.id != signedIn.session.id,
                let proving = try transaction.session(signedIn.session.id), proving.isLiving(of: user, at: now)
            else { return nil }
            // Grants of before they kept proofs of their own: what they were proven with is about to be replaced.
            let unproven = try transaction.grants(of: session.id, most: Session.longestList) { $0.proofs == nil }
            var rows: Set<ReservedRow> = [.session(session.id), .session(proving.id), .grant(signedIn.grant.id)]
            for grant in unproven { rows.insert(.grant(grant.id)) }
            try transaction.reserve(rows)
            for var grant in unproven {
                grant.proofs = session.proofs
                _ = try transaction.update(grant)
            }
            session.proofs = proving.proofs
            session.browserDigest = token.digest
            // The sign-in's own grant was never given out: no application hears of its end.
            guard try transaction.update(session), try transaction.deleteGrant(signedIn.grant.id),
                try transaction.end(proving, at: now)
            else { return nil }
            return BrowserSession(
                session: try transaction.session(session.id) ?? session, user: user,
                token: try token.stamped(at: now, sealer: realm.sealer, in: transaction))
        }
    }

    /// The session of a browser's cookie, where it goes on, was used lately, and the user is not disabled.
    public func session(ofBrowser text: Secret<String>) async throws -> (session: Session, user: User)? {
        guard let given = BrowserToken(text.reveal()) else { return nil }
        let now = realm.clock.now
        guard let seenAt = try given.lastUse(at: now, sealer: realm.sealer) else { return nil }
        let proofs = realm.proofs
        return try await realm.store.read { transaction in
            guard let session = try transaction.session(given.sessionID), let digest = session.browserDigest,
                ConstantTime.equal(given.digest, digest), let user = try transaction.user(session.userID),
                !user.isDisabled, session.isLiving(of: user, at: now), !user.refuses(issuedAt: session.createdAt)
            else { return nil }
            let limits = try transaction.settings().browserSessions.limits(
                of: proofs.contextClass(of: session.proofs), stays: given.stays)
            guard now < seenAt + limits.idle,
                now < (session.proofs.map(\.at).min() ?? session.createdAt) + limits.overall
            else { return nil }
            return (session, user)
        }
    }

    /// What a browser's token has in common with the tokens that ``renewed(browser:)`` puts in its place: forms and notes of a session are
    /// bound to it, since a page may renew the token with which it was asked for. Another proof gives the session another one.
    public static func lastingPart(ofBrowser text: Secret<String>) -> Secret<String> {
        BrowserToken(text.reveal())?.text ?? text
    }

    /// Seconds that a browser keeps a token after it is closed; nil where it is to forget it then. The session may be over earlier.
    /// - Parameter text: a token that this server made.
    public static func lifetime(ofBrowser text: Secret<String>) -> Int? {
        BrowserToken(text.reveal())?.stays == true ? Int(BrowserSessionSettings.longestStay) : nil
    }

    /// The token of a session that is in use, saying that it was used now; nil where it said so lately. The session is the same.
    /// - Parameter text: a token that ``session(ofBrowser:)`` has just admitted.
    public func renewed(browser text: Secret<String>) async throws -> Secret<String>? {
        let realm = realm
        let now = realm.clock.now
        guard let given = BrowserToken(text.reveal()), let seenAt = given.stamp?.at, now >= seenAt + Self.renewalTime
        else { return nil }
        return try await realm.store.read { try given.stamped(at: now, sealer: realm.sealer, in: $0) }
    }
}

extension BrowserToken {
    private static let context = "browser-session-used"

    /// What a browser's cookie carries: the token, when the session was used, and a keyed digest of both. So a browser that is left alone
    /// is signed out without a write for each page that it loads.
    fileprivate func stamped(
        at now: Date, sealer: Sealer, in transaction: any StoreTransaction
    ) throws -> Secret<String> {
        let stamped = stamped(at: Int64(now.timeIntervalSince1970))
        let digest = try sealer.digest(stamped, for: Self.context, in: transaction)
        return Secret("\(stamped).\(Array(digest).base64URL)")
    }

    private func stamped(at second: Int64) -> String {
        "\(text.reveal()).\(String(second, radix: 36))\(stays ? String(Self.stayMark) : "")"
    }

    /// When the token says, in our hand, that the session was used last; nil where that is longer ago than for any session. A key that
    /// is gone is as no digest.
    fileprivate func lastUse(at now: Date, sealer: Sealer) throws -> Date? {
        guard let stamp, now < stamp.at + (stays ? BrowserSessionSettings.longestIdle : Sessions.idleTime) else {
            return nil
        }
        do {
            let isOurs = try sealer.matches(
                stamped(at: Int64(stamp.at.timeIntervalSince1970)), stamp.digest, for: Self.context)
            return isOurs ? stamp.at : nil
        } catch is SealingError {
            return nil
        }
    }
}
