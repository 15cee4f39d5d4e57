import CountersignCore
import Foundation

/// A PIN of the user's own, asked for only while a login holds (MobileFirst Foundation, Step up).
public struct StepUpPINSecurityCheck: CredentialsValidationSecurityCheck {
    /// How many wrong PINs one client may give; they also count against the user.
    public var limits: AttemptLimits
    let login: String
    let showsHint: Bool
    let pin: @Sendable (AuthenticatedUser) async throws -> Secret<String>?

    /// - Parameters:
    ///   - login: the name of the check that has to be passed first.
    ///   - pin: the user's; nil where there is none, and then no answer is right.
    public init(
        after login: String, limits: AttemptLimits = AttemptLimits(), showsHint: Bool = false,
        pin: @escaping @Sendable (AuthenticatedUser) async throws -> Secret<String>?
    ) {
        self.login = login
        self.limits = limits
        self.showsHint = showsHint
        self.pin = pin
    }

    public var dependencies: [String] { [login] }

    public func need(in context: SecurityCheckContext) -> CredentialsNeed {
        context.standing(of: login).isSuccessful ? .asked : .notYet
    }

    public func validate(_ credentials: JSONValue, in context: SecurityCheckContext) async throws -> CredentialsVerdict
    {
        guard let user = context.standing(of: login).user, let pin = try await pin(user) else {
            return .wrong("Wrong credentials.")
        }
        return PINAnswer.verdict(
            credentials, pin: pin.reveal(), wrong: "Wrong credentials.", missing: nil, showsHint: showsHint)
    }

    public func person(claimedBy credentials: JSONValue?, in context: SecurityCheckContext) -> String? {
        context.standing(of: login).user?.id
    }

    public func challenge(_ attempt: AttemptStanding, in context: SecurityCheckContext) -> [String: JSONValue] {
        ["errorMsg": attempt.message.map { .string($0) } ?? .null]
    }
}
