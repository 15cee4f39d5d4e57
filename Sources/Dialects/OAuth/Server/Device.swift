import CountersignCore
import Foundation
import Hummingbird
import OAuthHTTP
import OAuthWire
import ServerHTTP

extension OAuth {
    /// `POST /oauth/device/code`: a device without a browser asks for a user (RFC 8628, section 3.1).
    func beginDevice(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let form = try await OAuthForm(request)
        let (application, method) = try await authenticate(form, request, context)
        guard application.registration.oauth.allowsGrant(DeviceGrant(oauth: self).type) else {
            throw OAuthFailure.unauthorizedClient
        }
        var challenge: PKCEChallenge?
        if let text = form.text("code_challenge") {
            guard form.text("code_challenge_method") == "S256", AuthorizationParameters.isChallenge(text) else {
                throw OAuthFailure.invalidRequest("code_challenge has to be of the method S256.")
            }
            challenge = PKCEChallenge(text, method: .s256)
        }
        let key = try await possession(request, Path.device, method)
        let client = context.client(application.id, of: .oauth)
        do {
            let acrValues = form.words("acr_values")
            let asked = DeviceAuthorizations.Request(
                client: application.id,
                scopes: try AuthorizationParameters.scopes(form.words("scope"), of: application),
                resources: try await AuthorizationParameters.resources(
                    form.text("resource").map { [$0] } ?? [], of: application, realm),
                acrValues: acrValues.isEmpty
                    ? application.registration.oauth.defaultACR : Array(acrValues.prefix(16)), challenge: challenge,
                keyThumbprint: key,
                address: client.source, userAgent: client.userAgent)
            switch try await realm.deviceAuthorizations.begin(asked, by: client) {
            case .limited(let until): throw OAuthFailure.limited(until: until, at: realm.clock.now)
            case .begun(let begun):
                return try .json(
                    DeviceAuthorizationResponse(
                        deviceCode: begun.deviceCode.reveal(), userCode: begun.userCode,
                        verificationURI: base + Path.activate,
                        verificationURIComplete: "\(base)\(Path.activate)?user_code=\(begun.userCode)",
                        expiresIn: Int(DeviceAuthorizations.lifetime), interval: DeviceAuthorizations.interval))
            }
        } catch let refusal as AuthorizationParameters.Refusal {
            throw OAuthFailure(refusal.error, refusal.description)
        }
    }
}
