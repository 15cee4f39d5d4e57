import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OAuthHTTP
import OAuthWire
import ServerHTTP

/// A grant whose tokens cover what was granted, or the part of it that the request asks for.
protocol ScopedGrant: TokenGrant {
    var oauth: OAuth { get }
}

/// What our grants share.
protocol OAuthGrant: ScopedGrant {
    /// Whether the body may be JSON, as in the protocol that a grant comes from.
    var takesJSON: Bool { get }
    /// Whether an application may use it.
    func isAllowed(for application: CountersignCore.Application) -> Bool
    func answer(_ request: TokenRequest) async throws -> TokenResponse?
}

extension OAuthGrant {
    var takesJSON: Bool { false }

    func isAllowed(for application: CountersignCore.Application) -> Bool {
        application.registration.oauth.allowsGrant(type)
    }

    func redeem(_ request: TokenRequest) async throws -> Response? {
        if !takesJSON { try request.requireForm() }
        guard isAllowed(for: request.application) else { throw OAuthFailure.unauthorizedClient }
        if request.application.registration.oauth.requiresDPoP, request.keyThumbprint == nil {
            throw OAuthFailure("invalid_dpop_proof", "The application has to prove a key.")
        }
        guard let answer = try await answer(request) else { return nil }
        return try .json(answer)
    }
}

extension ScopedGrant {
    /// What this answer covers: of what was granted what the request asks for (RFC 6749, section 6; RFC 8707, section 2.2).
    /// - Parameters:
    ///   - narrows: whether `scope` and `resource` ask for less than was granted; not where they say what is granted.
    ///   - registered: the APIs that there are, where they are known; they are read otherwise.
    func extent(
        _ request: TokenRequest, granted scopes: [String], _ resources: [String], nonce: String? = nil,
        narrows: Bool = true, among registered: [Resource]? = nil
    ) async throws -> OAuthTokens.Extent {
        // What was taken from the application since is granted no more.
        let scopes = try await oauth.stillAllowed(scopes, for: request.application)
        guard !scopes.isEmpty else { throw OAuthFailure.invalidGrant }
        let own = oauth.accountAudiences
        let allowed = resources.filter {
            own.contains($0) || request.application.registration.oauth.resources.contains($0)
        }
        if allowed.isEmpty, !resources.isEmpty {
            throw OAuthFailure.invalidTarget("The application may not use the API any more.")
        }
        let resources = allowed
        var covered = scopes
        let asked = narrows ? request.form.words("scope") : []
        if !asked.isEmpty {
            guard Set(asked).isSubset(of: scopes) else {
                throw OAuthFailure.invalidScope("scope has more than was granted.")
            }
            covered = scopes.filter(asked.contains)
        }
        var audience: String?
        if narrows, let uri = request.form.text("resource") {
            guard resources.contains(uri) else {
                throw OAuthFailure.invalidTarget("resource is none that was granted.")
            }
            audience = uri
        } else if resources.count == 1 {
            audience = resources[0]
        } else if !resources.isEmpty {
            throw OAuthFailure.invalidTarget("Several APIs were granted: name one in resource.")
        }
        var extent = OAuthTokens.Extent(
            scopes: covered, audience: audience, keyThumbprint: request.keyThumbprint, nonce: nonce)
        if let audience {
            let all = if let registered { registered } else { try await oauth.realm.resources.list() }
            extent.resource = all.first { $0.uri == audience }
            guard extent.resource != nil || own.contains(audience) else {
                throw OAuthFailure.invalidTarget("The API is not registered any more.")
            }
            // Scopes of another API mean nothing to this one.
            let others = Set(all.filter { $0.uri != audience }.flatMap { $0.scopes.map(\.name) })
            extent.scopes.removeAll(where: others.contains)
        }
        return extent
    }

    /// `code_verifier`, where the request has one.
    ///
    /// One that cannot be a verifier (RFC 7636, section 4.1) is no guess at the right one, and is refused as a malformed request (RFC 6749,
    /// section 5.2) before the code is looked at: whether there is such a code is not told, and nothing is used up.
    func verifier(_ request: TokenRequest) throws -> String? {
        guard let text = request.form.text("code_verifier") else { return nil }
        guard PKCEChallenge.isVerifier(text) else {
            throw OAuthFailure.invalidRequest("code_verifier has to be 43 to 128 letters, digits, and - . _ ~.")
        }
        return text
    }

    /// What a grant keeps of the key: refresh tokens of an application without credentials are bound to it (RFC 9449, section 5).
    func details(_ request: TokenRequest) -> [String: JSONValue] {
        guard request.method == .none, let key = request.keyThumbprint else { return [:] }
        return [GrantDetail.keyThumbprint: .string(key)]
    }
}

extension OAuth {
    /// Of scopes that were granted those that the application may still ask for.
    fileprivate func stillAllowed(
        _ granted: [String], for application: CountersignCore.Application
    ) async throws -> [String] {
        granted.filter(try await scopes(of: application, for: granted).contains)
    }

