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

    public struct Options: Sendable {
        public var checks: SecurityCheckCatalogue

        public init(checks: SecurityCheckCatalogue) {
            self.checks = checks
        }
    }

    public init(realm: Realm, options: Options) {
        self.realm = realm
        self.options = options
    }

    var grants: CheckGrants { realm.grants(by: options.checks) }
    var tokens: AccessTokens { AccessTokens(realm: realm, grants: grants) }
}
