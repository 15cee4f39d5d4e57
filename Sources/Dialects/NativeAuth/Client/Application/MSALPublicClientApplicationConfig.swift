import ClientHTTP
import Foundation

/// What an application says of itself before it is made. Source: MSAL for iOS.
public class MSALPublicClientApplicationConfig: NSObject {
    /// The id under which the server knows the application.
    public let clientId: String
    /// Sent with refreshes, where it is set. Nothing is ever redirected to by this module.
    public var redirectUri: String?
    /// The server, and the tenant on it.
    public var authority: MSALAuthority
    /// Which of the server's slices is asked; nil leaves it to the server.
    public var sliceConfig: MSALSliceConfig?
    /// How accounts and tokens are kept. Change its members before the application is made.
    public let cacheConfig = MSALCacheConfig()
    /// Kept for the sake of the API: there is no redirect to validate.
    public var bypassRedirectURIValidation = false

    /// What an application says of itself. Native authentication wants the subclass
    /// ``MSALNativeAuthPublicClientApplicationConfig``.
    public init(clientId: String, redirectUri: String? = nil, authority: MSALAuthority) {
        self.clientId = clientId
        self.redirectUri = redirectUri
        self.authority = authority
    }
}

/// How accounts and tokens are kept.
public final class MSALCacheConfig: NSObject {
    /// The keychain access group; nil for the app's first one. On Apple systems the name in full, with the prefix of
    /// the team.
    public var keychainSharingGroup: String?
}

/// Which part of a server is asked, for tests. Source: MSAL for iOS.
public final class MSALSliceConfig: NSObject {
    /// The slice's name: kept for the sake of the API, and not sent.
    public var slice: String?
    /// The data center: sent as the parameter `dc` with each request.
    public var dc: String?

    /// Names a slice; only ``dc`` reaches the server.
    public init(slice: String?, dc: String?) {
        self.slice = slice
        self.dc = dc
    }
}
