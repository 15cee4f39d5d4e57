import Crypto
import Foundation
import JSON

/// An access token of this server that counts now. A class, as user and session are large, and a token is handed on through generic code.
public final class AccessToken: Sendable {
    /// What the token says, verified.
    public let claims: TokenClaims
    /// Nil where an application has it for itself.
    public let user: User?
    /// The session and the grant that it is of; nil where an application has it for itself.
    public let session: GrantedSession?
    /// `exp`; nil where the token has none.
    public let expiresAt: Date?
    /// The API that it is for, as it is registered; nil where it is for this server itself.
    public let resource: Resource?
    /// Whether the application that it was issued to has credentials.
    public let isOfConfidential: Bool

    init(
        claims: TokenClaims, user: User?, session: GrantedSession?, expiresAt: Date?, resource: Resource?,
        isOfConfidential: Bool
    ) {
        self.claims = claims
        self.user = user
        self.session = session
        self.expiresAt = expiresAt
        self.resource = resource
        self.isOfConfidential = isOfConfidential
    }

    /// The application that it was issued to: `client_id`.
    public var client: ClientID { ClientID(rawValue: claims.string("client_id") ?? "") }
    /// The elements of `scope`, in the token's order.
    public var scopes: [String] { claims.string("scope")?.spaceSeparated ?? [] }
    /// The key that it is bound to (RFC 9449, section 6.1).
    public var keyThumbprint: String? { claims["cnf"]?["jkt"]?.stringValue }
}

extension Tokens {
    /// The claim that names the grant of a token, without naming it to readers: a refresh token begins with the grant's id.
    public static let grantClaim = "grant"

    /// The value of ``grantClaim`` for a grant: 128 bits of a digest of the grant's id, in base64url.
    public static func grantReference(_ id: GrantID) -> String {
        SHA256.digest(of: "grant-reference/\(id)").prefix(16).base64URL
    }

    /// Half of a token's hash, as ID tokens have it: `at_hash` (OpenID Connect Core 1.0, section 3.1.3.6; both algorithms of this server
    /// are of SHA-256).
    public static func halfHash(of token: String) -> String {
        SHA256.digest(of: token).prefix(16).base64URL
    }

    /// Judges an access token of the protocol with pages (RFC 9068, section 4): by its signature, time, user, session and grant, and by
    /// the list of revoked ones.
    /// - Parameters:
    ///   - issuers: this server's addresses, as tokens spell them.
    ///   - audiences: what it may be for.
    ///   - takesAPIs: whether it may be for any registered API, too.
    /// - Returns: nil where it does not count.
    public func accessToken(
        _ text: String, issuers: Set<String>, audiences: Set<String>, takesAPIs: Bool = false
    ) async throws -> AccessToken? {
        guard let text = try await opened(text), let token = realm.keyring.read(text),
            let presented = try await presented(token, issuers, audiences, takesAPIs: takesAPIs)
        else { return nil }
        return try await realm.store.read { try presented.token(in: $0) }
    }

    /// The same of a token whose signature was verified before, as far as that needs no transaction: so that the client that asks for it can be
    /// judged in the same one, and before it (``Applications/authenticate(_:expecting:by:judging:)``).
    /// - Returns: nil for every other text, and for a token that is refused already: ``accessToken(_:issuers:audiences:takesAPIs:)`` tells which.
    public func knownAccessToken(
        _ text: String, issuers: Set<String>, audiences: Set<String>, takesAPIs: Bool = false
    ) async throws -> PresentedAccessToken? {
        guard let token = realm.keyring.read(text), token.isVerified else { return nil }
        return try await presented(token, issuers, audiences, takesAPIs: takesAPIs)
    }

    private static let accessTokenTypes: Set<TokenType> = [.accessToken]

