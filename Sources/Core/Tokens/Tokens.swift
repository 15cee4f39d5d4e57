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
        guard let received = ReceivedToken(text) else { return .refused(.malformed) }
        return try await verify(received, expecting: expectation)
    }

    /// The same of a token whose parts were decoded already.
    func verify(_ received: ReceivedToken, expecting expectation: TokenExpectation) async throws -> TokenJudgement {
        try await verify(received, expecting: expectation, reading: { (_, _) -> Void? in nil }).token
    }

    /// Judges a token, and reads what else its caller asks for from the snapshot that its user and session are of.
    /// - Parameter read: is given the session, where the token has to be of one. It is not asked where the user or the session is gone, nor
    ///   of a token without a user.
    func verify<Rest: Sendable>(
        _ received: ReceivedToken, expecting expectation: TokenExpectation,
        reading read: @escaping @Sendable (any StoreTransaction, GrantedSession?) throws -> Rest?
    ) async throws -> (token: TokenJudgement, rest: Rest?) {
        switch try await judge(received, expectation) {
        case .ended(let judgement): return (judgement, nil)
        case .ofUser(let id, let claims, let times): return try await judge(claims, times, of: id, expectation, read)
        }
    }

    /// What can be told of a token without its user.
    private enum Beginning {
        case ended(TokenJudgement)
        case ofUser(UserID?, TokenClaims, Result<TokenTimes, TokenRefusal>)

        static func refused(_ refusal: TokenRefusal) -> Beginning { .ended(.refused(refusal)) }
    }

    private func judge(_ received: ReceivedToken, _ expectation: TokenExpectation) async throws -> Beginning {
        guard let token = try await authentic(received, expectation) else { return .refused(.malformed) }
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
        return .ofUser(id(claims), claims, times)
    }

    // MARK: Signatures

    private struct Authentic {
        let claims: TokenClaims
        let type: TokenType
        /// Nil for one without signature.
        let algorithm: SigningAlgorithm?
    }

    private func authentic(_ token: ReceivedToken, _ expectation: TokenExpectation) async throws -> Authentic? {
        let type = TokenType(header: token.header.typ)
        if let claims = try await realm.keyring.verified(token) {
            return Authentic(claims: claims, type: type, algorithm: SigningAlgorithm(rawValue: token.header.alg))
        }
        guard expectation.admitsUnsigned, realm.mode.usesUnsignedTokens, let claims = Keyring.unsigned(token) else {
            return nil
        }
        return Authentic(claims: claims, type: type, algorithm: nil)
    }

    // MARK: Users

    private func judge<Rest: Sendable>(
        _ claims: TokenClaims, _ times: Result<TokenTimes, TokenRefusal>, of userID: UserID?,
        _ expectation: TokenExpectation,
        _ read: @escaping @Sendable (any StoreTransaction, GrantedSession?) throws -> Rest?
    ) async throws -> (token: TokenJudgement, rest: Rest?) {
        func refused(_ refusal: TokenRefusal) -> (token: TokenJudgement, rest: Rest?) { (.refused(refusal), nil) }
        guard let userID, let issuedAt = claims.integer("iat") else { return refused(.incomplete) }
        let epoch = claims.integer(CustomClaims.epochClaim).flatMap { Int(exactly: $0) }
        // A null is as none: only a token that the mode leaves unsigned can say it.
        guard epoch != nil || (claims[CustomClaims.epochClaim] ?? .null) == .null else { return refused(.malformed) }
        let owner = expectation.session.map { $0(claims) }
        let sessionID = claims.string("sid").map(SessionID.init(rawValue:))
        if owner != nil, sessionID == nil { return refused(.incomplete) }
        let now = realm.clock.now
        let (user, session, rest) = try await realm.store.read {
            transaction -> (User?, GrantedSession?, Rest?) in
            guard let user = try transaction.user(userID) else { return (nil, nil, nil) }
            guard let owner, let sessionID else { return (user, nil, try read(transaction, nil)) }
            guard let session = try transaction.living(sessionID, of: owner, for: user, at: now) else {
                return (user, nil, nil)
            }
            return (user, session, try read(transaction, session))
        }
        guard let user else { return refused(.userNotFound) }
        guard user.admits(epoch: epoch, issuedAt: issuedAt) else { return refused(.revoked) }
        if case .failure(.expired) = times { return refused(.expired) }
        if user.isDisabled { return refused(.userDisabled) }
        let good: TokenTimes
        switch times {
        case .failure(let refusal): return refused(refusal)
        case .success(let times): good = times
        }
        if owner != nil, session == nil { return refused(.sessionEnded) }
        return (.good(VerifiedToken(claims, good, user: user, session: session)), rest)
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
            let grant = try grants(of: id, limit: Session.longestList).first(where: {
                owner.owns($0) && $0.isLiving(at: now)
            })
        else { return nil }
        return GrantedSession(session: session, grant: grant)
    }
}
