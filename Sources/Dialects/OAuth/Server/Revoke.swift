import CountersignCore
import Hummingbird
import OAuthHTTP
import ServerHTTP

extension OAuth {
    /// `POST /oauth/revoke`: ends the grant of a refresh token, or refuses an access token from now on; 200 for whatever is no token
    /// of the application's (RFC 7009).
    func revoke(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let form = try await OAuthForm(request)
        let (application, _) = try await authenticate(form, request, context)
        guard let text = form.text("token") else { throw OAuthFailure.invalidRequest("token is missing.") }
        for dialect in [Dialect.oauth, .guardian] {
            try await realm.sessions.revoke(Secret(text), of: .application(application.id, of: dialect))
        }
        let token = try await realm.tokens.accessToken(
            text, issuers: issuers, audiences: ownAudiences, takesAPIs: true)
        if let token, token.client == application.id {
            try await realm.tokens.revoke(token)
        }
        return Response(status: .ok, headers: [.cacheControl: "no-store"])
    }
}