    private func presented(
        _ token: ReadToken, _ issuers: Set<String>, _ audiences: Set<String>, takesAPIs: Bool
    ) async throws -> PresentedAccessToken? {
        // Of the APIs the transaction knows; only there it is decided.
        var expectation = TokenExpectation(
            types: Self.accessTokenTypes, issuers: .oneOf(issuers), audiences: takesAPIs ? .any : .oneOf(audiences))
        // Which kind it says to be; the signature shows below that this server said so.
        guard let claimed = token.claims,
            // A token of another protocol is that one's to verify, and is not verified here first.
            let issuer = claimed.string("iss"), issuers.contains(issuer), let id = claimed.string("jti")
        else { return nil }
        let isOfUser = claimed["sid"] != nil
        if isOfUser {
            expectation.subject = .user { $0.string("sub").map(UserID.init(rawValue:)) }
            expectation.session = {
                .application(ClientID(rawValue: $0.string("client_id") ?? ""), of: .oauth)
            }
        } else if claimed.string("sub") != claimed.string("client_id") {
            return nil
        }
        let judged = try await begin(token, expectation)
        if case .ended(.refused) = judged { return nil }
        return PresentedAccessToken(
            judged: judged, claims: claimed, now: realm.clock.now,
            revocation: Self.usedDigest(Self.revokedPurpose, id), audiences: audiences, takesAPIs: takesAPIs)
    }

    // MARK: Opaque tokens

    private static let opaquePurpose = "opaque-access-token"
    /// Characters of an opaque token: 256 random bits.
    static let opaqueLength = 43

    /// Keeps an access token, and makes a name of it that says nothing: for APIs whose tokens are for introspection alone (RFC 7662).
    /// - Parameter user: whose it is; it goes with the user.
    public func keepOpaque(_ token: String, of user: UserID?, until end: Date) async throws -> Secret<String> {
        let realm = realm
        let now = realm.clock.now
        let name = realm.random.bytes(32).base64URL
        let digest = Self.usedDigest(Self.opaquePurpose, name)
        try await realm.store.write { transaction in
            let body = try realm.sealer.seal(Data(token.utf8), for: .flow(digest), in: transaction)
            guard
                try transaction.insert(
                    FlowRecord(
                        digest: digest, userID: user, purpose: Self.opaquePurpose, createdAt: now, expiresAt: end,
                        finishedAt: now, body: body))
            else { throw StoreError(.overloaded, "The user was removed, or a token came up twice.") }
        }
        return Secret(name)
    }

    /// The token that an opaque one names; any other as it is. Nil where it names none.
    private func opened(_ text: String) async throws -> String? {
        guard text.utf8.count == Self.opaqueLength, [UInt8](base64URL: text)?.count == 32 else { return text }
        let realm = realm
        let digest = Self.usedDigest(Self.opaquePurpose, text)
        return try await realm.store.read { transaction in
            guard let record = try transaction.flow(digest: digest), record.purpose == Self.opaquePurpose else {
                return nil
            }
            return String(decoding: try realm.sealer.open(record.body, for: .flow(digest)), as: UTF8.self)
        }
    }

    private static let revokedPurpose = "revoked-token"

    /// Refuses an access token from now on until it expires (RFC 7009). Resource servers that judge tokens by themselves do not learn
    /// of it.
    public func revoke(_ token: AccessToken) async throws {
        guard let id = token.claims.string("jti"), let expiresAt = token.expiresAt else { return }
        let realm = realm
        let now = realm.clock.now
        let digest = Self.usedDigest(Self.revokedPurpose, id)
        try await realm.store.write { transaction in
            _ = try transaction.insert(
                FlowRecord(
                    digest: digest, userID: nil, purpose: Self.revokedPurpose, createdAt: now, expiresAt: expiresAt,
                    finishedAt: now, body: try realm.sealer.seal(Data(), for: .flow(digest), in: transaction)))
        }
    }
}

/// An access token that a key of this server signed, and whose claims are right: whether it counts is for a transaction to say.
public struct PresentedAccessToken: Sendable {
    fileprivate let judged: Tokens.Beginning
    fileprivate let claims: TokenClaims
    fileprivate let now: Date
    /// Where the store has it, if it was revoked.
    fileprivate let revocation: Data
    fileprivate let audiences: Set<String>
    fileprivate let takesAPIs: Bool

