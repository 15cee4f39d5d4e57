import CountersignCore
import Foundation

/// What applications are registered with as clients of OAuth and OpenID Connect.
extension RegistrationChange {
    /// Values of ``assertionAudience``.
    public static let issuerAudience = "issuer"
    public static let tokenEndpointAudience = "token-endpoint"
    /// Values of ``issuerStyle``.
    public static let issuerStyles = OAuthRegistration.IssuerStyle.allCases.map(\.word)
    /// Seconds of ``defaultMaxAge``: a year.
    static let longestMaxAge = 31_536_000

    /// - Throws: ``AdministrationError`` of code `invalid`.
    func validateOAuth() throws {
        try Self.check(kind, "kind", OAuthRegistration.Kind.allCases.map(\.rawValue))
        try Self.check(authMethod, "method", ClientAuthenticationMethod.allCases.map(\.rawValue))
        try Self.check(issuerStyle, "style of the issuer", Self.issuerStyles)
        try Self.check(assertionAudience, "audience of assertions", [Self.issuerAudience, Self.tokenEndpointAudience])
        for type in grantTypes ?? [] { try Self.check(type, "grant type", OAuthRegistration.knownGrantTypes) }
        for uri in resources ?? [] where !Resource.isIdentifier(uri) {
            throw AdministrationError(.invalid, "\"\(uri)\" is no resource: it is an absolute URI without fragment.")
        }
        for uri in postLogoutRedirectURIs ?? [] { try Self.checkRedirect(uri) }
        if let uri = backchannelLogoutURI, !uri.isEmpty {
            try Self.checkRedirect(uri)
            guard uri.hasPrefix("https:") || uri.hasPrefix("http:") else {
                throw AdministrationError(.invalid, "The back-channel logout URI begins with https.")
            }
        }
        if let uri = jwksURI, !uri.isEmpty {
            try Self.checkRedirect(uri)
            guard uri.hasPrefix("https:") || uri.hasPrefix("http:") else {
                throw AdministrationError(.invalid, "The address of the key set begins with https.")
            }
        }
        for uri in [initiateLoginURI, clientURI, policyURI, termsURI] { try Self.checkLink(uri) }
        if let accent, !accent.isEmpty, accent.wholeMatch(of: /#[0-9A-Fa-f]{6}/) == nil {
            throw AdministrationError(
                .invalid, "\"\(accent)\" is no colour. Write it as #rrggbb, for instance #155eaf.")
        }
        for value in defaultACR ?? [] { try Self.check(value, "acr value", ContextClass.requestable) }
        if let defaultMaxAge, !(-1...Self.longestMaxAge).contains(defaultMaxAge) {
            throw AdministrationError(
                .invalid, "The age of a sign-in is 0 to \(Self.longestMaxAge) seconds, or -1 for any.")
        }
        try Self.check(idTokenAlgorithm, "algorithm", [SigningAlgorithm.es256, .rs256].map(\.rawValue) + [""])
        if let secretOverlap {
            guard (1...Self.longestOverlap).contains(secretOverlap) else {
                throw AdministrationError(.invalid, "Two secrets overlap for 1 to \(Self.longestOverlap) hours.")
            }
            // An administrator who is answered "done" takes the secret for replaced.
            guard secret != nil || hasSecret == true else {
                throw AdministrationError(
                    .invalid, "Two secrets overlap where there is a new one: send hasSecret true, or a secret.")
            }
        }
    }

    private static func check(_ text: String?, _ what: String, _ words: [String]) throws {
        guard let text, !words.contains(text) else { return }
        throw AdministrationError(
            .invalid, "\"\(text)\" is no \(what). There are \(words.joined(separator: ", ")).")
    }

    fileprivate static func checkRedirect(_ uri: String) throws {
        guard let fault = RedirectURI.fault(of: uri) else { return }
        throw AdministrationError(.invalid, "\"\(uri)\" cannot be registered: \(fault.rawValue).")
    }

