import Foundation
import NativeAuthWire

/// Why a step failed, before a public error is made of it.
struct Failure: Error, Sendable {
    var kind: ErrorKind
    /// What the server said, or we; nil where the kind's own text is all there is.
    var text: String?
    var correlationID: UUID
    var codes: [Int] = []
    var uri: String?
    var cause: MSALNativeAuthErrorCause?

    init(
        _ kind: ErrorKind, text: String? = nil, _ correlationID: UUID, cause: MSALNativeAuthErrorCause? = nil
    ) {
        self.kind = kind
        self.text = text
        self.correlationID = correlationID
        self.cause = cause
    }

    /// The same of another kind.
    func becoming(_ kind: ErrorKind) -> Failure {
        var failure = self
        failure.kind = kind
        return failure
    }

    /// The same with a sentence before the server's.
    func explained(_ prefix: String) -> Failure {
        var failure = self
        failure.text = prefix + (text ?? "")
        return failure
    }
}

/// What an error's flags say. Source: MSAL for iOS.
enum ErrorKind: Sendable, CaseIterable {
    case authMethodBlocked, browserRequired, general, invalidChallenge, invalidCode, invalidCredentials, invalidInput,
        invalidPassword, invalidScope, invalidUsername, refreshTokenExpired, userAlreadyExists,
        userDoesNotHavePassword, userNotFound, verificationContactBlocked

    /// For where the server says nothing. Source: MSAL for iOS.
    var text: String {
        switch self {
        case .authMethodBlocked: ErrorText.blockedMethod
        case .browserRequired: "Browser required. Use acquireTokenInteractively instead"
        case .general: "General error"
        case .invalidChallenge: "Invalid challenge"
        case .invalidCode: "Invalid code"
        case .invalidCredentials: "Invalid credentials"
        case .invalidInput: "Invalid input"
        case .invalidPassword: "Invalid password"
        case .invalidScope: "Invalid scope"
        case .invalidUsername: "Invalid username"
        case .refreshTokenExpired: "Refresh token is expired"
        case .userAlreadyExists: "User already exists"
        case .userDoesNotHavePassword: "User does not have password associated with account"
        case .userNotFound: "User does not exist"
        case .verificationContactBlocked: ErrorText.blockedContact
        }
    }
}

/// Sentences that apps may have come to expect. Source: MSAL for iOS.
enum ErrorText {
    static let unexpectedAnswer = "Unexpected response body received"
    static let unexpectedChallenge = "Unexpected challenge type"
    static let signInUnavailable =
        "Sign In is not available at this point, please use the standalone sign in methods"
    static let blockedMethod =
        "The server blocked the strong authentication method. Try contacting customer support to seek assistance. "
        + "More information: "
    static let blockedContact =
        "The server blocked the verification contact provided. Try using another email or phone number, or select an "
        + "alternative authentication method. More information: "
    static let mfaOnRefresh =
        "Multi-factor authentication is required, which can't be fulfilled as part of this flow. Please sign out and "
        + "perform a new sign in operation. More information: "
    static let resetOnRefresh =
        "User password change is required, which can't be fulfilled as part of this flow. Please reset the password "
        + "and perform a new sign in operation. More information: "

    static func missingMethod(_ name: String) -> String {
        "MSALNativeAuth has called the delegate method \(name) that has not been implemented"
    }

    static func invalidAttributes(_ names: [String]) -> String {
        "Invalid attributes: " + names.joined(separator: ", ")
    }
}
