import CountersignCore
import Foundation
import GuardianWire
import HTTPTypes
import Hummingbird
import ServerHTTP

/// What this dialect answers when something is refused. The only place where its error words are put together
/// (Auth0, "Guardian Error Code Reference").
struct GuardianError: Error, Sendable {
    let status: Int
    let code: String
    let message: String
    var standing: RateLimitStanding?
    var retryAfter: Int?
    /// When it is worth trying again; sent as `X-RateLimit-Reset`, which SDKs read.
    var retryAt: Date?
    /// The challenge of 401 (RFC 9110, section 15.5.2): of `Bearer`, or of a scheme that devices have. No SDK of the vendor looks at it.
    var challenge: String

    init(
        _ status: Int, _ code: String, _ message: String, standing: RateLimitStanding? = nil, retryAfter: Int? = nil,
        retryAt: Date? = nil, challenge: String = "Bearer"
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.standing = standing
        self.retryAfter = retryAfter
        self.retryAt = retryAt
        self.challenge = challenge
    }

    // MARK: The device API

    static let missingTicket = GuardianError(
        401, "invalid_token", "Send Authorization: Ticket id=\"…\" with the ticket.", challenge: "Ticket")
    static let missingBearer = GuardianError(401, "invalid_bearer_format", "Send Authorization: Bearer with the token.")
    static let unknownTicket = GuardianError(
        404, "enrollment_transaction_not_found", "There is no such enrolment, or its ticket was used already.")
    static let expiredTicket = GuardianError(
        401, "invalid_token", "The ticket has expired. Ask for another.", challenge: "Ticket")
    static let unknownEnrollment = GuardianError(404, "enrollment_not_found", "There is no such device account.")
    static let wrongDeviceToken = GuardianError(401, "invalid_token", "The token is not this device's.")
    static let unknownTransaction = GuardianError(404, "invalid_token", "There is no request with this token.")
    static let transactionGone = GuardianError(
        404, "login_transaction_not_found", "The request was answered already, or replaced by another.")
    static let expiredTransaction = GuardianError(401, "transaction_expired", "The request has expired.")
    static let featureDisabled = GuardianError(403, "feature_disabled", "This factor is switched off.")
    static let conflict = GuardianError(409, "enrollment_conflict", "This account has no room for another device.")
    static let missingProof = GuardianError(
        401, "invalid_token", "Send Authorization: MFA-DPoP with the request's token, and the proof in MFA-DPoP.",
        challenge: "MFA-DPoP")
    static let endedRequest = GuardianError(
        401, "invalid_token", "There is no request with this token, or it is over.", challenge: "MFA-DPoP")
    static let wrongProof = GuardianError(
        403, "invalid_dpop_assertion", "The proof is not of this device's key, not about this call, or was used before."
    )
    static let unknownConsent = GuardianError(404, "consent_not_found", "The request is not about this consent.")
    static let userNotFound = GuardianError(404, "inexistent_user", "There is no such user.")
    static let unauthorized = GuardianError(
        401, "invalid_token",
        "The administrator's token is missing or wrong. Send Authorization: Bearer with what is in "
            + "the file admin-token of the data directory.")
    /// The same where there was a token (RFC 6750, section 3.1).
    static let wrongAdministratorToken: GuardianError = {
        var error = unauthorized
        error.challenge = #"Bearer error="invalid_token""#
        return error
    }()
    static let noPKCS12 = GuardianError(
        400, "invalid_body", "Certificates (p12) are not taken. Send p8, Apple's key file, with key_id and team_id.")
    static let noSNS = GuardianError(
        400, "feature_disabled", "Amazon SNS is not here. Use direct, with the apns provider, or guardian.")
    static let noFCM = GuardianError(
        400, "feature_disabled", "Firebase Cloud Messaging is not here. Android devices use the long poll for now.")
    static let notFound = GuardianError(404, "not_found", "There is no such endpoint.")
    static let internalError = GuardianError(500, "internal_error", "Something went wrong inside the server.")

    static func overloaded(retryAfter: Int) -> GuardianError {
        GuardianError(
            503, "service_unavailable", "The server is overloaded. Try again in a moment.", retryAfter: retryAfter)
    }

    static func invalidQuery(_ message: String) -> GuardianError { GuardianError(400, "invalid_query_string", message) }

    static func invalidBody(_ message: String) -> GuardianError { GuardianError(400, "invalid_body", message) }

    static func tooManyPushes(_ standing: RateLimitStanding) -> GuardianError {
        GuardianError(
            429, "too_many_pn", "Too many requests to the devices of this user. Wait a minute.", standing: standing)
    }

    /// Why a user was not made or changed.
    init(account refusal: AccountRefusal) {
        switch refusal {
        case .addressTaken, .idTaken: self.init(409, "auth0_idp_error", "The user already exists.")
        case .phoneNumberTaken: self.init(409, "auth0_idp_error", "Another user has this phone_number.")
        case .weakPassword: self.init(400, "invalid_body", "PasswordStrengthError: Password is too weak")
        case .userNotFound: self = .userNotFound
        case .lastOwner:
            self.init(400, "operation_not_supported", "The user is the last owner. Give another user the role first.")
        default: self = .invalidBody("The user cannot be made with these values.")
        }
    }

    /// Why an enrolment could not begin.
    init(_ refusal: Enrolments.EnrolmentRefusal) {
        switch refusal {
        case .userNotFound: self = .userNotFound
        case .notOffered: self = .featureDisabled
        case .limitReached: self = .conflict
        case .noAddress: self = .invalidBody("The user has no address: say in email where to send the invitation.")
        case .unverifiedEmail:
            self.init(
                403, "enrollment_method_disabled", "The address has to be verified before a device can be enrolled.")
        case .unsupportedFirstFactor, .signInTooOld, .revoked:
            self.init(401, "invalid_token", "Sign in again before enrolling a device.")
        case .limited: self.init(429, "too_many_requests", "Too many enrollments were begun for this user.")
        }
    }