    /// Of the scopes of a grant those that a refresh still brings.
    /// - Returns: nil where it brings none: the grant was left too long, is of another application of the same id, or the application may
    ///   have no refresh tokens by now.
    fileprivate func refreshableScopes(
        of grant: CountersignCore.Grant, for application: CountersignCore.Application
    ) async throws -> [String]? {
        let scopes = try await stillAllowed(grant.terms.scopes, for: application)
        let isRefreshable =
            scopes.contains("offline_access") && !realm.sessions.isStale(grant) && application.owns(grant)
        return isRefreshable ? scopes : nil
    }

    /// The grant of a refresh token that its application can still trade, with the scopes that this brings.
    /// - Returns: nil where the token endpoint would refuse the token however it is sent.
    func refreshable(
        _ token: Secret<String>, of application: CountersignCore.Application, by client: ClientContext
    ) async throws -> (grant: CountersignCore.Grant, scopes: [String])? {
        let oauth = application.registration.oauth
        var client = client
        client.requiresSecondFactor = application.registration.requiresSecondFactor
        guard oauth.allowsGrant("refresh_token"),
            let grant = try await realm.sessions.grant(
                ofTradable: token, of: .application(application.id, of: .oauth),
                grace: Sessions.RefreshLifetime.grace, by: client),
            let scopes = try await refreshableScopes(of: grant, for: application)
        else { return nil }
        let audiences = grant.terms.audiences
        guard audiences.isEmpty || audiences.contains(where: accountAudiences.contains) else {
            let known = try await realm.resources.list().map(\.uri)
            return audiences.contains { oauth.resources.contains($0) && known.contains($0) } ? (grant, scopes) : nil
        }
        return (grant, scopes)
    }
}

extension TokenRequest {
    /// Our grants are asked for by forms (RFC 6749, section 3.2); JSON is for those of another protocol.
    fileprivate func requireForm() throws {
        let type = request.headers.value(of: .contentType)
        // The usual spelling, which needs no taking apart.
        if type == "application/x-www-form-urlencoded" { return }
        let bare = type.map { text in
            Substring(text.utf8.prefix { $0 != UInt8(ascii: ";") }).lowercased().trimmingCharacters(in: .whitespaces)
        }
        guard bare == "application/x-www-form-urlencoded" else {
            throw OAuthFailure.invalidRequest("The body has to be a form.")
        }
    }
}

/// `authorization_code` (RFC 6749, section 4.1.3).
struct CodeGrant: OAuthGrant {
    let oauth: OAuth
    var type: String { "authorization_code" }

    func answer(_ request: TokenRequest) async throws -> TokenResponse? {
        guard let code = request.form.text("code") else { throw OAuthFailure.invalidRequest("code is missing.") }
        var presented = AuthorizationCode.Presented(
            client: request.application.id.rawValue, redirectURI: request.form.text("redirect_uri"),
            verifier: try verifier(request), keyThumbprint: request.keyThumbprint)
        presented.details = details(request)
        var client = request.client(of: .oauth)
        client.requiresSecondFactor = request.application.registration.requiresSecondFactor
        let codes = oauth.realm.authorizationCodes
        // Before the code is redeemed: after a refusal it is as good as before, and leaves no grant without an application that has it.
        var judged: OAuthTokens.Extent?
        if let stood = try await codes.code(of: Secret(code), presented: presented) {
            judged = try await extent(request, granted: stood.scopes, stood.audiences, nonce: stood.nonce)
        }
        let redemption = try await codes.redeem(Secret(code), presented: presented, by: client)
        guard case .granted(let signedIn, _) = redemption, let judged else { throw OAuthFailure.invalidGrant }
        return try await oauth.tokens.answer(signedIn, of: request.application, judged)
    }
}

/// `refresh_token` (RFC 6749, section 6).
struct RefreshGrant: OAuthGrant {
    let oauth: OAuth
    var type: String { "refresh_token" }

    func redeem(_ request: TokenRequest) async throws -> Response? {
        guard let text = request.form.text("refresh_token") else {
            throw OAuthFailure.invalidRequest("refresh_token is missing.")
        }
        try request.requireForm()
        let owner = HandleOwner.application(request.application.id, of: .oauth)
        let look =
            if let known = request.refreshToken { known } else {
                try await oauth.realm.sessions.look(atRefreshToken: Secret(text), of: owner)
            }
        guard let grant = look.grant else { throw OAuthFailure.invalidGrant }
        guard request.application.registration.oauth.allowsGrant(type) else { throw OAuthFailure.unauthorizedClient }
        return try await self.answer(request, Secret(text), grant, owner, look.resources)
    }

    func answer(_ request: TokenRequest) async throws -> TokenResponse? { nil }

