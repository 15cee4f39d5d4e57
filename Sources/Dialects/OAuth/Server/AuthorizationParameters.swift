import CountersignCore
import Foundation
import JSON
import OAuthHTTP

/// Turns the parameters of an authorization request into a request that the core judges: in the order in which nothing is sent to an
/// address before the address is known to be the application's.
struct AuthorizationParameters: Sendable {
    let oauth: OAuth
    let parameters: QueryParameters
    let application: CountersignCore.Application

    /// What is answered to the redirect URI (RFC 6749, section 4.1.2.1).
    struct Refusal: Error, Sendable, Equatable {
        let error: String
        let description: String

        init(_ error: String, _ description: String) {
            self.error = error
            self.description = description
        }

        static func invalidRequest(_ description: String) -> Refusal { Refusal("invalid_request", description) }
    }

    /// The redirect URI: the one of the request, or the only registered one.
    /// - Returns: nil where it is missing or not the application's; then nothing is sent anywhere.
    func redirectURI() -> (uri: String, isNamed: Bool)? {
        let registered = application.registration.redirectURIs
        guard let asked = parameters["redirect_uri"] else {
            guard registered.count == 1, let only = registered.first, RedirectURI.fault(of: only) == nil else {
                return nil
            }
            return (only, false)
        }
        let isOwn = RedirectURI.matches(asked, registered, freePorts: oauth.hasFreePorts(application))
        return isOwn ? (asked, true) : nil
    }

    /// Where the answer goes, whatever it is: as far as it can be read.
    func target(_ redirectURI: String) -> AuthorizationAnswer.Target {
        AuthorizationAnswer.Target(
            redirectURI: redirectURI,
            mode: parameters["response_mode"].flatMap(AuthorizationRequest.ResponseMode.init(rawValue:)) ?? .query,
            state: parameters["state"].flatMap {
                $0.utf8.count <= AuthorizationRequest.longestState ? $0 : nil
            }, issuer: oauth.issuer(for: application), application: application,
            isSilent: parameters.words("prompt").contains("none"))
    }

    /// - Parameter redirect: of ``redirectURI()``.
    /// - Throws: ``Refusal``; what the core throws.
    func request(_ redirect: (uri: String, isNamed: Bool)) async throws -> AuthorizationRequest {
        let registration = application.registration
        guard registration.oauth.allowsGrant("authorization_code") else {
            throw Refusal("unauthorized_client", "The application may not use this flow.")
        }
        if parameters["request"] != nil {
            throw Refusal("request_not_supported", "The application has no keys to sign requests with.")
        }
        if parameters["registration"] != nil { throw Refusal("registration_not_supported", "Register beforehand.") }
        guard let responseType = parameters["response_type"] else {
            throw Refusal.invalidRequest("response_type is missing.")
        }
        guard responseType == "code" else {
            throw Refusal("unsupported_response_type", "response_type has to be code.")
        }
        var request = AuthorizationRequest(client: application.id, redirectURI: redirect.uri)
        request.namesRedirectURI = redirect.isNamed
        if let mode = parameters["response_mode"] {
            guard let known = AuthorizationRequest.ResponseMode(rawValue: mode) else {
                throw Refusal.invalidRequest("response_mode has to be query, fragment or form_post.")
            }
            request.responseMode = known
        }
        request.state = parameters["state"]
        request.nonce = parameters["nonce"]
        guard request.state.map({ $0.utf8.count <= AuthorizationRequest.longestState }) ?? true,
            request.nonce.map({ $0.utf8.count <= AuthorizationRequest.longestNonce }) ?? true
        else { throw Refusal.invalidRequest("state or nonce is too long.") }
        request.challenge = try challenge()
        if let thumbprint = parameters["dpop_jkt"] {
            guard thumbprint.utf8.count == 43, [UInt8](base64URL: thumbprint)?.count == 32 else {
                throw Refusal.invalidRequest("dpop_jkt has to be a SHA-256 thumbprint.")
            }
            request.keyThumbprint = thumbprint
        }
        let asked = parameters.words("scope")
        request.scopes = try Self.scopes(
            asked, of: application, among: try await oauth.scopes(of: application, for: asked))
        request.resources = try await oauth.resources(parameters.all("resource"), of: application)
        try readPrompts(&request)
        try readClaims(&request)
        try await readHints(&request)
        return request
    }