    /// Nil where it does not count.
    func token(in transaction: any StoreTransaction) throws -> AccessToken? {
        let judgement =
            switch judged {
            case .ended(let judgement): judgement
            case .ofUser(let open): try open.judge(in: transaction)
            }
        guard let token = judgement.token, try transaction.flow(digest: revocation) == nil else { return nil }
        let audience = claims.string("aud") ?? ""
        let resource = takesAPIs ? try transaction.resources().first { $0.uri == audience } : nil
        guard resource != nil || audiences.contains(audience) else { return nil }
        var session = token.session
        if let found = token.session {
            // The newest grant was found; the token may be of another one of the same application.
            guard let own = try grant(of: found, in: transaction) else { return nil }
            session = own
        }
        // A token goes with its application, and is none of a later one with the same id.
        guard let client = claims.string("client_id"),
            let application = try transaction.application(ClientID(rawValue: client)),
            session.map({ application.owns($0.grant) })
                ?? ((claims.integer("iat") ?? 0) >= application.createdAt.seconds)
        else { return nil }
        return AccessToken(
            claims: claims, user: token.user, session: session, expiresAt: token.expiresAt, resource: resource,
            isOfConfidential: application.registration.isConfidential)
    }

    private func grant(
        of found: GrantedSession, in transaction: any StoreTransaction
    ) throws -> GrantedSession? {
        let reference = claims.string(Tokens.grantClaim)
        if reference == Tokens.grantReference(found.grant.id) { return found }
        return try transaction.grants(of: found.session.id, most: 1) {
            Tokens.grantReference($0.id) == reference && $0.isLiving(at: now)
        }.first.map { GrantedSession(session: found.session, grant: $0) }
    }
}

extension Sessions {
    /// How long refresh tokens of the protocol with pages count.
    public enum RefreshLifetime {
        /// Seconds that one may lie unused: thirty days.
        public static let idle: TimeInterval = 30 * 86_400
        /// Seconds after which a grant ends however often it was refreshed: ninety days.
        public static let absolute: TimeInterval = 90 * 86_400
        /// Seconds for which a trade may be repeated.
        public static let grace: TimeInterval = 10
    }

    /// The grant that a refresh token says to be of, where it is the owner's: to see what it covers before it is traded. Whether the
    /// token counts shows when it is.
    public func grant(ofRefreshToken text: Secret<String>, of owner: HandleOwner) async throws -> Grant? {
        guard let given = RefreshToken(text.reveal()) else { return nil }
        return try await realm.store.read { transaction in
            guard let grant = try transaction.grant(given.grantID), owner.owns(grant) else { return nil }
            return grant
        }
    }

    /// Whether a grant is too old for refreshing, or was left too long.
    public func isStale(_ grant: Grant) -> Bool {
        realm.clock.now > end(ofRefreshing: grant)
    }

    /// When a grant's refresh token counts no more, if it is not used before.
    public func end(ofRefreshing grant: Grant) -> Date {
        let last = grant.refresh.rotatedAt ?? grant.createdAt
        return min(grant.expiresAt, grant.createdAt + RefreshLifetime.absolute, last + RefreshLifetime.idle)
    }

    /// When a grant ends, if it is not used before: by the rules of its protocol, within what its row says.
    public func end(of grant: Grant) -> Date {
        grant.dialect == .oauth ? end(ofRefreshing: grant) : grant.expiresAt
    }

    /// When a session ends at the latest, if it is not used before: neither the browser that holds it nor a grant under it counts longer.
    public func end(of listing: SessionListing, _ settings: RealmSettings) -> Date {
        let session = listing.session
        var ends = listing.grants.filter { $0.revokedAt == nil }.map { end(of: $0) }
        if session.browserDigest != nil {
            let limits = settings.browserSessions.limits(
                of: realm.proofs.contextClass(of: session.proofs), stays: true)
            ends.append((session.proofs.map(\.at).min() ?? session.createdAt) + limits.overall)
        }
        return min(session.expiresAt, ends.max() ?? session.expiresAt)
    }
}
