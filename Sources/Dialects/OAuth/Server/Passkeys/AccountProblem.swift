import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OAuthHTTP
import ServerHTTP

/// What the endpoints below `/me/` answer when they refuse (RFC 9457, as Auth0's My Account API writes it).
struct AccountProblem: Error, Sendable {
    let status: HTTPResponse.Status
    let title: String
    let detail: String
    var headers: HTTPFields = [:]
    /// The word of RFC 6749 or RFC 6750, for libraries that look for that; nil where there is none.
    var error: String?

    init(_ status: HTTPResponse.Status, _ title: String, _ detail: String, headers: HTTPFields = [:]) {
        self.status = status
        self.title = title
        self.detail = detail
        self.headers = headers
    }

    static func invalid(_ detail: String) -> AccountProblem {
        AccountProblem(.badRequest, "Validation Error", detail)
    }

    static let notFound = AccountProblem(.notFound, "Not Found", "There is no such authentication method.")
    static let off = AccountProblem(.notFound, "Not Found", "There is no such endpoint.")

    /// Why the token does not count, or does not open this.
    init(_ challenge: TokenChallenge) {
        self.init(
            challenge.status, challenge.status.reasonPhrase,
            challenge.description ?? "Send an access token in the Authorization header.", headers: challenge.headers)
        error = challenge.error ?? "unauthorized"
    }

    /// Why a request was refused before it was understood.
    init(_ failure: OAuthFailure) {
        self.init(failure.status, failure.status.reasonPhrase, failure.description, headers: failure.headers)
        error = failure.error
    }

    /// Why a session may not change the user's authentication methods.
    init(_ fault: OwnSession.Fault) {
        switch fault {
        case .revoked: self.init(.unauthorized, "Unauthorized", "The session has ended. Sign in again.")
        case .signInTooOld: self = .recentSignIn
        case .secondFactorMissing:
            self.init(.forbidden, "Forbidden", "Sign in with a second factor first.")
        }
    }

    private static let recentSignIn = AccountProblem(
        .forbidden, "Forbidden", "Sign in again, with all factors, and do it within five minutes.")

    /// Why an enrolment could not begin.
    init(_ refusal: Enrolments.EnrolmentRefusal, at now: Date) {
        switch refusal {
        case .notOffered: self = .off
        case .signInTooOld: self = .recentSignIn
        case .revoked, .userNotFound: self.init(OwnSession.Fault.revoked)
        case .limitReached: self.init(.conflict, "Conflict", "The account has as many passkeys as it may have.")
        case .unverifiedEmail, .noAddress:
            self.init(.forbidden, "Forbidden", "Confirm the e-mail address of the account first.")
        case .unsupportedFirstFactor:
            self.init(.forbidden, "Forbidden", "A session of this kind cannot add an authentication method.")
        case .limited(let until):
            self.init(
                .tooManyRequests, "Too Many Requests", "Too many enrolments were begun. Wait a while.",
                headers: .retryAfter(Int(until.timeIntervalSince(now).rounded(.up))))
        }
    }

    /// Why a response made no passkey. The user is signed in, and may know.
    init(_ refusal: Refusal, at now: Date) {
        switch refusal.reason {
        case .replayed: self.init(.conflict, "Conflict", "The passkey is registered already.")
        case .unsuitableAuthenticator:
            self = .invalid(
                "The authenticator does not make what is asked for: a passkey that it keeps, with its user verified.")
        case .factorLimitReached: self.init(Enrolments.EnrolmentRefusal.limitReached, at: now)
        case .sourceLimited, .lockedOut:
            self.init(Enrolments.EnrolmentRefusal.limited(until: refusal.retryAt ?? now + 1), at: now)
        case .unknownFlow, .flowExpired, .flowFinished, .flowExhausted:
            self.init(.notFound, "Not Found", "auth_session is unknown, expired, or was answered. Begin again.")
        case .userDisabled, .userNotFound: self.init(OwnSession.Fault.revoked)
        case .factorNotOffered: self = .off
        case .busy:
            self.init(
                .serviceUnavailable, "Service Unavailable", "There is too much to do.", headers: .retryAfter(1))
        default: self = .invalid("authn_response is not a response to this challenge.")
        }
    }

    private struct Body: Encodable {
        let type = "about:blank"
        let title: String
        let status: Int
        let detail: String
        let error: String?
        let error_description: String?
    }

    func response() throws -> Response {
        var headers = headers
        headers[.contentType] = "application/problem+json"
        return try .json(
            Body(
                title: title, status: status.code, detail: detail, error: error,
                error_description: error.map { _ in detail }), status: status, headers: headers)
    }
}