    // MARK: Proof keys

    /// RFC 7636, section 4.3; required of every application (OAuth 2.1, section 7.5).
    private func challenge() throws -> PKCEChallenge {
        // Many clients use proof keys only where a setting says so: this is what their developers look for.
        guard parameters["code_challenge"] != nil || parameters["code_challenge_method"] != nil else {
            throw Refusal.invalidRequest("code_challenge is missing: the client has to use PKCE, with S256.")
        }
        guard parameters["code_challenge_method"] == "S256" else {
            throw Refusal.invalidRequest("code_challenge_method has to be S256.")
        }
        guard let text = parameters["code_challenge"], Self.isChallenge(text) else {
            throw Refusal.invalidRequest("code_challenge has to be 43 to 128 characters of URL-safe Base64.")
        }
        return PKCEChallenge(text, method: .s256)
    }

    static func isChallenge(_ text: String) -> Bool {
        (43...128).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || "-_".utf8.contains($0)
            }
    }

    // MARK: Scopes and resources

    /// Of the scopes that were asked for those that the application has; the answer tells which.
    /// - Parameter known: those that it may have so.
    static func scopes(
        _ asked: [String], of application: CountersignCore.Application, among known: [String]
    ) throws -> [String] {
        var scopes: [String] = []
        for scope in asked where known.contains(scope) && !scopes.contains(scope) { scopes.append(scope) }
        if !application.registration.oauth.allowsGrant("refresh_token") { scopes.removeAll { $0 == "offline_access" } }
        guard !scopes.isEmpty else { throw Refusal("invalid_scope", "scope names nothing that the application has.") }
        return scopes
    }

    // MARK: What the user is asked

    private func readPrompts(_ request: inout AuthorizationRequest) throws {
        for word in parameters.words("prompt") {
            guard let prompt = AuthorizationRequest.Prompt(rawValue: word) else {
                throw Refusal.invalidRequest("prompt has an unknown value.")
            }
            request.prompts.insert(prompt)
        }
        if request.prompts.contains(.none), request.prompts.count > 1 {
            throw Refusal.invalidRequest("prompt=none stands alone.")
        }
        if let age = parameters["max_age"] {
            guard let seconds = Int(age), seconds >= 0, age.utf8.allSatisfy({ (48...57).contains($0) }) else {
                throw Refusal.invalidRequest("max_age has to be a number of seconds.")
            }
            request.maxAge = seconds
        }
        request.acrValues = parameters.words("acr_values")
        if request.acrValues.isEmpty { request.acrValues = application.registration.oauth.defaultACR }
        guard request.acrValues.count <= 16 else { throw Refusal.invalidRequest("acr_values has too many values.") }
        request.languages = Array(parameters.words("ui_locales").prefix(16))
    }

    /// Bytes of `claims`.
    private static let longestClaims = 4096
    /// Names that are kept of each member of it.
    private static let mostClaims = 64

    /// OpenID Connect Core 1.0, section 5.5.
    private func readClaims(_ request: inout AuthorizationRequest) throws {
        guard let text = parameters["claims"] else { return }
        guard text.utf8.count <= Self.longestClaims, let claims = try? JSONParser.parse(Array(text.utf8)),
            case .object = claims
        else { throw Refusal.invalidRequest("claims has to be a JSON object of at most \(Self.longestClaims) bytes.") }
        if case .object(let members)? = claims["id_token"] {
            request.idTokenClaims = Self.known(members.keys)
            if let acr = members["acr"], case .object = acr {
                var values: [String] = []
                if let value = acr["value"]?.stringValue { values = [value] }
                if case .array(let several)? = acr["values"] { values += several.compactMap(\.stringValue) }
                if !values.isEmpty { request.acrValues = Array(values.prefix(16)) }
                if case .bool(true)? = acr["essential"] { request.isACREssential = true }
            }
            if let subject = members["sub"] {
                var value = subject["value"]?.stringValue
                // A list of one is that one.
                if value == nil, case .array(let several)? = subject["values"], several.count == 1 {
                    value = several[0].stringValue
                }
                if let value { request.hintedUser = UserID(rawValue: value) }
            }
        }
        if case .object(let members)? = claims["userinfo"] {
            request.userInfoClaims = Self.known(members.keys)
        }
    }

    /// Names of single claims that may be told: the standard's, and those that scopes of APIs may open.
    private static func known(_ names: Dictionary<String, JSONValue>.Keys) -> [String] {
        let known = names.filter {
            Metadata.claims.contains($0) || Resource.Scope.isClaim($0) || $0 == Resource.Scope.attributesClaim
        }
        return Array(known.sorted().prefix(mostClaims))
    }

    private func readHints(_ request: inout AuthorizationRequest) async throws {
        if let hint = parameters["login_hint"] {
            guard hint.utf8.count <= 320 else { throw Refusal.invalidRequest("login_hint is too long.") }
            request.loginHint = hint
        }
        if parameters["id_token_hint"] != nil || parameters[OAuth.hintReference] != nil {
            guard let subject = try await hintedUser() else {
                throw Refusal.invalidRequest("id_token_hint is no ID token of this server for the application.")
            }
            // A user who is gone cannot sign in: a page would ask for that in vain, whatever the answer.
            guard try await oauth.realm.accounts.user(subject) != nil else {
                throw Refusal("login_required", "The user of id_token_hint has no account any more.")
            }
            request.hintedUser = subject
        }
    }

    /// Whose ID token came with the request, or stands behind the reference that this server put in its place.
    private func hintedUser() async throws -> UserID? {
        if let token = parameters["id_token_hint"] {
            return try await oauth.subject(ofIDToken: token, for: application.id)
        }
        let named = parameters[OAuth.hintReference].flatMap {
            oauth.realm.hintReferences.named(by: $0, for: .signingIn)
        }
        return named?.application == application.id ? named?.user : nil
    }
}

