import CountersignCore
import Foundation
import Hummingbird
import OAuthHTTP
import ServerHTTP

/// Signing up by passkey without a page (Auth0, Authentication API, "Native passkeys"). The account is made at the token endpoint, by the
/// response of the authenticator (``PasskeyGrant``); its address is not proven, and gets a mail.
extension OAuth {
    /// `POST /passkey/register`: what the authenticator is to make, for an address without account.
    func passkeyRegister(_ request: Request, _ context: CountersignRequestContext) async throws -> Response {
        let form = try await OAuthForm(request)
        let (application, _) = try await authenticate(form, request, context)
        guard takesPasskeys(application) else { throw OAuthFailure.unauthorizedClient }
        guard let profile = form.document("user_profile"), case .object = profile else {
            throw OAuthFailure.invalidRequest("user_profile is missing, or is no object.")
        }
        for name in ["phone_number", "username"] where profile[name]?.stringValue?.isEmpty == false {
            throw OAuthFailure.invalidRequest("user_profile.\(name): accounts are found by their e-mail address here.")
        }
        guard let email = profile["email"]?.stringValue.flatMap(EmailAddress.init) else {
            throw OAuthFailure.invalidRequest("user_profile.email is missing, or is no address.")
        }
        let names = OAuthForm(profile)
        let whole = [names.text("given_name"), names.text("family_name")].compactMap { $0 }.joined(separator: " ")
        let name = names.text("name") ?? (whole.isEmpty ? names.text("nickname") : whole)
        guard (name?.utf8.count ?? 0) <= 256 else { throw OAuthFailure.invalidRequest("The name is too long.") }
        let outcome = try await realm.authenticator.begin(
            signingUp: .init(email: email, displayName: name), by: .passkey, handleApart: true,
            from: context.client(application.id, of: .oauth))
        switch outcome {
        case .begun(let begun):
            return try .json(
                PasskeyChallenge(
                    auth_session: begun.handle.token.reveal(),
                    authn_params_public_key: begun.challenge.only(
                        "challenge", "timeout", "rp", "user", "pubKeyCredParams", "authenticatorSelection",
                        "excludeCredentials", "attestation", "extensions")))
        case .refused(let refusal): throw OAuthFailure(signUp: refusal, at: realm.clock.now)
        }
    }

    /// Mails a new account the link that proves its address. What limits mails limits this one, and the account is there all the same.
    func welcome(_ user: User, by client: ClientContext) async throws {
        _ = try await realm.mailings.sendLink(.verifyEmail(user.id), by: client)
    }
}

extension OAuthFailure {
    /// Why a sign-up does not begin. Like others it tells that an address has an account.
    init(signUp refusal: Refusal, at now: Date) {
        switch refusal.reason {
        case .addressTaken:
            self.init("invalid_request", "The address has an account: sign in.", status: .conflict)
        case .signUpClosed: self.init("access_denied", "No accounts are made here.", status: .forbidden)
        default: self.init(passkey: refusal, at: now)
        }
    }
}
