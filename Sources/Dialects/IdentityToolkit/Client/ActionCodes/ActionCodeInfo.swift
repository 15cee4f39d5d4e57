import Foundation

/// What the code of a mailed link does. Source: Firebase API reference for Swift, `ActionCodeInfo`.
public enum ActionCodeOperation: Int, Sendable {
    /// The server names a kind that this module does not know, or the link none.
    case unknown = 0
    /// Sets a new password: ``Auth/confirmPasswordReset(withCode:newPassword:)``.
    case passwordReset = 1
    /// Verifies the account's address: ``Auth/applyActionCode(_:)``.
    case verifyEmail = 2
    /// Takes a change of the address back. This server's mails for it lead to its own page; it does not tell apps of
    /// such codes, nor take them from apps.
    case recoverEmail = 3
    /// Signs in: ``Auth/signIn(withEmail:link:)``. This server does not name the address of such a code, so that
    /// ``Auth/checkActionCode(_:)`` throws `malformedResponse`.
    case emailLink = 4
    /// Makes a new address the account's, which it thereby verifies: ``Auth/applyActionCode(_:)``.
    case verifyAndChangeEmail = 5
    /// Removes a second factor that was just added. This server mails no such codes.
    case revertSecondFactorAddition = 6

    init(requestType: String?) {
        self =
            switch requestType {
            case "PASSWORD_RESET": .passwordReset
            case "VERIFY_EMAIL": .verifyEmail
            case "RECOVER_EMAIL": .recoverEmail
            case "EMAIL_SIGNIN": .emailLink
            case "VERIFY_AND_CHANGE_EMAIL": .verifyAndChangeEmail
            case "REVERT_SECOND_FACTOR_ADDITION": .revertSecondFactorAddition
            default: .unknown
            }
    }

    /// By the item `mode` of a link.
    init(mode: String?) {
        self =
            switch mode {
            case "resetPassword": .passwordReset
            case "verifyEmail": .verifyEmail
            case "recoverEmail": .recoverEmail
            case "signIn": .emailLink
            case "verifyAndChangeEmail": .verifyAndChangeEmail
            case "revertSecondFactorAddition": .revertSecondFactorAddition
            default: .unknown
            }
    }
}

/// What the server says of a mailed link's code, before it is applied.
public final class ActionCodeInfo: NSObject, Sendable {
    /// What applying the code would do.
    public let operation: ActionCodeOperation
    /// The address that the code is about; where it changes an address, the new one.
    public let email: String
    /// Where the code changes an address, the present one.
    public let previousEmail: String?

    init(operation: ActionCodeOperation, email: String, newEmail: String?) {
        self.operation = operation
        self.email = newEmail ?? email
        previousEmail = newEmail == nil ? nil : email
    }
}
