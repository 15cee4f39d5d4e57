import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OAuthHTTP
import ServerHTTP

/// Signing in by passkey without a page, for an application on the user's own device. The spelling is Auth0's ("Native passkeys", Auth0
/// Authentication API); the tokens are this protocol's.
extension OAuth {
    /// The `grant_type` of ``PasskeyGrant``, as applications list it.
    public static let passkeyGrantType = PasskeyGrant.type

    /// `auth_session` names the attempt, and the response to the challenge goes to the token endpoint (``PasskeyGrant``). The challenge is
    /// another value: who sees a response, as a page's script does, has not seen the handle.
    struct PasskeyChallenge: Encodable {
        let auth_session: String
        let authn_params_public_key: JSONValue
    }

    /// `POST /passkey/challenge`.
    func passkeyChallenge(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let form = try await OAuthForm(request)
        let (application, _) = try await authenticate(form, request, context)
        guard takesPasskeys(application) else { throw OAuthFailure.unauthorizedClient }
        var client = context.client(application.id, of: .oauth)
        client.requiresSecondFactor = application.registration.requiresSecondFactor
        switch try await realm.authenticator.begin(.passkey, handleApart: true, by: client) {
        case .begun(let begun):
            return try .json(
                PasskeyChallenge(
                    auth_session: begun.handle.token.reveal(),
                    authn_params_public_key: begun.challenge.only("challenge", "rpId", "timeout", "userVerification")))
        case .refused(let refusal) where refusal.reason == .factorNotOffered: throw OAuthFailure.noEndpoint
        case .refused(let refusal): throw OAuthFailure(passkey: refusal, at: realm.clock.now)
        }
    }

    /// Whether an application may have users sign in by passkey without a page. Users are not asked for consent there, so it has to be
    /// the operator's own; one that was registered before there were kinds is taken for such.
    func takesPasskeys(_ application: CountersignCore.Application) -> Bool {
        let registration = application.registration.oauth
        if registration.kind == nil, registration.grantTypes == nil { return true }
        return registration.isFirstParty && registration.allowsGrant(PasskeyGrant.type)
    }
}

extension JSONValue {
    /// An object with these of its members.
    func only(_ names: String...) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { names.contains($0.key) })
    }
}

extension OAuthForm {
    /// A member that is an object, or its text, where the body is a form.
    func document(_ name: String) -> JSONValue? {
        switch members[name] {
        case .object?: members[name]
        case .string(let text)?: try? JSONParser.parse(Array(text.utf8), depthLimit: 16)
        default: nil
        }
    }
}

extension OAuthFailure {
    /// Passkeys are off, or there is no domain for them.
    static let noEndpoint = OAuthFailure("not_found", "There is no such endpoint.", status: .notFound)

    /// Why an answer by passkey was not taken. Every wrong one reads alike: it does not tell which credentials there are.
    init(passkey refusal: Refusal, at now: Date) {
        switch refusal.reason {
        case .sourceLimited, .lockedOut: self = .limited(until: refusal.retryAt ?? now + 1, at: now)
        case .userDisabled: self.init("access_denied", "The account is disabled.", status: .forbidden)
        case .factorNotOffered: self = .noEndpoint
        case .secondFactorRequired:
            self.init("interaction_required", "More is needed than this passkey: sign in by the pages.")
        case .busy:
            self.init(
                "temporarily_unavailable", "There is too much to do.", status: .serviceUnavailable,
                headers: .retryAfter(1))
        default: self = .invalidPasskey
        }
    }

    static let invalidPasskey = OAuthFailure(
        "invalid_grant", "The passkey is not recognised, or its challenge was used or has expired.")
}
