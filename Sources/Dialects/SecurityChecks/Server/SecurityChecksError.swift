import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import SecurityChecks
import SecurityChecksWire
import ServerHTTP

/// What this dialect answers when something is refused. The only place where its error words are put together.
enum SecurityChecksError: Error, Sendable {
    /// Of the framework's own endpoints.
    case plain(Int, ErrorCode, String, retryAfter: Int? = nil)
    /// Of the endpoints below `az`.
    case oauth(
        Int, OAuthErrorWord, String, isUnknownClient: Bool = false, challenge: String? = nil, retryAfter: Int? = nil)
    /// The same request may be sent again.
    case conflict
    /// A check that takes no answers.
    case failures([String: [String: JSONValue]])

    static let unknownClient = plain(400, .invalidClientID, "There is no such client. Register anew.")
    static let unknownOAuthClient = oauth(400, .invalidClient, "There is no such client.", isUnknownClient: true)
    static let invalidGrant = oauth(
        400, .invalidGrant, "The code is unknown, used, too old, or was made for another client or address.")
    static let notGranted = oauth(400, .invalidGrant, "A check of the scope is not in success any more.")
    static let unknownScope = oauth(400, .invalidScope, "An element of the scope leads to no check.")
    static let invalidRefreshToken = oauth(
        400, .invalidGrant, "The refresh token is unknown, used, too old, another client's, or was ended.")
    static let unsupportedGrant = oauth(400, .unsupportedGrantType, "This grant type is not taken here.")
    static let foreignAssertion = oauth(400, .invalidClient, "The assertion is not this client's, or not for this.")

    static func invalidRequest(_ message: String) -> SecurityChecksError { .plain(400, .invalidRequest, message) }
    static func invalidOAuthRequest(_ message: String) -> SecurityChecksError { .oauth(400, .invalidRequest, message) }

    /// Why a client is not served, at the framework's own endpoints.
    init(_ refusal: ClientRefusal) {
        switch refusal {
        case .unknownClient: self = .unknownClient
        case .unknownApplication:
            self = .plain(
                403, .applicationDoesNotExist, "There is no such application, or not this version of it.")
        case .applicationDisabled(let message, let link):
            self = .failures([ReservedCheck.remoteDisable: Self.disabled(message, link)])
        case .deviceDisabled:
            self = .failures([ReservedCheck.remoteDisable: Self.disabled("This device is not served.", nil)])
        case .limited:
            self = .plain(429, .unexpectedError, "Too many requests from this address.", retryAfter: Self.longWait)
        }
    }

    /// Seconds: limits by address are over in minutes, and the exact time is not disclosed.
    private static let longWait = 60

    private static func disabled(_ message: String, _ link: String?) -> [String: JSONValue] {
        ["message": .string(message), "downloadLink": link.map { .string($0) } ?? .null]
    }

    /// The same below `az`.
    static func oauth(_ refusal: ClientRefusal) -> SecurityChecksError {
        switch refusal {
        case .unknownClient: .unknownOAuthClient
        case .unknownApplication: .oauth(403, .unauthorizedClient, "There is no such application.")
        case .applicationDisabled: .oauth(403, .unauthorizedClient, "This version of the application is disabled.")
        case .deviceDisabled: .oauth(403, .accessDenied, "This device is not served.")
        case .limited:
            .oauth(429, .temporarilyUnavailable, "Too many requests from this address.", retryAfter: longWait)
        }
    }

    private struct OAuthBody: Encodable {
        let error: String
        let error_description: String
        let errorCode: ErrorCode?
    }

    /// - Parameter path: where the request went: registrations are answered with the server's version.
    func response(to path: String) throws -> Response {
        let isRegistration = path.hasPrefix(Endpoint.base + Endpoint.registration)
        switch self {
        case .plain(let status, let code, let message, let retryAfter):
            return try .json(
                RegistrationAnswer(ErrorBody(errorCode: code, errorMessage: message), isVersioned: isRegistration),
                status: HTTPResponse.Status(code: status), headers: retryAfter.map { .retryAfter($0) } ?? [:])
        case .oauth(let status, let word, let message, let isUnknownClient, let challenge, let retryAfter):
            var headers: HTTPFields = [.cacheControl: "no-store", .known("Pragma"): "no-cache"]
            if let challenge { headers[.wwwAuthenticate] = challenge }
            if let retryAfter { headers.append(contentsOf: HTTPFields.retryAfter(retryAfter)) }
            return try .json(
                OAuthBody(
                    error: word.rawValue, error_description: message,
                    errorCode: isUnknownClient ? .invalidClientID : nil),
                status: HTTPResponse.Status(code: status), headers: headers)
        case .conflict:
            return try .json(
                RegistrationAnswer(
                    ErrorBody(errorCode: nil, errorMessage: "Something else of this client is under way."),
                    isVersioned: isRegistration),
                status: .conflict, headers: [.known(HeaderName.conflict): "try again"])
        case .failures(let failures):
            return try .json(
                RegistrationAnswer(
                    CheckResults<JSONValue>(failures: failures.mapValues { .object($0) }),
                    isVersioned: isRegistration),
                status: .forbidden)
        }
    }
}

/// A body of the registration's endpoints. SDKs of 2017 take an answer without a version, be it a refusal, for one of a server
/// that is too old for them, and tell the app so in place of what it says.
struct RegistrationAnswer<Body: Encodable>: Encodable {
    let body: Body
    let isVersioned: Bool

    init(_ body: Body, isVersioned: Bool = true) {
        self.body = body
        self.isVersioned = isVersioned
    }

    func encode(to encoder: any Encoder) throws {
        try body.encode(to: encoder)
        if isVersioned { try RegistrationResponse().encode(to: encoder) }
    }
}

extension ErrorCode {
    static let applicationDoesNotExist = ErrorCode(rawValue: "APPLICATION_DOES_NOT_EXIST")
}
