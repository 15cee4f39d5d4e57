import CountersignCore
import Foundation

/// A check of a catalogue as it is set up, for those who administer.
public struct DescribedSecurityCheck: Sendable, Equatable {
    /// What a check asks for.
    public enum Kind: String, Sendable, CaseIterable {
        /// Nothing that could be guessed: it looks at the client (``SecurityCheck``).
        case condition
        /// Credentials (``CredentialsValidationSecurityCheck``).
        case credentials
        /// Credentials that say who the user is (``UserAuthenticationSecurityCheck``).
        case login
    }

    /// What scopes and challenge handlers call the check.
    public let name: String
    /// What it asks for.
    public let kind: Kind
    /// The type that has its rules, in the server's program: `PINSecurityCheck`.
    public let type: String
    /// Whether an answer is judged in the transaction that counts it (``ImmediateSecurityCheck``).
    public let isImmediate: Bool
    /// The checks that are evaluated before it.
    public let dependencies: [String]
    /// Wrong answers that one client may give; nil where nothing is asked.
    public let maxAttempts: Int?
    /// Seconds that each state lasts, by its name.
    public let stateDurations: [String: TimeInterval]
    /// Seconds without a request after which a success is over; 0 for never.
    public let inactivityTimeout: TimeInterval
    /// Seconds that a user is remembered, 0 for no time; nil where the check says of no user.
    public let rememberMeDuration: TimeInterval?
    /// What it was configured with, each property in the order that the check reads them.
    public let properties: [SecurityCheckConfiguration.Property]
    /// What is set and the check does not read, without values.
    public let unread: [SecurityCheckConfiguration.Property]
    /// What of the configuration does not read: the check is not there for such an application.
    public let faults: [String]
}

extension SecurityCheckCatalogue {
    /// The check as it is set up.
    /// - Parameter version: of an application, whose own settings count most; nil: without those of any.
    /// - Returns: nil where there is no such check.
    public func describe(_ name: String, for version: ApplicationVersion? = nil) -> DescribedSecurityCheck? {
        guard let definition = definitions[name] else { return nil }
        var read = SecurityCheckConfiguration(noting: [
            (.definition, definition.properties), (.server, configuration[name] ?? [:]),
            (.application, version?.securityCheckConfigurations[name] ?? [:]),
        ])
        let check = definition.make(&read)
        let login = check as? any UserAuthenticationSecurityCheck
        let asking = check as? any CredentialsValidationSecurityCheck
        return DescribedSecurityCheck(
            name: name, kind: login != nil ? .login : asking != nil ? .credentials : .condition,
            type: String(describing: Swift.type(of: check)), isImmediate: check is any ImmediateSecurityCheck,
            dependencies: check.dependencies, maxAttempts: asking?.limits.maxAttempts,
            stateDurations: check.stateDurations, inactivityTimeout: check.inactivityTimeout,
            rememberMeDuration: login?.rememberMeDuration, properties: read.read, unread: read.unread,
            faults: read.errors)
    }
}

extension Realm {
    /// The checks of the server that this process is; nil in a program that serves none, such as a command beside a data directory.
    public var checkCatalogue: SecurityCheckCatalogue? { provided.part(SecurityCheckCatalogue.self) }
}
