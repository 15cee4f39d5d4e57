import ClientHTTP
import Foundation
import JSON

/// What went wrong, in the vendor's words. Source: MobileFirst client API reference.
public enum WLErrorCode: String, Sendable, CaseIterable {
    /// An answer that cannot be read, a key that cannot be used, or what has no code of its own.
    case unexpectedError = "UNEXPECTED_ERROR"
    /// No answer came within the request's time.
    case requestTimeout = "REQUEST_TIMEOUT"
    /// The server could not be reached.
    case unresponsiveHost = "UNRESPONSIVE_HOST"
    /// The server does not grant the scope, or not to this client.
    case authorizationFailure = "AUTHORIZATION_FAILURE"
    /// A handler's `cancel()`.
    case challengeHandlingCancelled = "CHALLENGE_HANDLING_CANCELED"
    /// No handler is registered for a check that challenges.
    case missingChallengeHandler = "MISSING_CHALLENGE_HANDLER"
    /// What the app gave cannot be sent: a URL that is none or is plain http elsewhere than on this machine, a check's
    /// name with blanks, a value that JSON does not have. Nothing was sent.
    case illegalArgument = "ILLEGAL_ARGUMENT_EXCEPTION"
    /// Another login goes on. Wait for its completion.
    case loginAlreadyInProcess = "LOGIN_ALREADY_IN_PROCESS"
    /// Another logout goes on. Wait for its completion.
    case logoutAlreadyInProcess = "LOGOUT_ALREADY_IN_PROCESS"
    /// The client's key is gone, or the server says this word; the next request registers anew.
    case applicationNotRegistered = "APPLICATION_NOT_REGISTERED"
    /// A status of 500 or more without a code of its own.
    case serverError = "SERVER_ERROR"
    /// The server names a version before 8.0.2017020513, which the vendor's web SDK of 2017 refuses too.
    case minimumServer = "MINIMUM_SERVER"
    /// An administrator has disabled this version of the application. ``WLError/message`` is theirs, for the user.
    case applicationDisabled = "APPLICATION_DISABLED"
}

/// The domain of ``WLError`` as an `NSError`.
public let WLClientErrorDomain = "WLClientErrorDomain"

/// What every failing call of this module gives, beside `CancellationError` where its task was cancelled.
public struct WLError: Error, Sendable, LocalizedError, CustomNSError, CustomStringConvertible {
    /// What went wrong; `WLFailResponse.errorCode` is its raw value.
    public let code: WLErrorCode
    /// A text for developers: the server's where it gave one, else this module's.
    public let message: String
    /// The answer that was the failure, where there was one.
    public let response: WLResponse?

    init(_ code: WLErrorCode, _ message: String, response: WLResponse? = nil) {
        self.code = code
        self.message = message
        self.response = response
    }

    public var description: String { "\(code.rawValue): \(message)" }
    public var errorDescription: String? { message }

    public static var errorDomain: String { WLClientErrorDomain }
    /// 1 internal, 2 no answer, 3 time out, 4 the server's, 5 refused.
    public var errorCode: Int {
        switch code {
        case .unresponsiveHost: 2
        case .requestTimeout: 3
        case .serverError, .minimumServer: 4
        case .authorizationFailure, .challengeHandlingCancelled, .missingChallengeHandler, .applicationDisabled,
            .applicationNotRegistered:
            5
        case .unexpectedError, .illegalArgument, .loginAlreadyInProcess, .logoutAlreadyInProcess: 1
        }
    }
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: message, "errorCode": code.rawValue]
    }
}

extension WLError {
    init(_ error: HTTPClientError) {
        let code: WLErrorCode =
            if error.isTimedOut {
                .requestTimeout
            } else if error.isUnreachable {
                .unresponsiveHost
            } else if error.isPlainHTTPRefused || error.isUnsupportedURL {
                .illegalArgument
            } else {
                .unexpectedError
            }
        self.init(code, error.description)
    }

    static func malformed(_ what: String, _ response: HTTPClientResponse) -> WLError {
        WLError(.unexpectedError, "The server's answer cannot be read: \(what).", response: WLResponse(response))
    }

    /// A refusal that says no more than its status and, maybe, its body. Source: MobileFirst client API reference.
    init(refusal response: HTTPClientResponse) {
        let body = try? JSONDecoder().decode(JSONValue.self, from: response.body)
        let word = body?["errorCode"]?.stringValue.flatMap(WLErrorCode.init(rawValue:))
        let text =
            body?["errorMsg"]?.stringValue ?? body?["error_description"]?.stringValue ?? body?["errorCode"]?.stringValue
            ?? body?["error"]?.stringValue
        let code = word ?? (response.status >= 500 ? .serverError : .authorizationFailure)
        self.init(
            code, text ?? "The server answered with status \(response.status).", response: WLResponse(response))
    }
}
