import CountersignCore
import HTTPTypes
import Hummingbird
import NIOHTTP1

/// Why a request got no answer of its dialect, as much as the client may know.
public enum ServerFailure: Sendable, Equatable {
    /// A failure that the log describes and the client does not see.
    case internalError
    /// There is too much to do; seconds, at least 1, after which it is worth trying again.
    case overloaded(retryAfter: Int)
    /// The database is away or takes no writes, and nothing was done; seconds, at least 1, after which it is worth trying again.
    case unavailable(retryAfter: Int)
    /// The database went away in the middle: it was done, or not. Seconds as above.
    case outcomeUnknown(retryAfter: Int)
    /// The body is not what the route takes, and the dialect has left it at that.
    case body(RequestBodyFault)
    /// The router, or a handler, has refused with a bare status, such as 404 for a path that no dialect has.
    case status(HTTPResponse.Status)

    /// What an error means to the client.
    package init(_ error: any Error) {
        self =
            switch error {
            case let overload as PasswordHashingOverload: .overloaded(retryAfter: max(1, overload.retryAfter))
            case let error as StoreError where error.code == .overloaded: .overloaded(retryAfter: 1)
            // Soon, because a client that repeats a refresh within a minute gets the token that it missed.
            case let error as StoreError where error.code == .unavailable: .unavailable(retryAfter: 2)
            // Until the operator makes it writable again, or the orchestrator sends requests elsewhere.
            case let error as StoreError where error.code == .readOnly: .unavailable(retryAfter: 10)
            case let error as StoreError where error.code == .outcomeUnknown: .outcomeUnknown(retryAfter: 2)
            case let fault as RequestBodyFault: .body(fault)
            // The client's doing, where a handler reads the body by itself.
            case is HTTPParserError: .status(.badRequest)
            case is RequestDeadlineError: .body(.late)
            // Cancelled work means that the server is shutting down, or that the client has disconnected.
            case is CancellationError: .overloaded(retryAfter: 1)
            case let error as any HTTPResponseError: .status(error.status)
            default: .internalError
            }
    }

    public var status: HTTPResponse.Status {
        switch self {
        case .internalError: .internalServerError
        case .overloaded, .unavailable, .outcomeUnknown: .serviceUnavailable
        case .body(let fault): fault.status
        case .status(let status): status
        }
    }

    /// What `Retry-After` says; nil where nothing is to be gained by trying again.
    var retryAfter: Int? {
        switch self {
        case .overloaded(let seconds), .unavailable(let seconds), .outcomeUnknown(let seconds): seconds
        case .internalError, .body, .status: nil
        }
    }

    /// A short word for programs, for where no dialect has its own.
    var word: String {
        switch self {
        case .internalError: "internal_error"
        case .overloaded: "overloaded"
        case .unavailable: "unavailable"
        case .outcomeUnknown: "outcome_unknown"
        case .body: "invalid_body"
        case .status(.notFound): "not_found"
        case .status(.methodNotAllowed): "method_not_allowed"
        case .status: "refused"
        }
    }
}
