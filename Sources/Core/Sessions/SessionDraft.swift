import Foundation

/// The random parts of a session and its first grant, drawn before the transaction that opens them.
struct SessionDraft: Sendable {
    let id: SessionID
    let grant: GrantDraft

    init(random: any RandomSource) {
        id = SessionID(rawValue: KeyedSecret.freshName(random: random))
        grant = GrantDraft(random: random)
    }

    /// Opens a session with a grant of it, and remembers the sign-in.
    /// - Parameters:
    ///   - client: who gets the tokens, for where the session came from.
    ///   - isSignIn: false where a session only goes on, with other tokens.
    func open(
        for user: User, evidence: SessionEvidence, clientID: ClientID, settings: RealmSettings, at now: Date,
        from client: ClientContext, isSignIn: Bool = true, in transaction: any StoreTransaction
    ) throws -> SignedIn {
        let session = Session(
            id: id, userID: user.id, dialect: evidence.dialect, tokenEpoch: user.tokenEpoch, createdAt: now,
            expiresAt: now + Double(settings.tokens.sessionDays) * 86_400, proofs: evidence.proofs,
            origin: SessionOrigin(client))
        guard try transaction.insert(session) else {
            throw StoreError(.unavailable, "A session id came up twice: the random source is broken.")
        }
        let opened = try grant.open(
            on: session, for: clientID, dialect: evidence.dialect,
            terms: evidence.terms, settings: settings, at: now, in: transaction)
        try transaction.touch(user.id, signedInAt: isSignIn ? now : nil, refreshedAt: now)
        return SignedIn(
            user: try transaction.user(user.id) ?? user, session: session, grant: opened,
            refreshToken: grant.token.text)
    }
}

/// The random parts of a grant.
struct GrantDraft: Sendable {
    let id: GrantID
    let token: RefreshToken

    init(random: any RandomSource) {
        id = GrantID(rawValue: KeyedSecret.freshName(random: random))
        token = RefreshToken(grant: id, random: random)
    }

    /// Opens a grant on a session that goes on.
    /// - Parameter proofs: what the session is proven with now, where it may be proven with more later.
    func open(
        on session: Session, for clientID: ClientID, dialect: Dialect, terms: GrantTerms, settings: RealmSettings,
        proofs: [Proof]? = nil, at now: Date, in transaction: any StoreTransaction
    ) throws -> Grant {
        let grant = Grant(
            id: id, sessionID: session.id, userID: session.userID, clientID: clientID, dialect: dialect,
            createdAt: now,
            expiresAt: min(session.expiresAt, now + Double(settings.tokens.sessionDays) * 86_400),
            refresh: RefreshTokenState(currentDigest: token.digest), terms: terms, proofs: proofs)
        guard try transaction.insert(grant) else {
            throw StoreError(.unavailable, "A grant id came up twice: the random source is broken.")
        }
        return grant
    }
}