    /// Pages show it as a link, so it is an address that browsers open (RFC 7591, section 2).
    private static func checkLink(_ uri: String?) throws {
        guard let uri, !uri.isEmpty else { return }
        try checkRedirect(uri)
        guard uri.hasPrefix("https:") || uri.hasPrefix("http:") else {
            throw AdministrationError(.invalid, "\"\(uri)\" cannot be registered: pages link to addresses of https.")
        }
    }

    func apply(to oauth: inout OAuthRegistration) {
        if let kind { oauth.kind = OAuthRegistration.Kind(rawValue: kind) }
        if let grantTypes { oauth.grantTypes = grantTypes.isEmpty ? nil : grantTypes }
        if let authMethod { oauth.authMethod = ClientAuthenticationMethod(rawValue: authMethod) }
        if let postLogoutRedirectURIs { oauth.postLogoutRedirectURIs = postLogoutRedirectURIs }
        if let backchannelLogoutURI {
            oauth.backchannelLogoutURI = backchannelLogoutURI.isEmpty ? nil : backchannelLogoutURI
        }
        if let isFirstParty { oauth.isFirstParty = isFirstParty }
        if let requiresPAR { oauth.requiresPAR = requiresPAR }
        if let requiresDPoP { oauth.requiresDPoP = requiresDPoP }
        if let issuerStyle {
            oauth.issuerStyle = OAuthRegistration.IssuerStyle.allCases.first { $0.word == issuerStyle } ?? .standard
        }
        if let resources { oauth.resources = resources }
        if let jwksURI { oauth.jwksURI = jwksURI.isEmpty ? nil : jwksURI }
        if let defaultACR { oauth.defaultACR = defaultACR }
        if let defaultMaxAge { oauth.defaultMaxAge = defaultMaxAge < 0 ? nil : defaultMaxAge }
        if let idTokenAlgorithm { oauth.idTokenAlgorithm = SigningAlgorithm(rawValue: idTokenAlgorithm) }
        if let initiateLoginURI { oauth.initiateLoginURI = initiateLoginURI.isEmpty ? nil : initiateLoginURI }
        if let clientURI { oauth.clientURI = clientURI.isEmpty ? nil : clientURI }
        if let policyURI { oauth.policyURI = policyURI.isEmpty ? nil : policyURI }
        if let termsURI { oauth.termsURI = termsURI.isEmpty ? nil : termsURI }
        if let redirectsOn { oauth.redirectsOn = redirectsOn ? true : nil }
        if let accent { oauth.accent = accent.isEmpty ? nil : accent.lowercased() }
        if let assertionAudience { oauth.takesTokenEndpointAudience = assertionAudience == Self.tokenEndpointAudience }
    }
}

extension ApplicationRegistration {
    /// Judges what an application of a kind is registered with, taken together, by the rules of every registration.
    /// - Throws: ``AdministrationError`` of code `invalid`.
    func judgeOAuth() throws {
        if let fault { throw AdministrationError(.invalid, fault.sentence) }
    }
}

extension RegistrationFault {
    /// What is to be done about it with `countersign app`.
    fileprivate var sentence: String {
        switch self {
        case .redirectURI(let uri, let fault): "\"\(uri)\" cannot be registered: \(fault.rawValue)."
        case .serviceWithoutCredentials: "A service has a secret or keys: add --secret."
        case .browserWithCredentials: "A program in a page cannot keep a secret: leave it out."
        case .publicWithoutUsers: "client_credentials is for applications with a secret or keys."
        case .secretMissing: "The application authenticates by a secret and has none: add --secret."
        case .keysMissing: "The application authenticates by a key and has none: add --jwks or --jwks-uri."
        case .keysTwice: "Keys are registered or published: give one of --jwks and --jwks-uri."
        case .credentialsUnused: "The application has credentials: it authenticates by them."
        case .firstPartyOfOthers:
            "No administrator made this registration, so that users are always asked: leave out --first-party, or add the "
                + "application with `countersign app add`."
        }
    }
}

extension OAuthRegistration.IssuerStyle {
    /// What administrators call it.
    var word: String {
        switch self {
        case .standard: "standard"
        case .trailingSlash: "auth0"
        }
    }
}
