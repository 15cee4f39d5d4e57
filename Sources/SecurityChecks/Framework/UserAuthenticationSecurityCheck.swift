import CountersignCore
import Foundation

/// A check whose right answer says who the user is (MobileFirst Foundation, UserAuthenticationSecurityCheck).
///
/// The user becomes the registration's, and is remembered there for ``rememberMeDuration``: as long as that lasts, a client
/// whose success is over is in success again without being asked. Logging out forgets.
public protocol UserAuthenticationSecurityCheck: CredentialsValidationSecurityCheck {
    /// Seconds; 0 remembers no user.
    var rememberMeDuration: TimeInterval { get }

    /// The user, where the credentials are right.
    func authenticate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> UserVerdict
    /// Whether this user, who came with these credentials, is remembered.
    func remembers(_ user: AuthenticatedUser, credentials: JSONValue) -> Bool
}

/// What a check says of credentials that name a user.
public enum UserVerdict: Sendable {
    /// The credentials are this user's.
    case right(AuthenticatedUser)
    /// The credentials are no user's, or the check does not say whose.
    /// - Parameters:
    ///   - message: for the next challenge.
    ///   - isKept: whether later challenges of the same window repeat it.
    case wrong(_ message: String?, isKept: Bool = false)
}

extension UserAuthenticationSecurityCheck {
    public var rememberMeDuration: TimeInterval { 0 }
    public func remembers(_ user: AuthenticatedUser, credentials: JSONValue) -> Bool { true }

    /// Never asked: ``authenticate(_:in:)`` is.
    public func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict
    {
        switch try await authenticate(credentials, in: context) {
        case .right: .right
        case .wrong(let message, let isKept): .wrong(message, isKept: isKept)
        }
    }
}

/// The user that a registration remembers, and since when: two public attributes of it.
enum RememberedUser {
    /// Milliseconds since 1970.
    static let attribute = "rememberedAt"

    static func remember(in registration: inout RegistrationContext, at now: Date) {
        registration.publicAttributes[attribute] = .integer(now.milliseconds)
    }

    static func forget(in registration: inout RegistrationContext) {
        registration.publicAttributes[attribute] = nil
    }

    /// The user that that check made the registration's, while it may remember them. Forgets where the time is over.
    /// - Parameter leftAt: when another application of the device logged out for all of them.
    static func recall(
        by check: String, for duration: TimeInterval, in registration: inout RegistrationContext, since leftAt: Date?,
        at now: Date
    ) -> AuthenticatedUser? {
        guard case .integer(let since)? = registration.publicAttributes[attribute] else { return nil }
        let age = Double(now.milliseconds) - Double(since)
        guard duration > 0, age >= 0, age <= duration * 1000, since > leftAt?.milliseconds ?? .min else {
            forget(in: &registration)
            return nil
        }
        return registration.registeredUser.flatMap { $0.authenticatedBy == check ? $0 : nil }
    }
}
