import CountersignCore
import Foundation
import HTTPTypes
import Hummingbird
import NativeAuthWire
import ServerHTTP

/// What this dialect answers when something is refused, or is not to be done here. The only place where its error words are
/// put together (Microsoft Learn, Native authentication API reference).
///
/// Clients read the body of status 400 alone, so that every refusal has that; 5xx are for our own failures, and are sent
/// again by clients.
struct NativeAuthError: Error, Sendable {
    private enum Form: Sendable {
        case refusal(ErrorBody, HTTPResponse.Status)
        /// Go to a browser.
        case redirect(String)
    }

    private let form: Form
    private var retryAfter: Int?

    private init(
        _ error: ErrorWord, _ number: ErrorNumber?, _ text: String, _ suberror: Suberror? = nil,
        status: HTTPResponse.Status = .badRequest, retryAfter: Int? = nil, _ more: (inout ErrorBody) -> Void = { _ in }
    ) {
        let described = number.map { "AADSTS\($0.rawValue): \(text)" } ?? text
        var body = ErrorBody(error: error, description: described, codes: number.map { [$0] } ?? [], suberror: suberror)
        more(&body)
        form = .refusal(body, status)
        self.retryAfter = retryAfter
    }

    private init(redirect reason: String) {
        form = .redirect(reason)
    }

    // MARK: Requests

    static func invalidParameter(_ name: String) -> Self {
        Self(.invalidRequest, .invalidParameter, "\(name) parameter is empty or not valid.")
    }
    static func malformed(_ what: String) -> Self {
        Self(.invalidRequest, .invalidParameter, "The request body is not a form that can be read: \(what).")
    }
    static let missingRedirect = Self(
        .unsupportedChallengeType, .missingRedirect, "challenge_type does not have redirect, which every client takes.")
    static let unknownClient = Self(
        .unauthorizedClient, ErrorNumber(rawValue: 700_016), "There is no application with this client_id.")
    static let confidentialClient = Self(
        .invalidClient, .confidentialClient,
        "The application has a client secret. Native authentication is for public clients: register one without secret."
    )
    static let disabled = Self(
        .invalidClient, nil,
        "Native authentication is off for this application: register its challenge types with `countersign app set`.",
        .nativeAuthAPIDisabled)
    static let unsupportedGrant = Self(
        .unsupportedGrantType, ErrorNumber(rawValue: 70_003), "grant_type is none that this endpoint takes.")
    static func unknownScope(_ scope: String) -> Self {
        Self(.invalidScope, ErrorNumber(rawValue: 70_011), "The scope \(scope) is not registered for this application.")
    }
    static func noConsent(_ scope: String) -> Self {
        Self(
            .invalidGrant, ErrorNumber(rawValue: 65_001),
            "The application may not have the scope \(scope). Send an interactive authorization request for this user and "
                + "resource.",
            Suberror(rawValue: "consent_required"))
    }
    static let noBrowser = Self(
        .invalidRequest, nil, "There is no browser sign-in here. The app asks for everything itself.")
    static func noEndpoint(_ status: HTTPResponse.Status) -> Self {
        Self(.invalidRequest, nil, "There is no such endpoint, or not for this method.", status: status)
    }

    // MARK: Internal errors

    static let internalError = Self(
        .serverError, nil, "Something went wrong inside the server.", status: .internalServerError)
    static func overloaded(retryAfter: Int) -> Self {
        Self(
            .serverError, nil, "There is too much to do. Send the request again.", status: .serviceUnavailable,
            retryAfter: retryAfter)
    }

    // MARK: Custom extensions

    /// Our choice of number: the vendor's document says that the app gets a generic error.
    static let extensionFailed = Self(
        .invalidRequest, ErrorNumber(rawValue: 1_100_001), "The request could not be completed. Try again later.")
    static let extensionsBusy = Self(
        .invalidRequest, ErrorNumber(rawValue: 90_055), "Too many requests. Wait before trying again.", retryAfter: 1)
    static func blocked(_ text: String) -> Self {
        Self(.accessDenied, nil, text.isEmpty ? "The sign-up is not allowed." : text)
    }

    // MARK: What comes next

