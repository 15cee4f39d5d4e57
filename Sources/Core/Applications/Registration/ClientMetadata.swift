import Foundation
import JSON

/// What an application says of itself to be registered (RFC 7591, section 2; OpenID Connect Dynamic Client Registration 1.0, section 2).
///
/// Members that are not named here are ignored (RFC 7591, section 2), whatever they would mean elsewhere: nothing but these can come into
/// a registration, and none of them makes an application trusted.
public struct ClientMetadata: Sendable, Equatable {
    /// Why it is refused, as a sentence for its developer.
    public enum Fault: Error, Sendable, Equatable {
        /// A redirect URI cannot be taken: `invalid_redirect_uri` (RFC 7591, section 3.2.2).
        case redirectURI(String)
        /// Another member cannot: `invalid_client_metadata`.
        case metadata(String)

        /// What is wrong.
        public var sentence: String {
            switch self {
            case .redirectURI(let sentence), .metadata(let sentence): sentence
            }
        }
    }

    /// Where its answers are to be sent.
    public private(set) var redirectURIs: [String]
    /// `web` or `native`, said or told by the redirect URIs.
    private(set) var isNative: Bool
    private(set) var grantTypes: [String]
    /// How it is going to show who it is.
    public private(set) var authMethod: ClientAuthenticationMethod
    private(set) var name: String?
    private(set) var names: [String: String]
    private(set) var scopes: [String]?
    private(set) var keys: [AssertionKey]
    private(set) var jwksURI: String?
    private(set) var clientURI: String?
    private(set) var policyURI: String?
    private(set) var termsURI: String?
    private(set) var postLogoutRedirectURIs: [String]
    private(set) var backchannelLogoutURI: String?
    /// What its ID tokens are to be signed with; nil where it says nothing, or names what this server does not sign with.
    private(set) var idTokenAlgorithm: SigningAlgorithm?
    private(set) var requiresDPoP: Bool
    private(set) var requiresPAR: Bool
    /// As they came: what is told to the application again and means nothing to this server.
    private(set) var told: [String: JSONValue]

    /// Redirect URIs that one application registers at most; of other lists, too.
    public static let longestList = 32
    /// Characters of a name.
    public static let longestName = 100
    /// Characters of other texts.
    static let longestText = 255

    /// Reads the members, each by itself.
    /// - Throws: ``Fault``.
    public init(_ json: JSONValue) throws(Fault) {
        guard case .object(let members) = json else { throw .metadata("The body has to be a JSON object.") }
        let reader = MetadataReader(members: members)
        redirectURIs = try reader.redirectURIs()
        let type = try reader.word("application_type", of: ["web", "native"])
        isNative = try Self.isNative(type, redirectURIs)
        grantTypes = try Self.takenGrantTypes(reader.texts("grant_types") ?? ["authorization_code"])
        authMethod = try reader.method()
        name = try reader.name("client_name")
        names = try reader.names()
        scopes = try reader.scopes()
        let jwks = reader["jwks"]
        keys = try reader.keys(jwks)
        jwksURI = try reader.address("jwks_uri")
        clientURI = try reader.address("client_uri")
        policyURI = try reader.address("policy_uri")
        termsURI = try reader.address("tos_uri")
        postLogoutRedirectURIs = try reader.logoutURIs()
        backchannelLogoutURI = try reader.address("backchannel_logout_uri")
        idTokenAlgorithm = try reader.text("id_token_signed_response_alg").flatMap(SigningAlgorithm.init(rawValue:))
        requiresDPoP = try reader.flag("dpop_bound_access_tokens")
        requiresPAR = try reader.flag("require_pushed_authorization_requests")
        told = [:]
        told["application_type"] = type.map { .string($0) }
        told["jwks"] = jwks
        told["logo_uri"] = try reader.address("logo_uri").map { .string($0) }
        told["contacts"] = try reader.texts("contacts").map { .array($0.map { .string($0) }) }
        for name in ["software_id", "software_version"] { told[name] = try reader.text(name).map { .string($0) } }
        if requiresDPoP { told["dpop_bound_access_tokens"] = .bool(true) }
        if requiresPAR { told["require_pushed_authorization_requests"] = .bool(true) }
        try judgeTogether(responseTypes: reader.texts("response_types"))
    }

    // MARK: Together

    /// A program on a person's own device has its answers at loopback, at a scheme of its own or at an address that it claimed; a site has
    /// them at https alone (OpenID Connect Dynamic Client Registration 1.0, section 2; RFC 8252, section 7).
    private static func isNative(_ type: String?, _ uris: [String]) throws(Fault) -> Bool {
        let own = uris.first { !$0.hasPrefix("https:") }
        guard type == "web", let own else { return type == "native" || own != nil }
        throw .redirectURI("\"\(own)\" is no address of a site: one of https, or application_type native.")
    }

    /// Without the implicit grant beside the code's: libraries name all that they know, and the answer says what counts (RFC 7591,
    /// section 3.2.1).
    private static func takenGrantTypes(_ types: [String]) -> [String] {
        types.contains("authorization_code") ? types.filter { $0 != "implicit" } : types
    }

