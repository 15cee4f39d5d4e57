import CountersignCore
import Foundation
import OAuthHTTP
import ServerHTTP

/// The caller of the MFA API: a user in the middle of a sign-in, or a signed-in user who manages their own
/// authenticators.
enum MFACaller: Sendable {
    case signingIn(FlowHandle, UserID)
    case signedIn(User, GrantedSession)

    var userID: UserID {
        switch self {
        case .signingIn(_, let userID): userID
        case .signedIn(let user, _): user.id
        }
    }
}

extension Guardian {
    /// Scopes of the MFA API, which an access token for it may have: to add authenticators, to list and to remove them.
    enum MFAScope: String, CaseIterable {
        case enroll
        case read = "read:authenticators"
        case remove = "remove:authenticators"
    }

    /// The one who calls: by the `mfa_token` of a sign-in, or by an access token for this API with the scope.
    func caller(_ call: GuardianCall, _ form: OAuthForm? = nil, scope: MFAScope) async throws -> MFACaller {
        guard let token = call.credentials("Bearer") ?? form?.text("mfa_token") else {
            throw OAuthError(401, "invalid_grant", "mfa_token is missing: send it as a bearer token.")
        }
        switch try await realm.tokens.verify(token, expecting: accessToken(for: mfaAudiences)) {
        case .good(let token):
            guard let user = token.user, let session = token.session else { throw OAuthError.wrongAccessToken }
            try require(scope.rawValue, of: token.claims)
            return .signedIn(user, session)
        case .refused(let refusal):
            // No access token: what a sign-in is called, or no token at all.
            guard let handle = try await handle(ofMFAToken: token) else {
                throw refusal == .malformed ? OAuthError.wrongMFAToken : OAuthError.wrongAccessToken
            }
            let (_, userID, _) = try await pending(handle, .pendingSignIn())
            return .signingIn(handle, userID)
        }
    }

    // MARK: The token of a sign-in

    private static let mfaTokenAudience = "guardian-mfa"

    /// `mfa_token`, which is the browser flow's request token too: a JWT (RFC 7519) with `exp`, as the vendor's page
    /// decodes it before it sends it. It carries the handle and is as secret; only this server has to verify it.
    func mfaToken(for handle: FlowHandle, until expiresAt: Date) async throws -> String {
        try await issueOwnToken(
            for: Self.mfaTokenAudience, until: expiresAt,
            ["txid": .string(Self.transactionID(of: handle)), "flow": .string(handle.token.reveal())])
    }

    /// The handle in an `mfa_token`; nil for anything else, and for one that has expired with its attempt.
    func handle(ofMFAToken token: String) async throws -> FlowHandle? {
        // Its time is that of the attempt, which says that it is over in words of its own.
        var expectation = ownToken(for: Self.mfaTokenAudience)
        expectation.admitsExpired = true
        guard case .good(let token) = try await realm.tokens.verify(token, expecting: expectation) else { return nil }
        return token.claims.string("flow").map(FlowHandle.init)
    }

    // MARK: Tokens for this server

    /// What this server gives itself to read later (``ownToken(for:)``).
    func issueOwnToken(
        for audience: String, subject: String? = nil, until expiresAt: Date, _ spelling: [String: JSONValue?]
    ) async throws -> String {
        let now = realm.clock.now
        let draft = TokenDraft(
            issuer: tokens.issuer, audience: audience, subject: subject, issuedAt: now,
            lifetime: Int(expiresAt.seconds - now.seconds), spelling: spelling)
        return try await realm.tokens.issue(draft, with: .es256)
    }

    // MARK: Access tokens

    /// An access token that this dialect issued, of a session that goes on. Its scopes are for the caller to judge.
    func accessToken(for audiences: Set<String>) -> TokenExpectation {
        TokenExpectation(
            types: [.accessToken], issuers: .oneOf([tokens.issuer]), audiences: .oneOf(audiences),
            subject: .user { $0.string("sub").flatMap(Self.userID) },
            session: { claims in
                claims.string("client_id").map { .application(ClientID(rawValue: $0), of: .guardian) }
                    ?? .dialect(.guardian)
            })
    }

    /// What this server gives itself to read later: it carries a handle, so what it is good for is that attempt's to say.
    func ownToken(for audience: String) -> TokenExpectation {
        TokenExpectation(
            types: [.jwt], issuers: .oneOf(Set(options.baseURLs().map { $0 + "/" })), audiences: .oneOf([audience]),
            algorithms: [.es256])
    }

    /// Refuses an access token without the scope (RFC 6750, section 3.1).
    func require(_ scope: String, of claims: TokenClaims) throws(OAuthError) {
        guard claims.string("scope")?.spaceSeparated.contains(scope) == true else {
            throw OAuthError(403, "insufficient_scope", "The access token has not the scope \(scope).")
        }
    }
}
