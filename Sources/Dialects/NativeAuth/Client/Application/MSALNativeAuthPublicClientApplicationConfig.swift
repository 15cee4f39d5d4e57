import Foundation

/// What an application with native authentication says of itself. Source: MSAL for iOS.
public final class MSALNativeAuthPublicClientApplicationConfig: MSALPublicClientApplicationConfig {
    /// How the app can authenticate a user. They are sent with each challenge, and `redirect` always with them; an
    /// account that has none of them ends the flow with `isBrowserRequired`.
    public let challengeTypes: MSALNativeAuthChallengeTypes
    /// What the app can do beyond one factor. Where it lacks what the server asks for, flows end with
    /// `isBrowserRequired`.
    public var capabilities: MSALNativeAuthCapabilities = []
    /// Adds header fields to each request.
    public var requestInterceptor: (any MSALNativeAuthRequestInterceptor)?

    /// A configuration for a tenant whose URL the app knows.
    ///
    /// - Parameter authority: has to be an ``MSALCIAMAuthority``; the application refuses any other.
    public init(clientId: String, authority: MSALAuthority, challengeTypes: MSALNativeAuthChallengeTypes) {
        self.challengeTypes = challengeTypes
        super.init(clientId: clientId, authority: authority)
    }

    /// The tenant lies on the server that the environment variable `COUNTERSIGN_URL` names, as
    /// `{server}/{subdomain}.onmicrosoft.com`; where there is none, at `https://{subdomain}.ciamlogin.com`. Throws
    /// where that makes no authority.
    public convenience init(
        clientId: String, tenantSubdomain: String, challengeTypes: MSALNativeAuthChallengeTypes
    ) throws {
        let authority = try MSALCIAMAuthority(
            tenantSubdomain: tenantSubdomain, environment: ProcessInfo.processInfo.environment)
        self.init(clientId: clientId, authority: authority, challengeTypes: challengeTypes)
    }
}

/// How an app can authenticate a user. Source: MSAL for iOS.
public struct MSALNativeAuthChallengeTypes: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A code by mail or text message.
    public static let OOB = MSALNativeAuthChallengeTypes(rawValue: 1 << 0)
    /// A password, on a screen of the app's.
    public static let password = MSALNativeAuthChallengeTypes(rawValue: 1 << 1)
}

/// What an app can do beyond one factor. Source: MSAL for iOS.
public struct MSALNativeAuthCapabilities: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Ask for a second factor.
    public static let mfaRequired = MSALNativeAuthCapabilities(rawValue: 1 << 0)
    /// Register one.
    public static let registrationRequired = MSALNativeAuthCapabilities(rawValue: 1 << 1)
}

/// What ``MSALNativeAuthRequestInterceptor`` calls with its header fields. Only the first call counts.
public typealias MSALNativeAuthRequestInterceptorAddHeaderCompletionBlock = @Sendable ([String: String]?) -> Void

/// Adds header fields to each request that this module sends.
///
/// Names must begin with `x-`, and not with `x-ms-`, `x-client-`, `x-broker-` or `x-app-`; others are left out, and the log
/// says so. It is called outside of any actor, so it is `Sendable` here. A request waits for it 30 seconds at most. Source:
/// MSAL for iOS.
public protocol MSALNativeAuthRequestInterceptor: NSObjectProtocol, Sendable {
    /// Gives the header fields of one request.
    ///
    /// - Parameters:
    ///   - requestUrl: where the request goes.
    ///   - completionBlock: takes the fields, or nil for none; only its first call counts, and only within 30 seconds.
    func addAdditionalHeaderFields(
        _ requestUrl: URL?, completionBlock: @escaping MSALNativeAuthRequestInterceptorAddHeaderCompletionBlock)
}