    static func beyond(_ method: FirstMethod) -> Self {
        let type = method == .password ? ChallengeType.password : .oob
        return Self(redirect: "Client is missing \(type.rawValue) challenge type")
    }
    static func lacking(_ capability: Capability) -> Self {
        Self(redirect: "Client is missing \(capability.rawValue) capability")
    }
    static func secondFactorRequired(_ continuation: String) -> Self {
        Self(.invalidGrant, .mfaRequired, "You must use a second factor to sign in.", .mfaRequired) {
            $0.continuationToken = continuation
        }
    }
    static func registrationRequired(_ continuation: String) -> Self {
        Self(
            .invalidGrant, ErrorNumber(rawValue: 50_072), "You must register a second factor to sign in.",
            .registrationRequired
        ) { $0.continuationToken = continuation }
    }
    static func credentialRequired(_ continuation: String) -> Self {
        Self(.credentialRequired, .credentialRequired, "Credential required.") { $0.continuationToken = continuation }
    }
    static func attributesRequired(_ attributes: [RequiredAttribute], _ continuation: String) -> Self {
        Self(.attributesRequired, .attributesRequired, "User attributes required.") {
            $0.continuationToken = continuation
            $0.requiredAttributes = attributes
        }
    }
    static func invalidAttributes(
        _ names: [String], _ text: String = "An attribute is not of its type, or not in its form."
    ) -> Self {
        Self(.invalidGrant, ErrorNumber(rawValue: 55_105), text, .attributeValidationFailed) {
            $0.invalidAttributes = names.map(AttributeName.init)
        }
    }
    static let verificationRequired = Self(
        .verificationRequired, nil, "The address has to be verified first."
    ) { $0.unverifiedAttributes = [AttributeName("email")] }
    /// The request was not answered in time; the attempt goes on, so that the client stays where it can ask again.
    static let unanswered = Self(
        .invalidGrant, .wrongCode, "The request was not answered on the device in time. Ask again.", .invalidOOBValue)
    static let slowDown = Self(
        .slowDown, nil, "The request has not been answered on the device yet. You are asking too often.", retryAfter: 5)
    static let pending = Self(.authorizationPending, nil, "The request has not been answered on the device yet.")

    // MARK: Refusals

    static let invalidContact = Self(
        .invalidRequest, .invalidVerificationContact, "The verification contact cannot be used.")

    static func password(_ suberror: Suberror) -> Self {
        let text =
            switch suberror {
            case .passwordTooShort: "New password is too short."
            case .passwordTooLong: "New password is too long."
            case .passwordBanned: "New password is one of the most common ones."
            case .passwordIsInvalid: "New password has characters that are not allowed."
            case .passwordRecentlyUsed: "New password is the account's, or was it lately."
            default: "New password is too weak."
            }
        return Self(.invalidGrant, .weakPassword, text, suberror)
    }

    /// What was judged, where the words differ.
    enum Judged: Sendable {
        case password, code, handle
    }

