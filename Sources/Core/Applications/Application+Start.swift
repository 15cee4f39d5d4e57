/// The way back to an application from pages that know no redirect URI to answer to.
extension Application {
    /// The issuer in the spelling of the application's tokens.
    /// - Parameter base: the server's first public address.
    public func issuer(at base: String) -> String {
        registration.oauth.issuerStyle == .trailingSlash ? base + "/" : base
    }

    /// Where a person begins anew: where the application begins sign-ins by itself (OpenID Connect Core 1.0, section 4, with its `iss`), else
    /// its home page, else the site of its first redirect URI that is a web address. Nil where nothing of that can be opened by a link, and of
    /// an application that no administrator checked: a button of this server's own page would lead to whatever its maker chose
    /// (`docs/decisions/0457`).
    /// - Parameter base: the server's first public address.
    public func start(from base: String) -> String? {
        let oauth = registration.oauth
        guard !oauth.isUnchecked else { return nil }
        if let uri = oauth.initiateLoginURI {
            return uri + (uri.contains("?") ? "&" : "?") + "iss=" + issuer(at: base).percentEncoded
        }
        return oauth.clientURI ?? registration.redirectURIs.lazy.compactMap(RedirectURI.site(of:)).first
    }
}
