import CountersignCore
import Foundation
import OAuthHTTP
import OAuthWire
import ServerHTTP

/// `urn:okta:params:oauth:grant-type:webauthn`: tokens for the response of an authenticator (Auth0, Authentication API).
struct PasskeyGrant: OAuthGrant {
    static let type = "urn:okta:params:oauth:grant-type:webauthn"
    /// What is granted where the request names nothing: what the vendor's libraries expect.
    private static let scopes = ["openid", "profile", "email"]

    let oauth: OAuth
    var type: String { Self.type }
    var takesJSON: Bool { true }

    func isAllowed(for application: CountersignCore.Application) -> Bool { oauth.takesPasskeys(application) }

    func answer(_ request: TokenRequest) async throws -> TokenResponse? {
        guard let session = request.form.text("auth_session") else {
            throw OAuthFailure.invalidRequest("auth_session is missing.")
        }
        guard let response = request.form.document("authn_response"), case .object = response["response"] else {
            throw OAuthFailure.invalidRequest("authn_response is missing, or is no credential.")
        }
        let application = request.application
        let terms = try await terms(request)
        // A new passkey makes the account that `/passkey/register` has begun.
        let isNew = response["response"]?["attestationObject"] != nil
        let owner = HandleOwner.application(application.id, of: .oauth)
        var expectation =
            isNew
            ? FlowExpectation([.signUp], at: [.factorEnrolment], of: [owner])
            : FlowExpectation([.signIn], at: [.proof(.passkey)], of: [owner])
        expectation = expectation.named(
            request.request.clientRequestID,
            saying: [
                .string(session), response, .string(request.keyThumbprint ?? ""),
                // What is answered again is granted again, and nothing else with it.
                .array(terms.scopes.map { .string($0) }), .array(terms.audiences.map { .string($0) }),
                terms.details[GrantDetail.acrValues] ?? .null,
            ],
            by: request.client(of: .oauth))
        expectation.terms = terms
        expectation.requiresSecondFactor = try await needsTwoFactors(terms.scopes)
        let verdict = try await oauth.realm.authenticator.answer(
            isNew
                ? .registration(of: .passkey, response: response, name: "")
                : .proof(of: .passkey, response: response),
            to: .flow(FlowHandle(session), expectation), by: request.client(of: .oauth))
        switch verdict {
        case .accomplished(.signedIn(let signedIn)):
            // Not again where it was answered before.
            if signedIn.isNewUser { try await oauth.welcome(signedIn.user, by: request.client(of: .oauth)) }
            let extent = try await extent(request, granted: terms.scopes, terms.audiences, narrows: false)
            return try await oauth.tokens.answer(signedIn, of: application, extent)
        case .more:
            throw OAuthFailure(passkey: Refusal(.secondFactorRequired), at: oauth.realm.clock.now)
        case .refused(let refusal): throw OAuthFailure(passkey: refusal, at: oauth.realm.clock.now)
        default: throw OAuthFailure.invalidPasskey
        }
    }

    /// What is asked for, by the rules of authorization requests. `audience` is what the vendor's libraries call the API.
    private func terms(_ request: TokenRequest) async throws -> GrantTerms {
        let form = request.form
        var resource = form.text("resource") ?? form.text("audience")
        if let named = resource, oauth.isServer(named) { resource = nil }
        do {
            let asked = form.words("scope")
            var details = details(request)
            let values = form.words("acr_values").prefix(16)
            if !values.isEmpty { details[GrantDetail.acrValues] = .array(values.map { .string($0) }) }
            return GrantTerms(
                scopes: try AuthorizationParameters.scopes(
                    asked.isEmpty ? Self.scopes : asked, of: request.application,
                    among: request.application.registeredScopes),
                details: details,
                audiences: try await oauth.resources(resource.map { [$0] } ?? [], of: request.application))
        } catch let refusal as AuthorizationParameters.Refusal {
            throw OAuthFailure(refusal.error, refusal.description)
        }
    }

    /// Whether an API wants two factors for one of the scopes; a passkey that verifies its user is two.
    private func needsTwoFactors(_ scopes: [String]) async throws -> Bool {
        try await oauth.realm.resources.list().contains { $0.wantsTwoFactors(forSome: scopes) }
    }
}

extension OAuth {
    /// Whether an API is this server itself, by any of its names.
    func isServer(_ uri: String) -> Bool {
        options.publicURLs().contains { [$0, $0 + "/", $0 + Path.userInfo].contains(uri) }
    }
}