    /// Why a ticket was not taken.
    init(ticket reason: Refusal.Reason) {
        switch reason {
        case .flowExpired: self = .expiredTicket
        case .factorLimitReached: self = .conflict
        case .factorNotOffered: self = .featureDisabled
        case .userDisabled: self.init(403, "invalid_token", "The account is disabled.")
        case .busy: self = .overloaded(retryAfter: 1)
        case .sourceLimited: self.init(429, "too_many_requests", "Too many requests from this address.")
        default: self = .unknownTicket
        }
    }

    /// Why a device's answer was not taken. Each wrong variant says what is wrong with it: the holder of the request's
    /// token is the device, or a client that cannot sign for it.
    init(answer refusal: Refusal) {
        func challenge(_ what: String) -> GuardianError { GuardianError(401, "invalid_challenge", what) }
        switch refusal.reason {
        case .unknownFlow: self = .unknownTransaction
        case .flowFinished: self = .transactionGone
        case .flowExpired: self = .expiredTransaction
        case .flowExhausted: self.init(429, "too_many_requests", "This request takes no more answers.")
        case .unknownFactor, .userNotFound: self = .unknownEnrollment
        case .userDisabled: self.init(403, "invalid_token", "The account is disabled.")
        case .factorNotOffered: self = .featureDisabled
        case .wrongSignature: self = challenge("The answer is not signed by this device's key.")
        case .wrongAlgorithm: self = challenge("The answer is signed with another algorithm than its key's.")
        case .wrongChallenge: self = challenge("The answer is to another challenge.")
        case .wrongAudience: self = challenge("The answer was made for another server: check the address in the app.")
        case .answerExpired: self = challenge("The answer has expired, or its time is wrong: check the device's clock.")
        case .wrongNumber: self = challenge("The number is not the one on the screen.")
        case .malformedCredential: self = .invalidBody("challenge_response is not a signed answer to a push request.")
        case .busy: self = .overloaded(retryAfter: 1)
        case .sourceLimited: self.init(429, "too_many_requests", "Too many wrong answers from this address.")
        default: self.init(401, "invalid_token", "The answer was not taken.")
        }
    }

    /// Why a code or a recovery code was not taken.
    init(code refusal: Refusal, isRecovery: Bool = false) {
        switch refusal.reason {
        case .wrongAnswer, .replayed, .unknownFactor:
            self =
                isRecovery
                ? GuardianError(403, "invalid_recovery_code", "The recovery code is wrong.")
                : GuardianError(403, "invalid_otp", "The code is wrong, or was used already.")
        case .lockedOut, .authenticatorDisabled, .flowExhausted, .sourceLimited:
            self.init(
                429, "too_many_attempts", "Too many wrong codes. Wait before trying again.", retryAt: refusal.retryAt)
        default: self.init(browser: refusal)
        }
    }

    /// Why the browser cannot go on.
    init(browser refusal: Refusal) {
        switch refusal.reason {
        case .flowExpired: self.init(401, "transaction_expired", "The sign-in has expired. Begin again.")
        case .flowFinished, .unknownFlow: self.init(401, "invalid_token", "There is no such sign-in, or it has ended.")
        case .approvalRejected: self.init(403, "login_rejected", "A device rejected this sign-in.")
        case .unknownFactor: self.init(400, "not_enrolled", "The user has no device that could be asked.")
        case .factorNotOffered: self = .featureDisabled
        case .userDisabled: self.init(403, "invalid_token", "The account is disabled.")
        case .sourceLimited: self.init(429, "too_many_requests", "Too many requests. Wait a while.")
        case .busy: self = .overloaded(retryAfter: 1)
        default: self.init(401, "invalid_token", "The request was not taken.")
        }
    }

    /// Those that have words for `error`.
    private static let statuses: [HTTPResponse.Status] = [
        .badRequest, .unauthorized, .forbidden, .notFound, .methodNotAllowed, .conflict, .contentTooLarge,
        .unsupportedMediaType, .tooManyRequests, .internalServerError, .serviceUnavailable,
    ]

    func response() throws -> Response {
        let known = Self.statuses.first { $0.code == status }
        var headers: HTTPFields = [:]
        if let standing { headers.append(contentsOf: standing.headers) }
        if let retryAt { headers[RateLimitStanding.resetHeader] = RateLimitStanding.text(of: retryAt) }
        if let retryAfter { headers.append(contentsOf: HTTPFields.retryAfter(retryAfter)) }
        if status == HTTPResponse.Status.unauthorized.code { headers[.wwwAuthenticate] = challenge }
        return try .json(
            GuardianErrorBody(
                statusCode: status, errorCode: code, error: known?.reasonPhrase ?? code, message: message),
            status: known ?? HTTPResponse.Status(code: status), headers: headers)
    }
}

extension RateLimitStanding {
    /// `X-RateLimit-Reset` in whole seconds since 1970, as the vendor's SDKs read it.
    var headers: HTTPFields {
        [
            .known("X-RateLimit-Limit"): String(limit),
            .known("X-RateLimit-Remaining"): String(remaining),
            Self.resetHeader: Self.text(of: resetAt),
        ]
    }

    static let resetHeader = HTTPField.Name.known("X-RateLimit-Reset")

    static func text(of instant: Date) -> String { String(Int64(instant.timeIntervalSince1970.rounded(.up))) }
}
