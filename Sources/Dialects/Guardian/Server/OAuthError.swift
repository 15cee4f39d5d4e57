import CountersignCore
import HTTPTypes
import Hummingbird
import ServerHTTP

/// What `/oauth/token` and `/mfa/…` answer (RFC 6749, section 5.2).
struct OAuthError: Error, Sendable {
    let status: Int
    let error: String
    let description: String
    var mfaToken: String?
    var mfaRequirements: MFARequirements?
    var retryAfter: Int?
    var standing: RateLimitStanding?

    init(_ status: Int, _ error: String, _ description: String, mfaToken: String? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.error = error
        self.description = description
        self.mfaToken = mfaToken
        self.retryAfter = retryAfter
    }

    static let unknownClient = OAuthError(401, "invalid_client", "There is no such client, or its secret is wrong.")
    static let unknownUser = OAuthError(400, "unknown_user_id", "login_hint names no user.")
    static let unsupportedGrant = OAuthError(400, "unsupported_grant_type", "This grant type is not supported.")
    static let unauthorizedGrant = OAuthError(
        400, "unauthorized_client", "The application may not use this grant type.")
    /// No token of this protocol is bound to a key.
    static let unboundGrant = OAuthError(
        400, "unauthorized_client", "The application's tokens have to be bound to a key, and this grant binds none.")
    static let wrongMFAToken = OAuthError(401, "invalid_grant", "The mfa_token is unknown.")
    static let pending = OAuthError(400, "authorization_pending", "The user has not answered yet.")
    static let slowDown = OAuthError(400, "slow_down", "You are polling too often.", retryAfter: 5)
    static let alreadyEnrolled = OAuthError(
        403, "access_denied", "User is already enrolled. Use one of the authenticators.")
    static let unknownAuthenticator = OAuthError(404, "invalid_request", "The user has no such authenticator.")
    /// It can no longer be answered: the time is over, the device was removed, or another request took its place.
    static let ended = OAuthError(403, "expired_token", "The request was not answered in time. Ask again.")
    static let denied = OAuthError(403, "access_denied", "The user rejected it on a device.")
    /// The vendor's own words.
    static let rejected = OAuthError(400, "invalid_grant", "MFA Authorization rejected.")
    static let wrongAccessToken = OAuthError(
        401, "invalid_token", "The access token is not one for this API, or not any more.")

    /// The application has no such API (the vendor's own words).
    static func unknownService(_ audience: String) -> OAuthError {
        OAuthError(403, "access_denied", "Service not found: \(audience)")
    }

    static func invalidRequest(_ description: String) -> OAuthError { OAuthError(400, "invalid_request", description) }

    static func mfaRequired(_ token: String, _ requirements: MFARequirements) -> OAuthError {
        var error = OAuthError(403, "mfa_required", "Multifactor authentication required", mfaToken: token)
        error.mfaRequirements = requirements
        return error
    }

    static func tooManyPushes(_ standing: RateLimitStanding) -> OAuthError {
        var error = OAuthError(
            429, "too_many_attempts", "Too many requests to the devices of this user. Wait a minute.", retryAfter: 60)
        error.standing = standing
        return error
    }

    /// Why an enrolment could not begin.
    init(_ refusal: Enrolments.EnrolmentRefusal) {
        if case .limitReached = refusal {
            self = .alreadyEnrolled
        } else {
            let error = GuardianError(refusal)
            self.init(error.status, "access_denied", error.message)
        }
    }

    /// Why no device was asked.
    init(asking refusal: Refusal) {
        switch refusal.reason {
        case .unknownFactor: self.init(403, "invalid_grant", "The user has no device that could be asked.")
        case .approvalRejected: self = .rejected
        default: self.init(refusal)
        }
    }

    /// Why a grant was not given.
    init(_ refusal: Refusal) {
        switch refusal.reason {
        case .wrongAnswer, .unknownUser, .userNotFound:
            self.init(403, "invalid_grant", "Wrong email or password.")
        case .lockedOut, .sourceLimited, .authenticatorDisabled, .flowExhausted:
            self.init(429, "too_many_attempts", "Too many wrong answers. Wait before trying again.")
        case .userDisabled: self.init(403, "unauthorized_client", "The account is disabled.")
        case .unknownFlow: self = .wrongMFAToken
        case .flowExpired: self.init(401, "expired_token", "The mfa_token has expired. Begin again.")
        case .flowFinished: self.init(401, "invalid_grant", "The mfa_token was used already.")
        case .approvalPending: self = .pending
        case .approvalRejected: self = .rejected
        case .secondFactorRequired:
            self.init(403, "access_denied", "Two factors are required of this user, and a device's answer is one.")
        case .factorNotOffered: self.init(403, "unsupported_challenge_type", "This factor is switched off.")
        case .unknownFactor: self.init(403, "invalid_grant", "The user has no such authenticator.")
        case .busy: self.init(503, "temporarily_unavailable", "There is too much to do.", retryAfter: 1)
        default: self.init(403, "invalid_grant", "The request was not taken.")
        }
    }

    /// Why a code was not taken.
    init(code refusal: Refusal) {
        switch refusal.reason {
        case .wrongAnswer, .replayed, .unknownFactor: self.init(403, "invalid_grant", "Invalid otp_code.")
        default: self.init(refusal)
        }
    }

    private struct Body: Encodable {
        let error: String
        let error_description: String
        let mfa_token: String?
        let mfa_requirements: MFARequirements?
    }

    func response() throws -> Response {
        var headers = standing?.headers ?? [:]
        // RFC 6750, section 3; RFC 9110, section 15.5.2.
        if ["invalid_token", "insufficient_scope"].contains(error) {
            headers[.wwwAuthenticate] = "Bearer error=\"\(error)\""
        } else if status == 401 {
            headers[.wwwAuthenticate] = error == "invalid_client" ? "Basic realm=\"countersign\"" : "Bearer"
        }
        if let retryAfter { headers.append(contentsOf: HTTPFields.retryAfter(retryAfter)) }
        return try .json(
            Body(
                error: error, error_description: description, mfa_token: mfaToken, mfa_requirements: mfaRequirements),
            status: HTTPResponse.Status(code: status), headers: headers)
    }
}
