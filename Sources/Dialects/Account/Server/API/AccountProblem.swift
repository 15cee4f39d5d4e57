import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import OAuthHTTP
import ServerHTTP

/// Why an endpoint of `/account/v1` did not do what it was asked: `{"error":{"code":"…","message":"…"}}`, as `/admin/v1` has it.
struct AccountProblem: Error, Sendable {
    /// For programs. The words are stable.
    enum Code: String, Sendable, CaseIterable {
        case notFound = "not_found"
        case invalid
        case conflict
        case refused
        case lastWayIn = "last_way_in"
        case weakPassword = "weak_password"
        case limited
        case unauthorized
        /// The session has to be proven again; the header `WWW-Authenticate` says how.
        case proofTooOld = "proof_too_old"
        case forbidden
        case unavailable
        case outcomeUnknown = "outcome_unknown"
        case internalError = "internal_error"

        var status: HTTPResponse.Status {
            switch self {
            case .notFound: .notFound
            case .invalid, .refused, .weakPassword: .badRequest
            case .conflict, .lastWayIn: .conflict
            case .limited: .tooManyRequests
            case .unauthorized, .proofTooOld: .unauthorized
            case .forbidden: .forbidden
            case .unavailable, .outcomeUnknown: .serviceUnavailable
            case .internalError: .internalServerError
            }
        }
    }

    let code: Code
    let message: String
    var headers: HTTPFields = [:]

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    init(_ refusal: OwnAccount.Refusal, at now: Date) {
        switch refusal {
        case .revoked: self.init(.unauthorized, "The session has ended. Sign in again.")
        case .proofTooOld: self.init(.proofTooOld, "Sign in again, with all that the account asks for.")
        case .unknown: self.init(.notFound, "The account has no such thing.")
        case .lastWayIn: self.init(.lastWayIn, "It is the only way to sign in. Add another one first.")
        case .lastOwner: self.init(.conflict, "Nothing but this account owns the realm. Make another owner first.")
        case .notOffered: self.init(.refused, "The server or the account is not set up for it.")
        case .limitReached: self.init(.conflict, "The account has as many of these as it may have.")
        case .unverifiedEmail: self.init(.refused, "Confirm the e-mail address of the account first.")
        case .unsupportedFirstFactor: self.init(.refused, "A session of this kind cannot add it.")
        case .noAddress: self.init(.refused, "The account has no e-mail address.")
        case .wrongAddress: self.init(.invalid, "That is not the address of the account.")
        case .addressTaken: self.init(.conflict, "The address has another account.")
        case .invalid(let member): self.init(.invalid, Self.words(ofMember: member))
        case .weakPassword(let fault): self.init(.weakPassword, Self.words(fault))
        case .wrong(let refusal):
            switch refusal.reason {
            case .wrongAnswer, .replayed: self.init(.refused, "The answer is not right.")
            case .unknownFlow, .flowExpired, .flowFinished, .flowExhausted, .codeExpired:
                self.init(.notFound, "The attempt is unknown, expired or was finished. Begin again.")
            case .sourceLimited, .lockedOut:
                self.init(.limited(until: refusal.retryAt ?? now + 60), at: now)
            case .busy: self.init(.busy, at: now)
            default: self.init(.refused, "The answer is not taken: \(refusal.reason.rawValue).")
            }
        case .limited(let until):
            self.init(.limited, "Too much was tried. Wait a while.")
            headers = .retryAfter(Int(until.timeIntervalSince(now).rounded(.up)))
        case .busy:
            self.init(.unavailable, "The account kept changing meanwhile. Try again.")
            headers = .retryAfter(1)
        }
    }

    /// What a member may be that has another value.
    private static func words(ofMember member: String) -> String {
        switch member {
        case "displayName": "displayName is one line of at most \(ProfileChange.longestName) characters."
        case "name": "name is one line of at most 64 characters."
        case "locale": "locale is a language such as en, de-AT or ja."
        case "picture":
            "picture is an https address of \(UserProfile.longestPictureAddress) bytes at most, where users may set one."
        case "address": "The account has this address already, and it is confirmed."
        case _ where member.hasPrefix("attributes."):
            "\(member) is none that the user may change, or has a value that it cannot have."
        default: "\(member) has a value that it cannot have."
        }
    }

    private static func words(_ fault: PasswordPolicy.Fault) -> String {
        switch fault {
        case .tooShort(let minimum): "The password needs at least \(minimum) characters."
        case .tooLong(let maximum): "The password may have \(maximum) characters."
        case .common: "The password is one of the most common ones."
        case .lacks: "The password lacks a kind of character that the server asks for."
        case .containsAddress: "The password is the address, or a part of it."
        case .recentlyUsed: "The account has the password, or had it lately."
        }
    }

    private struct Body: Encodable {
        struct Content: Encodable {
            let code: String
            let message: String
        }

        let error: Content
    }

    func response(status: HTTPResponse.Status? = nil) throws -> Response {
        try .json(
            Body(error: Body.Content(code: code.rawValue, message: message)), status: status ?? code.status,
            headers: headers)
    }

    /// A challenge to the token with this API's body.
    static func response(to challenge: TokenChallenge) throws -> Response {
        let code: Code =
            switch challenge.error {
            case "invalid_request": .invalid
            case "insufficient_scope": .forbidden
            case "insufficient_user_authentication": .proofTooOld
            default: .unauthorized
            }
        var problem = AccountProblem(
            code, challenge.description ?? "Send an access token with the scope \(AccountAPI.scope).")
        problem.headers = challenge.headers
        return try problem.response(status: challenge.status)
    }
}
