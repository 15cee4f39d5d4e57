import CountersignCore
import Hummingbird
import OAuthHTTP
import ServerHTTP

extension Guardian {
    /// `GET` and `POST userinfo`: what the scopes of an access token open of its user (OpenID Connect Core 1.0, section 5.3).
    ///
    /// For access tokens that no audience was asked for, or this one; with the scope `openid`.
    func userInfo(_ request: Request, _ call: GuardianCall) async throws -> Response {
        guard let token = call.credentials("Bearer") else {
            throw OAuthError(401, "invalid_token", "Send the access token: Authorization: Bearer.")
        }
        let expectation = accessToken(for: userInfoAudiences)
        guard case .good(let verified) = try await realm.tokens.verify(token, expecting: expectation),
            let user = verified.user
        else { throw OAuthError.wrongAccessToken }
        let claims = verified.claims
        try require("openid", of: claims)
        var members = user.claims(openedBy: claims.string("scope")?.spaceSeparated ?? [])
        members["sub"] = .string(Self.name(of: user.id))
        return try .json(JSONValue.object(members))
    }
}
