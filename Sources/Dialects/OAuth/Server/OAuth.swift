import CountersignCore
import Foundation
import OAuthHTTP
import ServerHTTP
import WebPages

/// OAuth 2.1 and OpenID Connect: the authorization endpoint, the token endpoint with its table of grants, and what is around them.
///
/// It translates. Whether a request is good enough, whose session suffices and what a user allowed is for the core to say
/// (`Core/Authorization`); people meet the pages of another part, which get a request and give it back.
///
/// **How the files of this folder meet.** `OAuthRoutes` lists the endpoints, a file each. `AuthorizationParameters` turns parameters into
/// an `AuthorizationRequest`, for `+Authorize` and `+Push` alike, and `AuthorizationAnswer` brings what came of it to the redirect URI.
/// `+Token` authenticates the application and hands over to a grant (`Grants`); `OAuthTokens` makes the tokens. `OAuthFailure` has all
/// error words.
public struct OAuth: Sendable {
    let realm: Realm
    let options: Options
    let pages: OAuthPages
    /// What was said of them in the log.
    let clientRefusals = ClientRefusals()
    /// Of failures that applications are told by way of the browser.
    let failureLines = (refusals: WarningPace(), faults: WarningPace(most: WarningPace.mostOfTheirOwn))
    private let known = KnownAddresses()

    public struct Options: Sendable {
        /// The addresses that clients reach the server by, without slashes at their ends; the first is the issuer.
        public var publicURLs: @Sendable () -> [String]
        public var isDevelopment: Bool
        /// What all pages share.
        public var site: PageSite
        /// Grants of other protocols.
        public var grants: [any TokenGrant]
        /// Endpoints that other protocols answer too.
        public var shared: SharedEndpoints?
        /// Scopes of this server's other APIs, which mean something in the token of a user alone.
        public var userScopes: Set<String>

        public init(
            publicURLs: @escaping @Sendable () -> [String], isDevelopment: Bool, site: PageSite,
            grants: [any TokenGrant] = [], shared: SharedEndpoints? = nil, userScopes: Set<String> = []
        ) {
            self.publicURLs = publicURLs
            self.isDevelopment = isDevelopment
            self.site = site
            self.grants = grants
            self.shared = shared
            self.userScopes = userScopes
        }
    }

    public init(realm: Realm, options: Options) {
        self.realm = realm
        self.options = options
        pages = OAuthPages(site: options.site)
    }

    var base: String { options.publicURLs().first ?? "" }
    var cookies: BrowserCookies { options.site.cookies }
    var tokens: OAuthTokens { OAuthTokens(realm: realm, base: base) }

    /// The issuer as this server's tokens spell it, both ways, by each of its addresses.
    var issuers: Set<String> { names.issuers }

    /// The issuer alone, as assertions name it.
    var ownIssuer: Set<String> { names.issuer }

    /// Our grants and other protocols'. Ours come last, and say that a token is unknown where no other knows it.
    var grants: TokenGrants {
        TokenGrants(
            // Ours says nothing of an attempt that it does not know; the other protocol's refuses it.
            [BackchannelGrant(oauth: self)] + options.grants
                + [
                    CodeGrant(oauth: self), RefreshGrant(oauth: self), ClientGrant(oauth: self),
                    DeviceGrant(oauth: self), PasskeyGrant(oauth: self),
                ])
    }

    /// This server as the API of its own tokens.
    var resource: OwnResource { OwnResource(realm: realm, publicURLs: options.publicURLs) }

    /// The audience of tokens for a user's own authentication methods alone, once for each address (Auth0, My Account API).
    var accountAudiences: Set<String> { names.accountAudiences }

    /// What tokens for this server may say that they are for.
    var ownAudiences: Set<String> { names.audiences }

    private var names: KnownAddresses.Names { known.names(of: options.publicURLs()) }

    /// Every address of an endpoint.
    func urls(_ path: String) -> Set<String> { Set(options.publicURLs().map { $0 + path }) }

    /// What an application's tokens and answers say as issuer.
    func issuer(for application: CountersignCore.Application) -> String {
        tokens.issuer(for: application)
    }

    /// Whether a scope means something in the token of a user alone: an application gets none of these for itself.
    func isOfUsers(scope: String) -> Bool {
        Metadata.scopes.contains(scope) || Memberships.scopes.contains(scope)
            || AccountScope(rawValue: scope) != nil || options.userScopes.contains(scope)
    }

    /// Whether the port of an application's loopback addresses is its own to choose.
    func hasFreePorts(_ application: CountersignCore.Application) -> Bool {
        options.isDevelopment || application.registration.oauth.hasFreeLoopbackPorts
    }
}
