import CountersignCore
import Foundation
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
        guard let claims = try await realm.keyring.verified(token), claims.string("aud") != Self.mfaTokenAudience else {
            let (handle, userID, _) = try await pending(token, .pendingSignIn())
            return .signingIn(handle, userID)
        }
        guard claims.string("aud").map(mfaAudiences.contains) == true,
            let (user, granted) = try await standing(claims)
        else { throw OAuthError.wrongAccessToken }
        try require(scope.rawValue, of: claims)
        return .signedIn(user, granted)
    }

    // MARK: The token of a sign-in

    private static let mfaTokenAudience = "guardian-mfa"

    /// `mfa_token`, which is the browser flow's request token too: a JWT (RFC 7519) with `exp`, as the vendor's page
    /// decodes it before it sends it. It carries the handle and is as secret; only this server has to verify it.
    func mfaToken(for handle: FlowHandle, until expiresAt: Date) async throws -> String {
        let claims = TokenClaims([
            "iss": .string(baseURL + "/"), "aud": .string(Self.mfaTokenAudience),
            "txid": .string(Self.transactionID(of: handle)), "flow": .string(handle.token.reveal()),
            "iat": .integer(realm.clock.now.seconds), "exp": .integer(expiresAt.seconds),
        ])
        return try await realm.keyring.sign(claims, with: .es256)
    }

    /// The handle in an `mfa_token`; nil for anything else, and for one that has expired with its attempt.
    func handle(ofMFAToken token: String) async throws -> FlowHandle? {
        guard let claims = try await realm.keyring.verified(token), claims.string("aud") == Self.mfaTokenAudience else {
            return nil
        }
        return claims.string("flow").map(FlowHandle.init)
    }

    // MARK: Access tokens

    /// The user and the session of an access token that this dialect issued, as of now; nil where it does not count, or not
    /// any more. Its audience and scopes are for the caller to judge.
    func standing(_ claims: TokenClaims) async throws -> (User, GrantedSession)? {
        guard claims.string("iss") == tokens.issuer, let expiresAt = claims.integer("exp"),
            expiresAt > realm.clock.now.seconds, let userID = claims.string("sub").flatMap(Self.userID),
            let issuedAt = claims.integer("iat"), let sessionID = claims.string("sid"),
            case .good(let user) = try await realm.sessions.standing(
                of: userID, epoch: claims.integer("countersign_epoch").map { Int($0) }, issuedAt: issuedAt),
            let granted = try await realm.sessions.living(
                SessionID(rawValue: sessionID),
                of: claims.string("client_id").map { .application(ClientID(rawValue: $0), of: .guardian) }
                    ?? .dialect(.guardian), for: userID)
        else { return nil }
        return (user, granted)
    }

    /// Refuses an access token without the scope (RFC 6750, section 3.1).
    func require(_ scope: String, of claims: TokenClaims) throws(OAuthError) {
        guard claims.string("scope")?.split(separator: " ").contains(Substring(scope)) == true else {
            throw OAuthError(403, "insufficient_scope", "The access token has not the scope \(scope).")
        }
    }
}