extension CountersignCore.Application {
    /// The scopes that it is registered with.
    var registeredScopes: [String] { registration.scopes.isEmpty ? Metadata.scopes : registration.scopes }
}

extension OAuth {
    /// The scopes that an application may have where a user is asked, among which those of a request are looked for.
    func scopes(of application: CountersignCore.Application, for asked: [String]) async throws -> [String] {
        let registered = application.registeredScopes
        guard application.registration.oauth.selfRegistration != nil, !asked.allSatisfy(registered.contains) else {
            return registered
        }
        return application.registration.scopesWithConsent(among: try await realm.resources.list())
    }

    /// The APIs that an application asks for, each once (RFC 8707, section 2). The list of a user's own authentication methods is one of
    /// this server that every application may name: what its tokens do there is a matter of scopes.
    func resources(_ asked: [String], of application: CountersignCore.Application) async throws -> [String] {
        guard !asked.isEmpty else { return [] }
        let known = try await realm.resources.list().map(\.uri)
        var resources: [String] = []
        for uri in asked where !resources.contains(uri) {
            guard
                accountAudiences.contains(uri)
                    || Resource.isIdentifier(uri) && known.contains(uri)
                        && application.registration.oauth.resources.contains(uri)
            else {
                throw AuthorizationParameters.Refusal(
                    "invalid_target", "resource names no API that the application may use.")
            }
            resources.append(uri)
        }
        return resources
    }

    /// Whose ID token it is: one of this issuer for that application, of any age, whatever protocol of this server made it.
    func subject(ofIDToken text: String, for client: ClientID) async throws -> UserID? {
        var expectation = TokenExpectation(
            types: [.jwt], issuers: .oneOf(issuers), audiences: .oneOf([client.rawValue]))
        expectation.admitsExpired = true
        guard let token = try await realm.tokens.verify(text, expecting: expectation).token else { return nil }
        return options.shared?.user(token.claims) ?? token.claims.string("sub").map(UserID.init(rawValue:))
    }
}
