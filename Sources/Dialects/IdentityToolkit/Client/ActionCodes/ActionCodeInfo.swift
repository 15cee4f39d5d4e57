import Foundation

/// What the code of a mailed link does. Source: Firebase API reference for Swift, `ActionCodeInfo`.
public enum ActionCodeOperation: Int, Sendable {
    case unknown = 0
    case passwordReset = 1
    case verifyEmail = 2
    case recoverEmail = 3
    case emailLink = 4
    case verifyAndChangeEmail = 5
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
