import CountersignCore
import Foundation
import SecurityChecks
import SecurityChecksWire

/// The server side of MobileFirst's security framework: clients that register, are asked by checks, and get tokens for
/// scopes.
///
/// It translates. What a check decides, and whether credentials are judged at all, is for the core to say; the words
/// for it are in `SecurityChecksError`.
public struct SecurityChecks: Sendable {
    let realm: Realm
    let options: Options

    /// What the composition root gives the endpoints beside the realm.
    public struct Options: Sendable {
        /// The checks that applications may name in scopes and configure. The checks of the developer and, for
        /// development, the samples.
        public var checks: SecurityCheckCatalogue

        /// Serves the checks of this catalogue; scopes that lead to any other check are refused.
        public init(checks: SecurityCheckCatalogue) {
            self.checks = checks
        }
    }

    /// Serves the clients of `realm`, which the other dialects share, by the checks of `options`.
    public init(realm: Realm, options: Options) {
        self.realm = realm
        self.options = options
    }

    var grants: CheckGrants { realm.grants(by: options.checks) }
    var tokens: AccessTokens { AccessTokens(realm: realm, grants: grants) }
}
