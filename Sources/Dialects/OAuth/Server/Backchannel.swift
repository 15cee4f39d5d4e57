import CountersignCore
import Hummingbird
import OAuthHTTP
import ServerHTTP

extension OAuth {
    /// `POST /bc-authorize`: a sign-in that an application begins by itself, as the protocol whose spelling the request has.
    func backchannel(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let form = try await OAuthForm(request)
        guard let answer = try await options.shared?.backchannel(form, request, context) else {
            throw OAuthFailure.invalidRequest("login_hint is missing, or spelled as no protocol of this server.")
        }
        return answer
    }
}
