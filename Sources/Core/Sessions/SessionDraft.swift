import Crypto
import Foundation

/// The random parts of a session, drawn before the transaction that opens it.
struct SessionDraft: Sendable {
    let id: SessionID
    let token: RefreshToken

    init(random: any RandomSource) {
        id = SessionID(rawValue: random.bytes(16).base64URL)
        token = RefreshToken(session: id, random: random)
    }

    /// Opens the session, and remembers the sign-in.
    /// - Parameter isSignIn: false where a session only goes on, with other tokens.
    func open(
        for user: User, evidence: SessionEvidence, clientID: ClientID, settings: RealmSettings, at now: Date,
        isSignIn: Bool = true, in transaction: any StoreTransaction
    ) throws -> SignedIn {
        let session = Session(
            id: id, userID: user.id, clientID: clientID, tokenEpoch: user.tokenEpoch, createdAt: now,
            expiresAt: now + Double(settings.tokens.sessionDays) * 86_400,
            refresh: RefreshTokenState(currentDigest: token.digest),
            evidence: evidence)
        guard try transaction.insert(session) else {
            throw StoreError(.unavailable, "A session id came up twice: the random source is broken.")
        }
        try transaction.touch(user.id, signedInAt: isSignIn ? now : nil, refreshedAt: now)
        return SignedIn(
            user: try transaction.user(user.id) ?? user, session: session, refreshToken: token.text)
    }
}

/// A refresh token: the session's id and 256 random bits, as URL-safe Base64. Opaque to clients.
struct RefreshToken: Sendable {
    let sessionID: SessionID
    let text: Secret<String>

    init(session: SessionID, random: any RandomSource) {
        sessionID = session
        text = Secret("\(session.rawValue).\(random.bytes(32).base64URL)")
    }

    /// Nil where the text is not of this form.
    init?(_ text: String) {
        guard text.utf8.count <= 128 else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, [UInt8](base64URL: parts[0])?.count == 16, [UInt8](base64URL: parts[1])?.count == 32
        else { return nil }
        sessionID = SessionID(rawValue: String(parts[0]))
        self.text = Secret(text)
    }

    /// SHA-256: what the server keeps to recognise it.
    var digest: Data { Data(SHA256.hash(data: Data(text.reveal().utf8))) }

    func sealed(by sealer: Sealer, in transaction: any StoreTransaction) throws -> Data {
        try sealer.seal(Data(text.reveal().utf8), for: .session(sessionID), in: transaction)
    }

    static func open(_ sealed: Data, session: SessionID, with sealer: Sealer) throws -> RefreshToken? {
        let plain = try sealer.open(sealed, for: .session(session))
        return RefreshToken(String(decoding: plain, as: UTF8.self))
    }
}
