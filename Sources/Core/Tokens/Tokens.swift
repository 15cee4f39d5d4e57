import Foundation
import JSON

/// The tokens of this server: composing, signing and verifying them, whatever the protocol.
public struct Tokens: Sendable {
    let realm: Realm

    /// Judges a token that a request brings.
    ///
    /// User and session are read from one snapshot, as they are now. Nothing is written.
    /// - Throws: `StoreError` where keys, user or session cannot be read.
    public func verify(_ text: String, expecting expectation: TokenExpectation) async throws -> TokenJudgement {
        guard let token = realm.keyring.read(text) else { return .refused(.malformed) }
        switch try await begin(token, expectation) {
        case .ended(let judgement): return judgement
        case .ofUser(let open): return try await realm.store.read { try open.judge(in: $0) }
        }
    }

    /// What can be told of a token without its user.
    enum Beginning: Sendable {
        case ended(TokenJudgement)
        case ofUser(OpenToken)

        fileprivate static func refused(_ refusal: TokenRefusal) -> Beginning { .ended(.refused(refusal)) }
    }

    /// Judges a token as far as that needs no user.
    func begin(_ read: ReadToken, _ expectation: TokenExpectation) async throws -> Beginning {
        guard let token = try await authentic(read, expectation) else { return .refused(.malformed) }
        let claims = token.claims
        guard token.algorithm.map(expectation.algorithms.contains) ?? true else { return .refused(.wrongAlgorithm) }
        guard expectation.types.contains(token.type) else { return .refused(.wrongType) }
        guard let issuer = claims.string("iss"), expectation.issuers.admits(issuer) else {
            return .refused(.wrongIssuer)
        }
        guard let audience = claims.string("aud"), expectation.audiences.admits(audience) else {
            return .refused(.wrongAudience)
        }
        guard expectation.claims.allSatisfy({ claims[$0.key] == $0.value }) else { return .refused(.incomplete) }
        let times = TokenTimes.judge(claims, at: realm.clock.now, admitsExpired: expectation.admitsExpired)
        if case .failure(let fault) = times, fault == .malformed || fault == .incomplete { return .refused(fault) }
        guard case .user(let id) = expectation.subject else {
            switch times {
            case .failure(let refusal): return .refused(refusal)
            case .success(let times): return .ended(.good(VerifiedToken(claims, times, user: nil, session: nil)))
            }
        }
        guard let userID = id(claims), let issuedAt = claims.integer("iat") else { return .refused(.incomplete) }
        let epoch = claims.integer(CustomClaims.epochClaim).flatMap { Int(exactly: $0) }
        // A null is as none: only a token that the mode leaves unsigned can say it.
        guard epoch != nil || (claims[CustomClaims.epochClaim] ?? .null) == .null else { return .refused(.malformed) }
        var owner = expectation.session.map { $0(claims) }
        let sessionID = claims.string(expectation.sessionClaim).map(SessionID.init(rawValue:))
        if owner != nil, sessionID == nil {
            // What is there and no text names no session that goes on.
            guard expectation.admitsNoSession, (claims[expectation.sessionClaim] ?? .null) == .null else {
                return .refused(.incomplete)
            }
            owner = nil
        }
        return .ofUser(
            OpenToken(
                claims: claims, times: times, userID: userID, issuedAt: issuedAt, epoch: epoch, owner: owner,
                sessionID: sessionID, now: realm.clock.now))
    }

    // MARK: Signatures

    private struct Authentic {
        let claims: TokenClaims
        let type: TokenType
        /// Nil for one without signature.
        let algorithm: SigningAlgorithm?
    }

    private func authentic(_ token: ReadToken, _ expectation: TokenExpectation) async throws -> Authentic? {
        let type = TokenType(header: token.header.typ)
        if let claims = try await realm.keyring.verified(token) {
            return Authentic(claims: claims, type: type, algorithm: SigningAlgorithm(rawValue: token.header.alg))
        }
        guard expectation.admitsUnsigned, realm.mode.usesUnsignedTokens,
            let claims = token.received.flatMap(Keyring.unsigned)
        else { return nil }
        return Authentic(claims: claims, type: type, algorithm: nil)
    }
}

/// A token of which all is right that can be told without its user. It is judged in a transaction, beside what else that reads.
struct OpenToken: Sendable {
    let claims: TokenClaims
    let times: Result<TokenTimes, TokenRefusal>
    let userID: UserID
    let issuedAt: Int64
    let epoch: Int?
    /// Whose grant of the session has to go on; nil where the token names none.
    let owner: HandleOwner?
    let sessionID: SessionID?
    let now: Date

    func judge(in transaction: any StoreTransaction) throws -> TokenJudgement {
        guard let user = try transaction.user(userID) else { return .refused(.userNotFound) }
        guard user.admits(epoch: epoch, issuedAt: issuedAt) else { return .refused(.revoked) }
        if case .failure(.expired) = times { return .refused(.expired) }
        if user.isDisabled { return .refused(.userDisabled) }
        let good: TokenTimes
        switch times {
        case .failure(let refusal): return .refused(refusal)
        case .success(let times): good = times
        }
        guard let owner, let sessionID else { return .good(VerifiedToken(claims, good, user: user, session: nil)) }
        guard let session = try transaction.living(sessionID, of: owner, for: user, at: now) else {
            return .refused(.sessionEnded)
        }
        return .good(VerifiedToken(claims, good, user: user, session: session))
    }
}

extension VerifiedToken {
    fileprivate init(_ claims: TokenClaims, _ times: TokenTimes, user: User?, session: GrantedSession?) {
        self.init(
            claims: claims, issuedAt: times.issuedAt, expiresAt: times.expiresAt, user: user, session: session)
    }
}

extension User {
    /// Whether a token that was issued to the user still counts.
    /// - Parameters:
    ///   - epoch: what the token says of the user's epoch; nil in tokens made elsewhere (the emulator's), which are judged by
    ///     the second they were issued in.
    ///   - issuedAt: seconds since 1970. Of a token with an epoch it is compared with instants that an administrator
    ///     named, and never with another server's clock.
    func admits(epoch: Int?, issuedAt: Int64) -> Bool {
        guard let epoch else { return issuedAt >= tokensValidAfter.seconds }
        return epoch >= tokenEpoch && issuedAt >= tokensRefusedBefore.seconds
    }
}

extension StoreTransaction {
    /// A session that goes on with a grant of the owner's that goes on; the newest grant, where the owner has several.
    func living(_ id: SessionID, of owner: HandleOwner, for user: User, at now: Date) throws -> GrantedSession? {
        guard let session = try session(id), session.isLiving(of: user, at: now),
            let grant = try grants(of: id, most: 1, where: { owner.owns($0) && $0.isLiving(at: now) }).first
        else { return nil }
        return GrantedSession(session: session, grant: grant)
    }
}