    private func answer(
        _ request: TokenRequest, _ text: Secret<String>, _ grant: CountersignCore.Grant, _ owner: HandleOwner,
        _ resources: [Resource]
    ) async throws -> Response {
        let bound = grant.terms.details[GrantDetail.keyThumbprint]?.stringValue
        if let bound, bound != request.keyThumbprint { throw OAuthFailure.invalidGrant }
        if request.application.registration.oauth.requiresDPoP, request.keyThumbprint == nil {
            throw OAuthFailure("invalid_dpop_proof", "The application has to prove a key.")
        }
        guard try await oauth.refreshableScopes(of: grant, for: request.application) != nil else {
            throw OAuthFailure.invalidGrant
        }
        // Before the token is traded: after a refusal it is as good as before.
        let extent = try await extent(
            request, granted: grant.terms.scopes, grant.terms.audiences, among: resources)
        var client = request.client(of: .oauth)
        client.requiresSecondFactor = request.application.registration.requiresSecondFactor
        // An API may ask for more than it did when the user signed in.
        let wantsTwoFactors = resources.contains { $0.wantsTwoFactors(forSome: extent.scopes) }
        let outcome = try await oauth.realm.sessions.refresh(
            text, of: owner, secondFactor: wantsTwoFactors ? .always : .whereRequired,
            grace: Sessions.RefreshLifetime.grace, by: client)
        guard case .refreshed(let signedIn) = outcome else { throw OAuthFailure.invalidGrant }
        let answer = try await oauth.tokens.answer(signedIn, of: request.application, extent)
        return try .json(answer)
    }
}

/// `client_credentials` (RFC 6749, section 4.4).
struct ClientGrant: OAuthGrant {
    let oauth: OAuth
    var type: String { "client_credentials" }

    func answer(_ request: TokenRequest) async throws -> TokenResponse? {
        guard request.method != .none else { throw OAuthFailure.unauthorizedClient }
        let registered = request.application.registration.scopes.filter { !oauth.isOfUsers(scope: $0) }
        let asked = request.form.words("scope")
        let scopes = asked.isEmpty ? registered : registered.filter(asked.contains)
        if !asked.isEmpty, scopes.isEmpty {
            let ofUsers = asked.filter(oauth.isOfUsers(scope:))
            throw OAuthFailure.invalidScope(
                ofUsers.isEmpty
                    ? "scope names nothing that the application may have for itself."
                    : "Only a user's token makes use of \(ofUsers.joined(separator: ", ")): have a user sign in.")
        }
        var resources: [String] = []
        if let uri = request.form.text("resource") {
            guard request.application.registration.oauth.resources.contains(uri) else {
                throw OAuthFailure.invalidTarget("resource names no API that the application may use.")
            }
            resources = [uri]
        }
        var extent = OAuthTokens.Extent(scopes: scopes, keyThumbprint: request.keyThumbprint)
        if let uri = resources.first {
            let all = try await oauth.realm.resources.list()
            guard let known = all.first(where: { $0.uri == uri }) else {
                throw OAuthFailure.invalidTarget("resource names no API that the application may use.")
            }
            (extent.audience, extent.resource) = (uri, known)
            let others = Set(all.filter { $0.uri != uri }.flatMap { $0.scopes.map(\.name) })
            extent.scopes.removeAll(where: others.contains)
        }
        return try await oauth.tokens.answer(for: request.application, extent)
    }
}

/// `urn:ietf:params:oauth:grant-type:device_code` (RFC 8628, section 3.4).
struct DeviceGrant: OAuthGrant {
    let oauth: OAuth
    var type: String { "urn:ietf:params:oauth:grant-type:device_code" }

    func answer(_ request: TokenRequest) async throws -> TokenResponse? {
        guard let code = request.form.text("device_code") else {
            throw OAuthFailure.invalidRequest("device_code is missing.")
        }
        let presented = DeviceAuthorizations.Presented(
            client: request.application.id, verifier: try verifier(request),
            keyThumbprint: request.keyThumbprint, details: details(request))
        var client = request.client(of: .oauth)
        client.requiresSecondFactor = request.application.registration.requiresSecondFactor
        let authorizations = oauth.realm.deviceAuthorizations
        // Before the code is redeemed, as of an authorization code.
        var judged: OAuthTokens.Extent?
        if let asked = try await authorizations.allowed(Secret(code), presented: presented) {
            judged = try await extent(request, granted: asked.scopes, asked.resources)
        }
        switch try await authorizations.redeem(Secret(code), presented: presented, by: client) {
        case .granted(let signedIn, let asked):
            // The user may have allowed it between the two.
            let extent =
                if let judged { judged } else {
                    try await extent(request, granted: asked.scopes, asked.resources)
                }
            return try await oauth.tokens.answer(signedIn, of: request.application, extent)
        case .refused(.unknown): throw OAuthFailure.invalidGrant
        case .refused(.pending): throw OAuthFailure.pending
        case .refused(.slowDown): throw OAuthFailure.slowDown
        case .refused(.denied): throw OAuthFailure.denied
        case .refused(.expired): throw OAuthFailure.expired
        }
    }
}
