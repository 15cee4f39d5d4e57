import CountersignCore
import Foundation
import GuardianWire

/// The server side of Guardian: devices that enrol and answer, the browser that waits for them, the OAuth endpoints of
/// apps without a browser, and the management around it.
///
/// It translates. What is right, enough or too often is for the core to say; the words for it are in `GuardianError`.
public struct Guardian: Sendable {
    let realm: Realm
    let options: Options
    let seenApplications = SeenApplications()

    public struct Options: Sendable {
        /// What people know the service by: the issuer in authenticator apps.
        public var tenant: String
        /// Whether a bearer token is an administrator's.
        public var isAdministrator: @Sendable (Secret<String>) -> Bool
        /// The addresses that clients reach the server by, without slashes at their ends; the first is the one that
        /// links and issuers begin with.
        public var baseURLs: @Sendable () -> [String]

        public init(
            tenant: String = "countersign",
            isAdministrator: @escaping @Sendable (Secret<String>) -> Bool,
            baseURLs: @escaping @Sendable () -> [String]
        ) {
            self.tenant = tenant
            self.isAdministrator = isAdministrator
            self.baseURLs = baseURLs
        }
    }

    public init(realm: Realm, options: Options) {
        self.realm = realm
        self.options = options
    }

    var baseURL: String { options.baseURLs().first ?? "" }

    /// The two layouts of the device API: Guardian.swift asks below `appliance-mfa` since 1.5.0.
    static let prefixes = ["", "/appliance-mfa"]

    /// What a client may have put together for `aud`: any address that we are reached by, in both layouts.
    func audiences(_ path: String) -> Set<String> {
        Set(options.baseURLs().flatMap { base in Self.prefixes.map { "\(base)\($0)/api/\(path)" } })
    }

    var tokens: GuardianTokens { GuardianTokens(realm: realm, issuer: baseURL + "/") }

    // MARK: Names

    /// What this protocol calls a user.
    static func name(of userID: UserID) -> String { "auth0|\(userID)" }

    /// The user of such a name; nil for what is none.
    static func userID(_ name: String) -> UserID? {
        guard name.hasPrefix("auth0|") else { return nil }
        let id = name.dropFirst("auth0|".count)
        return id.isEmpty ? nil : UserID(rawValue: String(id))
    }
}
