import Foundation
import OneTimePassword

/// Sessions: what follows a sign-in.
public struct Sessions: Sendable {
    let realm: Realm

    public enum RefreshOutcome: Sendable {
        case refreshed(SignedIn)
        case refused(RefreshRefusal)
    }

    public enum RefreshRefusal: String, Sendable {
        /// Not of the form of our tokens.
        case unknownToken
        /// It was used before; its whole family is revoked now.
        case reused
        /// Revoked or too old; or gone, with its user or when it was old enough to be cleaned away. Clients sign the
        /// user out on this, as they should, and not on a token that never was one.
        case ended
        case userNotFound
        case userDisabled
        /// The caller wants a session with a second factor, and this one has none. Its token was not traded.
        case secondFactorRequired
    }

    /// Trades a refresh token for a fresh one.
    ///
    /// Each token is good for one trade (RFC 9700, section 4.14.2). One that comes again gets the same successor, for a
    /// minute (``RefreshGrace``) and until that successor was used; one that comes later has been stolen, or its successor
    /// has: the session ends for both.
    ///
    /// A trade whose commit has no known outcome (`StoreError` of code `outcomeUnknown`) is repeated the same way: where it
    /// was done, the repeated one finds the successor; where it was not, the token is still the present one; and where it
    /// is still under way, the repeated one waits for it.
    ///
    /// - Parameter owner: whose session it has to be (RFC 6749, section 10.4). Another's is as unknown as a made-up one, and is
    ///   not used up.
    /// - Parameter requiringSecondFactor: whether the session has to have been proven with one.
    /// - Parameter consultant: asked before the token is traded, where it would be: what they throw uses nothing up.
    public func refresh(
        _ text: Secret<String>, of owner: HandleOwner, requiringSecondFactor: Bool = false, by client: ClientContext,
        asking consultant: (any Consultant)? = nil
    ) async throws -> RefreshOutcome {
        guard let given = RefreshToken(text.reveal()) else { return .refused(.unknownToken) }
        let realm = realm
        let now = realm.clock.now
        if let consultant, consultant.steps.contains(.session) {
            let user = try await realm.store.read { transaction -> User? in
                guard let session = try transaction.session(given.sessionID), owner.owns(session),
                    !requiringSecondFactor || session.evidence.secondFactor != nil
                else { return nil }
                return try Self.holder(
                    of: given, session, at: now, sharedNow: transaction.sharedTime(realm.clock), in: transaction)
            }
            if let user { try await consultant.beforeSession(of: user) }
        }
        let successor = RefreshToken(session: given.sessionID, random: realm.random)
        let eventID = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard var session = try transaction.session(given.sessionID) else { return .refused(.ended) }
            guard owner.owns(session) else { return .refused(.unknownToken) }
            guard let user = try transaction.user(session.userID) else { return .refused(.userNotFound) }
            if session.revokedAt != nil || session.expiresAt <= now || session.tokenEpoch != user.tokenEpoch {
                return .refused(.ended)
            }
            // An administrator may name an instant of the past, which is no new epoch.
            if user.refuses(issuedAt: session.createdAt) { return .refused(.ended) }
            let sharedNow = try transaction.sharedTime(realm.clock)

            let lacksFactor = requiringSecondFactor && session.evidence.secondFactor == nil
            let token: RefreshToken
            if ConstantTime.equal(given.digest, session.refresh.currentDigest) {
                if user.isDisabled { return .refused(.userDisabled) }
                if lacksFactor { return .refused(.secondFactorRequired) }
                session.refresh = RefreshTokenState(
                    currentDigest: successor.digest, previousDigest: given.digest, rotatedAt: sharedNow,
                    sealedCurrent: try successor.sealed(by: realm.sealer, in: transaction))
                // The user before the session, as everywhere: who removes the user locks them in this order.
                try transaction.reserve([.user(user.id)])
                guard try transaction.update(session) else { return .refused(.ended) }
                token = successor
            } else if let previous = session.refresh.previousDigest, ConstantTime.equal(given.digest, previous),
                RefreshGrace.covers(sharedNow, since: session.refresh.rotatedAt),
                let sealed = session.refresh.sealedCurrent,
                let current = try RefreshToken.open(sealed, session: session.id, with: realm.sealer)
            {
                if user.isDisabled { return .refused(.userDisabled) }
                if lacksFactor { return .refused(.secondFactorRequired) }
                token = current
            } else {
                // Only holders of a token of the family know a session id.
                session.revokedAt = now
                _ = try transaction.update(session)
                try transaction.append(
                    AuditEvent(
                        id: eventID, at: now, kind: .refreshTokenReused, userID: user.id, context: client,
                        reason: RefreshRefusal.reused.rawValue))
                return .refused(.reused)
            }
            try transaction.touch(user.id, signedInAt: nil, refreshedAt: now)
            return .refreshed(SignedIn(user: user, session: session, refreshToken: token.text))
        }
    }

    /// Whose refresh token would be traded; nil where it would be refused, for whatever reason.
    private static func holder(
        of given: RefreshToken, _ session: Session, at now: Date, sharedNow: Date,
        in transaction: any StoreTransaction
    ) throws -> User? {
        guard session.revokedAt == nil, session.expiresAt > now, let user = try transaction.user(session.userID),
            !user.isDisabled, session.tokenEpoch == user.tokenEpoch, !user.refuses(issuedAt: session.createdAt)
        else { return nil }
        let isCurrent = ConstantTime.equal(given.digest, session.refresh.currentDigest)
        let isPrevious = session.refresh.previousDigest.map { ConstantTime.equal(given.digest, $0) } ?? false
        let isInGrace = RefreshGrace.covers(sharedNow, since: session.refresh.rotatedAt)
        return isCurrent || isPrevious && isInGrace ? user : nil
    }

    /// Whose access token it is, as of now.
    public enum Standing: Sendable {
        case good(User)
        case userNotFound
        /// Issued before the user's tokens were revoked.
        case revoked
        case userDisabled
    }

    /// Whether a token that was issued to a user still counts.
    /// - Parameters:
    ///   - epoch: what the token says of the user's epoch; nil in tokens made elsewhere (the emulator's), which are
    ///     judged by the second they were issued in.
    ///   - issuedAt: seconds since 1970. Of a token with an epoch it is compared with instants that an administrator named,
    ///     and with nothing that another server's clock has told.
    public func standing(of userID: UserID, epoch: Int?, issuedAt: Int64) async throws -> Standing {
        guard let user = try await realm.store.read({ try $0.user(userID) }) else { return .userNotFound }
        if let epoch {
            if epoch < user.tokenEpoch || issuedAt < user.tokensRefusedBefore.seconds { return .revoked }
        } else if issuedAt < user.tokensValidAfter.seconds {
            return .revoked
        }
        return user.isDisabled ? .userDisabled : .good(user)
    }

    /// A session that goes on, for what a token of it was proven with.
    /// - Parameters:
    ///   - owner: whose session it has to be.
    ///   - userID: the user its token is about.
    public func living(_ id: SessionID, of owner: HandleOwner, for userID: UserID) async throws -> Session? {
        let now = realm.clock.now
        return try await realm.store.read { transaction in
            guard let session = try transaction.session(id), owner.owns(session), session.userID == userID,
                session.revokedAt == nil, session.expiresAt > now,
                try transaction.user(userID)?.tokenEpoch == session.tokenEpoch
            else { return nil }
            return session
        }
    }

    /// Ends one session, by any refresh token of it. Nothing happens where the session has another owner.
    public func revoke(_ text: Secret<String>, of owner: HandleOwner) async throws {
        guard let given = RefreshToken(text.reveal()) else { return }
        let now = realm.clock.now
        try await realm.store.write { transaction in
            guard var session = try transaction.session(given.sessionID), owner.owns(session), session.revokedAt == nil
            else { return }
            session.revokedAt = now
            _ = try transaction.update(session)
        }
    }
}
