import ClientHTTP
import Foundation

/// Why an error whose flags are all false happened.
///
/// The original says no more than its text. The cause is ours, for apps that treat a dead network otherwise than an
/// expired flow.
public struct MSALNativeAuthErrorCause: Sendable, CustomStringConvertible {
    private enum Code: Sendable {
        case unreachable, cancelled, unexpectedAnswer, refused, missingMethod, signedOut, invalidRequest
    }

    private let code: Code
    /// The answer's HTTP status, where there was an answer.
    public private(set) var statusCode: Int?
    /// What the server calls its refusal, such as `expired_token`.
    public private(set) var serverError: String?
    /// The server's nearer word for its refusal, such as `invalid_oob_value`; nil where it has none.
    public private(set) var serverSuberror: String?
    /// The delegate's optional method that was needed and is missing.
    public private(set) var missingMethod: String?
    /// What the system said, where it said something.
    public private(set) var underlying: (any Error)?

    private init(_ code: Code) { self.code = code }

    /// No answer came, twice: no network, no such server, no time left, no TLS where it must be.
    public var isUnreachable: Bool { code == .unreachable }
    /// The app cancelled the task.
    public var isCancelled: Bool { code == .cancelled }
    /// An answer came that is none of this protocol.
    public var isUnexpectedAnswer: Bool { code == .unexpectedAnswer }
    /// The server refused; see ``serverError``.
    public var isRefusedByServer: Bool { code == .refused }
    /// The flow is over and has to be started again.
    public var isFlowExpired: Bool { serverError == "expired_token" }
    /// The request has not been answered on the device yet: submit again in a while.
    public var isApprovalPending: Bool { serverError == "authorization_pending" || serverError == "slow_down" }
    /// The user has denied the request on the device: this sign-in is over.
    public var isApprovalRejected: Bool { serverError == "access_denied" && serverSuberror == nil }
    /// The account is not signed in on this device any more.
    public var isSignedOut: Bool { code == .signedOut }
    /// What the app gave cannot be sent.
    public var isInvalidRequest: Bool { code == .invalidRequest }

    public var description: String {
        switch code {
        case .unreachable: "The server could not be reached."
        case .cancelled: "The task was cancelled."
        case .unexpectedAnswer: "The answer\(statusCode.map { " (status \($0))" } ?? "") is none of this protocol."
        case .refused:
            "The server refused: " + [serverError, serverSuberror].compactMap(\.self).joined(separator: ", ")
        case .missingMethod: "The delegate lacks \(missingMethod ?? "a method")."
        case .signedOut: "The account is not signed in on this device any more."
        case .invalidRequest: "What the app gave cannot be sent."
        }
    }

    static func unreachable(_ error: any Error) -> Self {
        var cause = Self(error is CancellationError ? .cancelled : .unreachable)
        cause.underlying = error
        return cause
    }

    static func unexpectedAnswer(status: Int?) -> Self {
        var cause = Self(.unexpectedAnswer)
        cause.statusCode = status
        return cause
    }

    static func refused(status: Int, _ error: String, _ suberror: String?) -> Self {
        var cause = Self(.refused)
        cause.statusCode = status
        cause.serverError = error
        cause.serverSuberror = suberror
        return cause
    }

    static func missingMethod(_ name: String) -> Self {
        var cause = Self(.missingMethod)
        cause.missingMethod = name
        return cause
    }

    static let signedOut = Self(.signedOut)
    static let invalidRequest = Self(.invalidRequest)
}
