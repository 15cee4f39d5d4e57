import CountersignCore
import Foundation

/// The server side of Identity Toolkit: sign-in with e-mail and password, TOTP as a second factor, and what its client
/// SDKs need around that.
///
/// It translates. What is right, enough or too often is for the core to say; the words for it are in
/// `IdentityToolkitError`.
public struct IdentityToolkit: Sendable {
    let realm: Realm
    let options: Options
    let seenApplications = SeenApplications()

    public struct Options: Sendable {
        /// The Firebase project: `aud` of ID tokens, and the end of their `iss`.
        public var projectID: String
        /// The semantics of the Firebase emulator: any API key, any project, unsigned tokens.
        public var isDevelopment: Bool
        /// Whether a bearer token is an administrator's.
        public var isAdministrator: @Sendable (Secret<String>) -> Bool
        /// The address that links are made below, without a slash at its end.
        public var publicURL: @Sendable () -> String
        /// All addresses that clients may know the server by: links lead on to their hosts.
        public var publicURLs: @Sendable () -> [String]

        public init(
            projectID: String, isDevelopment: Bool, isAdministrator: @escaping @Sendable (Secret<String>) -> Bool,
            publicURL: @escaping @Sendable () -> String, publicURLs: (@Sendable () -> [String])? = nil
        ) {
            self.projectID = projectID
            self.isDevelopment = isDevelopment
            self.isAdministrator = isAdministrator
            self.publicURL = publicURL
            self.publicURLs = publicURLs ?? { [publicURL()] }
        }
    }

    public init(realm: Realm, options: Options) {
        self.realm = realm
        self.options = options
    }

    /// Where links and pages may lead on to.
    func linkTargets(_ settings: RealmSettings) -> LinkTargets {
        LinkTargets(settings.links, publicURLs: options.publicURLs(), allowsLoopback: options.isDevelopment)
    }

    /// What `authorizedDomains` reads as: what was set, or else the server's own hosts.
    func authorizedDomains(_ settings: RealmSettings) -> [String] {
        if let domains = settings.links.authorizedDomains { return domains }
        let own = LinkTargets.hosts(of: options.publicURLs())
        return options.isDevelopment && !own.contains("localhost") ? ["localhost"] + own : own
    }

    func tokens(_ call: Call) -> IDTokens {
        IDTokens(
            realm: realm, projectID: options.projectID, isDevelopment: options.isDevelopment, settings: call.settings,
            requiresSecondFactor: call.requiresSecondFactor)
    }
}

/// Which callers an endpoint accepts.
enum Access: Sendable {
    /// An application, by its API key; or an administrator.
    case application
    case administrator
    /// No key is asked for: what the endpoint tells is public, or there for development alone.
    case open
}

/// One request, with everything about it that is no part of its body.
struct Call: Sendable {
    /// The application, the language, where it came from.
    let client: ClientContext
    let settings: RealmSettings
    /// Whether the realm or the application requires a second factor of every user. Not the client's: this protocol has
    /// no way to enrol one without a session, so a user without one gets a session that is valid for that only.
    let requiresSecondFactor: Bool
    /// Whether the bearer may do what only administrators may.
    let isAdministrator: Bool
    /// The tenant of the path. All tenants share the realm's users; answers about one repeat its name.
    let tenantID: String?
    /// The query's items, the first of each name.
    let query: [String: String]
    /// What its client calls the request; nil where it has no name.
    let requestID: String?
}