    private func judgeTogether(responseTypes: [String]?) throws(Fault) {
        // Others beside the code's are left out, as their grant is.
        if let responseTypes, let type = responseTypes.first, !responseTypes.contains("code") {
            throw .metadata("\"\(type.prefix(60))\" is no response type here. There is code.")
        }
        let redirects = grantTypes.contains("authorization_code")
        if !redirects, responseTypes != nil {
            throw .metadata("The response type code needs the grant authorization_code.")
        }
        if redirects, redirectURIs.isEmpty {
            throw .redirectURI("redirect_uris is missing: the grant authorization_code needs one.")
        }
        if grantTypes == ["refresh_token"] {
            throw .metadata("A refresh token comes of another grant: name that one too.")
        }
        if !keys.isEmpty, jwksURI != nil { throw .metadata("Give one of jwks and jwks_uri.") }
        // Beside a secret they are what requests are signed with (RFC 7591, section 2; RFC 9101).
        if authMethod == .none, !keys.isEmpty || jwksURI != nil {
            throw .metadata("Keys are for an application that shows who it is: token_endpoint_auth_method is none.")
        }
    }

    // MARK: The registration

    /// The registration that it asks for, judged as every registration is.
    /// - Parameters:
    ///   - former: what of it stays: what administrators said, and what is kept of the application.
    ///   - allowance: what it may have.
    ///   - resources: the APIs that there are.
    /// - Throws: ``Fault``.
    func registration(
        from former: ApplicationRegistration, allowing allowance: RegistrationAllowance, among resources: [Resource]
    ) throws(Fault) -> ApplicationRegistration {
        let own = former.oauth.selfRegistration
        func isWithheld(_ text: String) -> Bool { own?.withholds(text) ?? false }
        if let uri = redirectURIs.first(where: isWithheld) {
            throw .redirectURI("\"\(uri)\" was taken from this application by an administrator.")
        }
        if let type = grantTypes.first(where: isWithheld) {
            throw .metadata("The grant \"\(type)\" was taken from this application by an administrator.")
        }
        var registration = former
        registration.displayName = name
        registration.redirectURIs = redirectURIs
        registration.assertionKeys = keys
        registration.oauth.kind = kind
        registration.oauth.authMethod = authMethod
        registration.oauth.grantTypes = try judgedGrantTypes(allowance)
        registration.scopes = try judgedScopes(own?.scopes(among: resources) ?? allowance.scopes(among: resources))
        registration.oauth.resources = resources.map(\.uri).filter {
            allowance.resources.contains($0) && !isWithheld($0)
        }
        registration.audiences = []
        registration.oauth.jwksURI = jwksURI
        // What it does not say stays: libraries hold an application to what it had.
        registration.oauth.idTokenAlgorithm = idTokenAlgorithm ?? former.oauth.idTokenAlgorithm
        registration.oauth.clientURI = clientURI
        registration.oauth.policyURI = policyURI
        registration.oauth.termsURI = termsURI
        registration.oauth.postLogoutRedirectURIs = postLogoutRedirectURIs
        registration.oauth.backchannelLogoutURI = backchannelLogoutURI
        // What an administrator demands beyond what the application said of itself stays.
        let before = own?.told ?? [:]
        let isDemanded = (
            dpop: former.oauth.requiresDPoP && before["dpop_bound_access_tokens"] == nil,
            par: former.oauth.requiresPAR && before["require_pushed_authorization_requests"] == nil
        )
        registration.oauth.requiresDPoP = requiresDPoP || isDemanded.dpop
        registration.oauth.requiresPAR = requiresPAR || isDemanded.par
        registration.oauth.isFirstParty = false
        registration.oauth.takesTokenEndpointAudience = false
        registration.oauth.updateSelfRegistration {
            $0.told = told
            $0.names = names
        }
        return registration
    }

    private var kind: OAuthRegistration.Kind {
        if !grantTypes.contains("authorization_code") {
            return grantTypes.contains("client_credentials") ? .service : .device
        }
        if isNative { return .native }
        return authMethod == .none ? .browser : .web
    }

    private func judgedGrantTypes(_ allowance: RegistrationAllowance) throws(Fault) -> [String] {
        let allowed = RegistrationAllowance.everyGrantType + allowance.grantTypes
        for type in grantTypes where !allowed.contains(type) {
            throw .metadata(
                "The grant \"\(type.prefix(80))\" cannot be registered so. There are \(allowed.joined(separator: ", "))."
            )
        }
        return grantTypes
    }

    /// Of the scopes that it asks for those that it may have, which the answer names (RFC 7591, section 3.2.1); all of them where it asks
    /// for none.
    private func judgedScopes(_ allowed: [String]) throws(Fault) -> [String] {
        let allowed = grantTypes.contains("refresh_token") ? allowed : allowed.filter { $0 != "offline_access" }
        // None would stand for those of every application.
        let given = scopes?.filter(allowed.contains) ?? allowed
        guard !given.isEmpty else {
            throw .metadata("scope names nothing that can be registered. There are \(allowed.joined(separator: " ")).")
        }
        return given
    }
}

extension RegistrationFault {
    /// The same to the developer of an application that registers itself.
    var ofMetadata: ClientMetadata.Fault {
        switch self {
        case .redirectURI(let uri, let fault): .redirectURI("\"\(uri.prefix(200))\" is not taken: \(fault.rawValue).")
        case .serviceWithoutCredentials, .publicWithoutUsers:
            .metadata("client_credentials is for applications with a secret or keys.")
        case .browserWithCredentials: .metadata("A program in a page cannot keep a secret.")
        case .secretMissing: .metadata("The method needs a secret.")
        case .keysMissing: .metadata("private_key_jwt needs jwks or jwks_uri.")
        case .keysTwice: .metadata("Give one of jwks and jwks_uri.")
        case .credentialsUnused: .metadata("Without an authentication method there are no keys.")
        case .firstPartyOfOthers: .metadata("An application that registers itself asks its users.")
        }
    }
}
