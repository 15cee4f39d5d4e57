import CountersignCore
import Foundation
import Hummingbird
import OAuthHTTP
import OAuthWire
import ServerHTTP

/// Sign-ins that an application begins by itself (OpenID Connect Client-Initiated Backchannel Authentication Core 1.0).
extension OAuth {
    static let backchannelGrant = "urn:openid:params:grant-type:ciba"
    /// Characters of `binding_message`.
    static let longestBindingMessage = 64

    /// `POST /bc-authorize`. A `login_hint` that is a JSON object is another protocol's spelling.
    func backchannel(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let form = try await OAuthForm(request, repeatable: QueryParameters.repeatable)
        if form.text("login_hint")?.first(where: { !$0.isWhitespace }) == "{",
            let answer = try await options.shared?.backchannel(form, request, context)
        {
            return answer
        }
        let (application, _) = try await authenticate(form, request, context, takesPublic: false)
        guard application.registration.oauth.allowsGrant(Self.backchannelGrant) else {
            // Applications of before the kinds know the other spelling.
            guard application.registration.oauth.kind == nil else { throw OAuthFailure.unauthorizedClient }
            throw OAuthFailure.invalidRequest(
                "login_hint has to be a JSON object, unless the application is registered for \(Self.backchannelGrant)."
            )
        }
        let asked = try await backchannelRequest(form, application)
        let client = context.client(application.id, of: .oauth)
        let isRequiredOfAll = try await realm.settings().secondFactors.isRequired
        if application.registration.requiresSecondFactor || isRequiredOfAll {
            throw OAuthFailure(
                "unmet_authentication_requirements",
                "Two factors are required of every user, and a device's answer is one. Use /authorize.")
        }
        switch try await realm.backchannelAuthentications.begin(asked, audience: base, by: client) {
        case .limited(let until): throw OAuthFailure.limited(until: until, at: realm.clock.now)
        case .begun(let handle):
            return try .json(
                BackchannelAuthenticationResponse(
                    authRequestID: handle.token.reveal(), expiresIn: asked.lifetime,
                    interval: BackchannelAuthentications.interval))
        }
    }

    /// Section 7.1.
    private func backchannelRequest(
        _ form: OAuthForm, _ application: CountersignCore.Application
    ) async throws -> BackchannelAuthentications.Request {
        for name in ["request", "login_hint_token"] where form.text(name) != nil {
            throw OAuthFailure.invalidRequest("\(name) is not taken.")
        }
        let hint: BackchannelAuthentications.Request.Hint
        switch (form.text("login_hint"), form.text("id_token_hint")) {
        case (let text?, nil):
            guard text.utf8.count <= BackchannelAuthentications.longestHint else {
                throw OAuthFailure.invalidRequest("login_hint is too long.")
            }
            hint = .identifier(text)
        case (nil, let token?):
            guard let user = try await subject(ofIDToken: token, for: application.id) else {
                throw OAuthFailure.invalidRequest(
                    "id_token_hint is no ID token of this server for the application.")
            }
            hint = .user(user)
        case (nil, nil), (_?, _?):
            throw OAuthFailure.invalidRequest("Send exactly one of login_hint and id_token_hint.")
        }
        let scopes = try backchannelScopes(form, application)
        var asked = BackchannelAuthentications.Request(
            hint, scopes: scopes, resources: try await backchannelResources(form, application),
            acrValues: Array(form.words("acr_values").prefix(16)))
        if asked.acrValues.isEmpty { asked.acrValues = application.registration.oauth.defaultACR }
        try refuseResistanceAlone(asked.acrValues)
        if try await realm.resources.list().flatMap(\.scopes).contains(where: {
            $0.minimumACR == .aal2 && scopes.contains($0.name)
        }) {
            throw OAuthFailure.invalidScope("A scope needs two factors, and a device's answer is one.")
        }
        if let message = form.text("binding_message") {
            // Not by what is shown as one: a letter may have any number of marks.
            guard message.unicodeScalars.count <= Self.longestBindingMessage,
                message.unicodeScalars.allSatisfy(PlainText.isPrintable)
            else {
                throw OAuthFailure(
                    "invalid_binding_message",
                    "binding_message has to be at most \(Self.longestBindingMessage) printable characters.")
            }
            asked.bindingMessage = message
        }
        if let text = form.text("requested_expiry") {
            guard text.utf8.allSatisfy({ (48...57).contains($0) }), let seconds = Int(text),
                (1...BackchannelAuthentications.longest).contains(seconds)
            else {
                throw OAuthFailure.invalidRequest(
                    "requested_expiry has to be 1 to \(BackchannelAuthentications.longest) seconds.")
            }
            asked.lifetime = seconds
        }
        return asked
    }

    private func backchannelScopes(
        _ form: OAuthForm, _ application: CountersignCore.Application
    ) throws -> [String] {
        do {
            let scopes = try AuthorizationParameters.scopes(
                form.words("scope"), of: application, among: application.registeredScopes)
            guard scopes.contains("openid") else { throw OAuthFailure.invalidScope("scope has to have openid.") }
            return scopes
        } catch let refusal as AuthorizationParameters.Refusal {
            throw OAuthFailure(refusal.error, refusal.description)
        }
    }

    /// RFC 8707, section 2: as at the authorization endpoint.
    private func backchannelResources(
        _ form: OAuthForm, _ application: CountersignCore.Application
    ) async throws -> [String] {
        do {
            return try await resources(form.all("resource"), of: application)
        } catch let refusal as AuthorizationParameters.Refusal {
            throw OAuthFailure(refusal.error, refusal.description)
        }
    }
}

/// `urn:openid:params:grant-type:ciba` (section 10.1). Attempts of another protocol with the same grant are not ours.
struct BackchannelGrant: ScopedGrant {
    let oauth: OAuth
    var type: String { OAuth.backchannelGrant }

    func redeem(_ request: TokenRequest) async throws -> Response? {
        guard request.application.registration.oauth.allowsGrant(type), request.method != .none else {
            // Applications of before the kinds have no list, and know the other spelling.
            guard request.application.registration.oauth.kind == nil else { throw OAuthFailure.unauthorizedClient }
            return nil
        }
        guard let text = request.form.text("auth_req_id") else {
            throw OAuthFailure.invalidRequest("auth_req_id is missing.")
        }
        if request.application.registration.oauth.requiresDPoP, request.keyThumbprint == nil {
            throw OAuthFailure("invalid_dpop_proof", "The application has to prove a key.")
        }
        var client = request.client(of: .oauth)
        client.requiresSecondFactor = request.application.registration.requiresSecondFactor
        // Before the answer of the device is used up: after a refusal it is as good as before.
        var judged: OAuthTokens.Extent?
        let redemption = try await oauth.realm.backchannelAuthentications.redeem(Secret(text), by: client) { terms in
            judged = try await self.extent(request, granted: terms.scopes, terms.audiences)
        }
        switch redemption {
        case .granted(let signedIn):
            guard let extent = judged else { throw OAuthFailure.invalidGrant }
            let answer = try await oauth.tokens.answer(signedIn, of: request.application, extent)
            return try .json(answer)
        case .refused(.foreign): return nil
        case .refused(.unknown): throw OAuthFailure.invalidGrant
        case .refused(.pending): throw OAuthFailure.pending
        case .refused(.slowDown): throw OAuthFailure.slowDown
        case .refused(.denied): throw OAuthFailure.denied
        case .refused(.expired): throw OAuthFailure.expired
        }
    }
}
