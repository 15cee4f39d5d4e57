import CountersignCore
import Foundation

/// A PIN that a client's user has set: a protected attribute of the registration, which is sealed. No digest: an attacker who can
/// open the registration would have tried all PINs in a moment.
public enum EnrolledPIN {
    /// The name of the protected attribute that holds the PIN.
    public static let attribute = "pinCode"

    /// Sets the PIN, or replaces it. Call it in ``ClientRegistrations/changeContext(of:_:)``, after the user has proven
    /// who they are.
    public static func set(_ pin: Secret<String>, in registration: inout RegistrationContext) {
        registration.protectedAttributes[attribute] = .string(pin.reveal())
    }

    /// Whether the client's user has set a PIN.
    public static func isSet(in registration: RegistrationContext) -> Bool {
        registration.protectedAttributes[attribute]?.stringValue != nil
    }

    /// Removes the PIN. A success that relied on it ends with it.
    public static func remove(from registration: inout RegistrationContext) {
        registration.protectedAttributes[attribute] = nil
    }
}

/// Asks for the PIN that the client's user has set; not while a login holds, which proves as much.
///
/// The last wrong answer removes the PIN: the user has to enrol again.
public struct EnrolledPINSecurityCheck: CredentialsValidationSecurityCheck {
    /// How many wrong PINs are taken; the last one removes the PIN.
    public var limits: AttemptLimits
    let login: String
    let showsHint: Bool

    /// A check of the PIN in ``EnrolledPIN``.
    /// - Parameters:
    ///   - login: the name of a check whose success is as good as the PIN.
    ///   - showsHint: whether the reply to a wrong PIN contains the right one. For demonstrations only.
    public init(orWhile login: String, limits: AttemptLimits, showsHint: Bool = false) {
        self.login = login
        self.limits = limits
        self.showsHint = showsHint
    }

    public var dependencies: [String] { [login] }

    public func need(in context: SecurityCheckContext) -> CredentialsNeed {
        context.standing(of: login).isSuccessful ? .alreadyProven : .asked
    }

    public func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict
    {
        let pin = context.registration.protectedAttributes[EnrolledPIN.attribute]?.stringValue ?? ""
        return PINAnswer.verdict(
            credentials, pin: pin, wrong: "Pin code is not valid.", showsHint: showsHint, isKept: true)
    }

    public func block(_ registration: inout RegistrationContext) {
        EnrolledPIN.remove(from: &registration)
    }

    /// A success by a removed PIN ends with it.
    public func isStillGranted(in context: SecurityCheckContext) -> Bool {
        EnrolledPIN.isSet(in: context.registration) || context.standing(of: login).isSuccessful
    }
}

/// Whether the client's user has set a PIN. Never a challenge: a user who is not enrolled has to enrol.
public struct IsEnrolledSecurityCheck: SecurityCheck {
    public let stateDurations: [String: TimeInterval]
    private static let enrolled = "enrolled"

    /// - Parameter duration: seconds that a success lasts, for as long as the PIN is there.
    public init(duration: TimeInterval) {
        stateDurations = [Self.enrolled: duration]
    }

    public func authorize(_ context: inout SecurityCheckContext) async throws -> SecurityCheckOutcome {
        if context.currentState != Self.enrolled {
            guard EnrolledPIN.isSet(in: context.registration) else {
                return .failure(["failure": .string("User is not enrolled")])
            }
            try context.setState(Self.enrolled)
        }
        context.user = context.registration.registeredUser
        guard let end = context.stateExpiresAt else { return .silent }
        return .success([:], expiresAt: end)
    }

    public func isStillGranted(in context: SecurityCheckContext) -> Bool {
        EnrolledPIN.isSet(in: context.registration)
    }
}
