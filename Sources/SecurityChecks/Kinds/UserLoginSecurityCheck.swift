import CountersignCore
import Foundation
import OneTimePassword

/// A name and a password against a directory of the developer's own: `{"username":…,"password":…[,"rememberMe":…]}`.
public struct UserLoginSecurityCheck: UserAuthenticationSecurityCheck {
    /// How many wrong answers are taken from one client, and for one name from all clients.
    public var limits: AttemptLimits
    public var rememberMeDuration: TimeInterval
    /// Whether challenges tell how many answers are left.
    let countsDown: Bool
    let verify: @Sendable (_ username: String, _ password: Secret<String>) async throws -> Verdict

    /// What the directory says.
    public enum Verdict: Sendable {
        /// Name and password belong together. Clients and resource servers get the display name and the attributes.
        case right(displayName: String, attributes: [String: JSONValue] = [:])
        /// - Parameter message: the same for an unknown name and for a wrong password, unless the directory is public.
        case wrong(_ message: String = "Wrong Credentials")
    }

    /// - Parameter verify: asks the directory; names and passwords are not empty.
    public init(
        limits: AttemptLimits = AttemptLimits(), rememberMeDuration: TimeInterval = 0, countsDown: Bool = true,
        verify: @escaping @Sendable (_ username: String, _ password: Secret<String>) async throws -> Verdict
    ) {
        self.limits = limits
        self.rememberMeDuration = rememberMeDuration
        self.countsDown = countsDown
        self.verify = verify
    }

    /// Reads the limits and `rememberMeDurationSec`.
    public init(
        _ configuration: inout SecurityCheckConfiguration, countsDown: Bool = true,
        verify: @escaping @Sendable (_ username: String, _ password: Secret<String>) async throws -> Verdict
    ) {
        self.init(
            limits: configuration.limits(),
            rememberMeDuration: configuration.seconds("rememberMeDurationSec", default: 0), countsDown: countsDown,
            verify: verify)
    }

    public func authenticate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> UserVerdict {
        guard let username = credentials["username"]?.credentialText,
            let password = credentials["password"]?.credentialText
        else { return .wrong("Credentials not set properly", isKept: true) }
        guard !username.isEmpty, !password.isEmpty else { return .wrong("Wrong Credentials", isKept: true) }
        switch try await verify(username, Secret(password)) {
        case .right(let displayName, let attributes):
            return .right(
                AuthenticatedUser(
                    id: username, displayName: displayName, authenticatedAt: context.now,
                    authenticatedBy: context.name, attributes: attributes))
        case .wrong(let message): return .wrong(message, isKept: true)
        }
    }

    public func remembers(_ user: AuthenticatedUser, credentials: JSONValue) -> Bool {
        switch credentials["rememberMe"] {
        case .bool(let flag)?: flag
        case .string(let text)?: text.lowercased() == "true"
        default: false
        }
    }

    /// The claimed name, so that wrong passwords for one name count together, from whatever client they come.
    public func person(claimedBy credentials: JSONValue?, in context: SecurityCheckContext) -> String? {
        credentials?["username"]?.credentialText.map { $0.precomposedStringWithCompatibilityMapping.lowercased() }
    }

    public func challenge(_ attempt: AttemptStanding, in context: SecurityCheckContext) -> [String: JSONValue] {
        var document: [String: JSONValue] = ["errorMsg": attempt.message.map { .string($0) } ?? .null]
        if countsDown { document["remainingAttempts"] = .integer(Int64(attempt.remainingAttempts)) }
        return document
    }
}
