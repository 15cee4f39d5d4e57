import CountersignCore
import Foundation

/// Who calls the MFA API: somebody in the middle of a sign-in, or somebody signed in who looks after their own
/// authenticators.
enum MFACaller: Sendable {
    case signingIn(FlowHandle, UserID)
    case signedIn(User, Session)

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
        if let claims = try await realm.keyring.verified(token) {
            let (user, session) = try await signedIn(claims, scope: scope)
            return .signedIn(user, session)
        }
        let (handle, userID, _) = try await pending(token)
        return .signingIn(handle, userID)
    }

    private func signedIn(_ claims: TokenClaims, scope: MFAScope) async throws -> (User, Session) {
        let invalid = OAuthError(401, "invalid_token", "The access token is not one for this API, or not any more.")
        guard claims.string("iss") == tokens.issuer, let audience = claims.string("aud"),
            mfaAudiences.contains(audience), let expiresAt = claims.integer("exp"),
            expiresAt > realm.clock.now.seconds, let userID = claims.string("sub").flatMap(Self.userID),
            let issuedAt = claims.integer("iat"), let sessionID = claims.string("sid"),
            case .good(let user) = try await realm.sessions.standing(
                of: userID, epoch: claims.integer("countersign_epoch").map { Int($0) }, issuedAt: issuedAt),
            let session = try await realm.sessions.living(SessionID(rawValue: sessionID), of: userID)
        else { throw invalid }
        guard claims.string("scope")?.split(separator: " ").contains(Substring(scope.rawValue)) == true else {
            throw OAuthError(403, "insufficient_scope", "The access token has not the scope \(scope.rawValue).")
        }
        return (user, session)
    }
}
