/// Why an application of a kind cannot be registered so. Each way of registering says it in its own words.
public enum RegistrationFault: Error, Sendable, Equatable {
    /// A redirect URI that no application has.
    case redirectURI(String, RedirectURI.Fault)
    /// A service has no user whose browser vouches for it.
    case serviceWithoutCredentials
    /// What is in a page can be read by its user.
    case browserWithCredentials
    /// `client_credentials` without credentials.
    case publicWithoutUsers
    /// It authenticates by a secret and has none.
    case secretMissing
    /// It authenticates by a key and has none.
    case keysMissing
    /// Keys are both registered and published (RFC 7591, section 2).
    case keysTwice
    /// It has credentials and shows none.
    case credentialsUnused
    /// It is to be trusted without asking its users, and no administrator made the registration.
    case firstPartyOfOthers
}

extension ApplicationRegistration {
    /// What is wrong with the members taken together; nil where nothing is. Every registration is judged by it, an administrator's and an
    /// application's own, and each change as if it were new.
    ///
    /// Applications without a kind are of before: their addresses are judged where a browser brings one.
    public var fault: RegistrationFault? {
        if let fault = faultOfCredentials { return fault }
        if oauth.origin != .administrator, oauth.isFirstParty { return .firstPartyOfOthers }
        guard let kind = oauth.kind else { return nil }
        for uri in redirectURIs {
            if let fault = RedirectURI.fault(of: uri) { return .redirectURI(uri, fault) }
        }
        if kind == .service, !isConfidential { return .serviceWithoutCredentials }
        if kind == .browser, isConfidential { return .browserWithCredentials }
        if oauth.allowsGrant("client_credentials"), !isConfidential { return .publicWithoutUsers }
        return nil
    }

    /// Whether it can authenticate by the method that it is registered for.
    private var faultOfCredentials: RegistrationFault? {
        let showsSecret = oauth.authMethod == .secretBasic || oauth.authMethod == .secretPost
        if showsSecret, !isConfidential { return .secretMissing }
        if oauth.authMethod == .privateKeyJWT, assertionKeys.isEmpty, oauth.jwksURI == nil { return .keysMissing }
        if oauth.jwksURI != nil, !assertionKeys.isEmpty { return .keysTwice }
        if oauth.authMethod == ClientAuthenticationMethod.none, isConfidential { return .credentialsUnused }
        return nil
    }
}