    /// Why an answer was not taken, or a flow does not go on.
    /// - Parameters:
    ///   - judged: what the answer was, where it was one.
    ///   - hasGrants: whether the endpoint has `invalid_grant` for a continuation token that is none.
    init(_ refusal: Refusal, _ judged: Judged = .handle, hasGrants: Bool = true) {
        switch (refusal.reason, judged) {
        case (.wrongAnswer, .password):
            self.init(
                .invalidGrant, .wrongPassword, "Error validating credentials due to invalid username or password.")
        case (.wrongAnswer, .code), (.replayed, _):
            self.init(.invalidGrant, .wrongCode, "The code is wrong, or was used before.", .invalidOOBValue)
        case (.codeExpired, _):
            self.init(.invalidGrant, .wrongCode, "The code has expired. Ask for another.", .invalidOOBValue)
        case (.authenticatorDisabled, .code):
            self.init(
                .invalidGrant, .wrongCode, "Too many wrong codes: this one counts no more. Ask for another.",
                .invalidOOBValue)
        case (.lockedOut, _), (.authenticatorDisabled, _):
            self.init(
                .invalidGrant, ErrorNumber(rawValue: 50_053),
                "Too many wrong answers. The sign-in is blocked for a while; wait before trying again.")
        case (.sourceLimited, _):
            self.init(
                .invalidRequest, ErrorNumber(rawValue: 90_055), "Too many requests. Wait before trying again.")
        case (.unknownUser, _):
            self.init(.userNotFound, .userNotFound, "The user account does not exist.")
        case (.userDisabled, _):
            self.init(.invalidGrant, ErrorNumber(rawValue: 50_057), "The user account is disabled.")
        case (.flowExpired, _):
            self.init(.expiredToken, .expiredToken, "The continuation token has expired. Begin again.")
        case (.flowExhausted, _):
            self.init(.expiredToken, .expiredToken, "Too many wrong answers: this attempt is over. Begin again.")
        case (.addressTaken, _):
            self.init(.userAlreadyExists, .userAlreadyExists, "There is an account with this address.")
        case (.noPassword, _):
            self.init(
                .invalidRequest, .noPassword, "The tenant or user does not support native credential recovery.")
        case (.unsuitableContact, _): self = .invalidContact
        case (.signUpClosed, _):
            self.init(.unauthorizedClient, nil, "Users cannot create their own accounts here.")
        case (.weakPassword, _): self = .password(refusal.passwordFault?.suberror ?? .passwordTooWeak)
        case (.approvalPending, _): self = .pending
        case (.approvalRejected, _): self.init(.accessDenied, nil, "A device rejected the sign-in.")
        case (.factorLimitReached, _): self.init(.invalidRequest, nil, "There is no room for another method.")
        case (.unknownFactor, _), (.factorNotOffered, _): self = .invalidParameter("id")
        case (.busy, _): self = .overloaded(retryAfter: 1)
        default:
            self.init(
                hasGrants ? .invalidGrant : .invalidRequest, .invalidContinuationToken,
                "The continuation token is unknown, was used up, or is of another step.")
        }
    }

    /// Why no code went to a contact.
    init(contact refusal: Refusal, hasGrants: Bool) {
        guard refusal.reason == .sourceLimited else {
            self.init(refusal, hasGrants: hasGrants)
            return
        }
        self.init(
            .accessDenied, .userBlocked, "Too many codes or requests went to this contact. Wait, or use another.",
            .providerBlockedByReputation)
    }

    /// The same with the seconds to wait.
    func waiting(until instant: Date?, now: Date) -> Self {
        var error = self
        error.retryAfter = instant.map { max(1, Int($0.timeIntervalSince(now).rounded(.up))) } ?? retryAfter
        return error
    }

    /// Why a refresh token was not traded.
    init(_ refusal: Sessions.RefreshRefusal) {
        switch refusal {
        case .unknownToken:
            self.init(.invalidGrant, ErrorNumber(rawValue: 70_000), "The refresh token was not issued by this server.")
        case .userDisabled:
            self.init(.invalidGrant, ErrorNumber(rawValue: 50_057), "The user account is disabled.")
        case .secondFactorRequired:
            self.init(
                .invalidGrant, .mfaRequired, "The session has no second factor. Sign in again with one.", .mfaRequired)
        case .reused, .ended, .userNotFound:
            self.init(.invalidGrant, ErrorNumber(rawValue: 700_082), "The refresh token has expired or was revoked.")
        }
    }

    // MARK: The answer

    func response(_ correlation: Correlation, at now: Date) throws -> Response {
        var headers = correlation.headers
        if let retryAfter { headers.append(contentsOf: HTTPFields.retryAfter(retryAfter)) }
        switch form {
        case .redirect(let reason):
            return try .json(
                RedirectResponse(challengeType: .redirect, redirectReason: reason), headers: headers)
        case .refusal(var body, let status):
            let timestamp = now.formatted(.iso8601).replacingOccurrences(of: "T", with: " ")
            body.timestamp = timestamp
            body.traceID = correlation.own
            body.correlationID = correlation.id
            body.description =
                (body.description ?? "")
                + "\r\nTrace ID: \(correlation.own)\r\nCorrelation ID: \(correlation.id)\r\nTimestamp: \(timestamp)"
            return try .json(body, status: status, headers: headers)
        }
    }
}

extension PasswordPolicy.Fault {
    fileprivate var suberror: Suberror {
        switch self {
        case .tooShort: .passwordTooShort
        case .tooLong: .passwordTooLong
        case .common: .passwordBanned
        case .containsAddress, .lacks: .passwordTooWeak
        case .recentlyUsed: .passwordRecentlyUsed
        }
    }
}
