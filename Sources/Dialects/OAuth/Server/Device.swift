import CountersignCore
import Foundation
import Hummingbird
import OAuthHTTP
import OAuthWire
import ServerHTTP

extension OAuth {
    /// `POST /oauth/device/code`: a device without a browser asks for a user (RFC 8628, section 3.1).
    func beginDevice(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let form = try await OAuthForm(request, repeatable: QueryParameters.repeatable)
        let (application, method) = try await authenticate(form, request, context)
        guard application.registration.oauth.allowsGrant(DeviceGrant(oauth: self).type) else {
            throw OAuthFailure.unauthorizedClient
        }
        var challenge: PKCEChallenge?
        // A method without a challenge is one that was lost: the device would wait without the key that it wanted to prove.
        if form.text("code_challenge") != nil || form.text("code_challenge_method") != nil {
            guard let text = form.text("code_challenge"), form.text("code_challenge_method") == "S256",
                AuthorizationParameters.isChallenge(text)
            else {
                throw OAuthFailure.invalidRequest(
                    "code_challenge has to be 43 to 128 characters of URL-safe Base64, with the method S256.")
            }
            challenge = PKCEChallenge(text, method: .s256)
        }
        let key = try await possession(request, context, Path.device, method)
        let client = context.client(application.id, of: .oauth)
        do {
            let named = form.words("acr_values")
            let acrValues = named.isEmpty ? application.registration.oauth.defaultACR : Array(named.prefix(16))
            try refuseResistanceAlone(acrValues)
            let asked = DeviceAuthorizations.Request(
                client: application.id,
                scopes: try AuthorizationParameters.scopes(
                    form.words("scope"), of: application, among: application.registeredScopes),
                resources: try await resources(form.all("resource"), of: application),
                acrValues: acrValues, challenge: challenge,
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

    /// Refuses a request that nothing but `phr` would meet, where the user is at another device than the one that gets the tokens: a
    /// third party may have shown the user its own device's code, which is what `phr` rules out.
    func refuseResistanceAlone(_ acrValues: [String]) throws {
        let known = acrValues.filter(ContextClass.requestable.contains)
        guard let first = known.first, known.allSatisfy(ContextClass.resistances.contains) else { return }
        throw OAuthFailure(
            "unmet_authentication_requirements",
            "\(first) cannot be given to another device than the one that signs in. Ask for aal2, or use /authorize.")
    }
}
