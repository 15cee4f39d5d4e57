import Foundation

// The module's functions, under the names of the vendor's SDK (github.com/auth0/Guardian.swift).
//
// Every `domain` is a host (`tenant.eu.auth0.com`, `localhost:8443`) or an `http` or `https` URL. An empty one stands for
// what the environment variable `COUNTERSIGN_URL` names, which is also what a call without the argument means. One that is no
// address does not end the app, as it did with the original: the request fails with
// `a0.guardian.internal.invalid.base_url`. Plain http goes to this machine alone.

/// The device API of a server: enrol, answer, change and remove a device.
public func api(forDomain domain: String = "", telemetryInfo: Auth0TelemetryInfo? = nil) -> any API {
    APIClient(ServerAddress(domain: domain), telemetryInfo)
}

/// As ``api(forDomain:telemetryInfo:)``, for a URL.
public func api(url: URL, telemetryInfo: Auth0TelemetryInfo? = nil) -> any API {
    APIClient(ServerAddress(url: url), telemetryInfo)
}

/// Answers to login requests, signed by an enrolled device.
///
/// - Parameter device: the enrolled device whose `id` is the notification's `enrollmentId`: an ``EnrolledDevice``, or a type
///   of the app's own.
public func authentication(
    forDomain domain: String = "", device: any AuthenticationDevice, telemetryInfo: Auth0TelemetryInfo? = nil
) -> any Authentication {
    AuthenticationClient(APIClient(ServerAddress(domain: domain), telemetryInfo), device)
}

/// As ``authentication(forDomain:device:telemetryInfo:)``, for a URL.
public func authentication(
    url: URL, device: any AuthenticationDevice, telemetryInfo: Auth0TelemetryInfo? = nil
) -> any Authentication {
    AuthenticationClient(APIClient(ServerAddress(url: url), telemetryInfo), device)
}

/// Enrols this device with what a QR code says.
///
/// - Parameters:
///   - domain: where the app says nothing and neither does `COUNTERSIGN_URL`, the server that the code names counts.
///   - uri: `otpauth://totp/…?enrollment_tx_id=…`; anything else fails with
///     `a0.guardian.internal.invalid.enrollment_uri`, and nothing is sent.
///   - notificationToken: the APNs token in hexadecimal digits; empty for a device that asks for itself
///     (``DeviceAPI/notifications(policy:)``).
///   - signingKey: signs what this device will say; it never leaves the device.
///   - verificationKey: its public half, from ``SigningKey/verificationKey()``.
public func enroll(
    forDomain domain: String = "", usingUri uri: String, notificationToken: String, signingKey: any SigningKey,
    verificationKey: any VerificationKey, telemetryInfo: Auth0TelemetryInfo? = nil
) -> EnrollRequest {
    let ticket = EnrollmentTicket(uri: uri)
    return EnrollRequest(
        api: APIClient(ServerAddress(domain: domain, otherwise: ticket.server), telemetryInfo), ticket: ticket,
        notificationToken: notificationToken, signingKey: signingKey, verificationKey: verificationKey)
}

/// As ``enroll(forDomain:usingUri:notificationToken:signingKey:verificationKey:telemetryInfo:)``, for a URL.
public func enroll(
    url: URL, usingUri uri: String, notificationToken: String, signingKey: any SigningKey,
    verificationKey: any VerificationKey, telemetryInfo: Auth0TelemetryInfo? = nil
) -> EnrollRequest {
    EnrollRequest(
        api: APIClient(ServerAddress(url: url), telemetryInfo), ticket: EnrollmentTicket(uri: uri),
        notificationToken: notificationToken, signingKey: signingKey, verificationKey: verificationKey)
}

/// Enrols this device with the ticket of an invitation, or the `enrollment_tx_id` of a QR code.
public func enroll(
    forDomain domain: String = "", usingTicket ticket: String, notificationToken: String,
    signingKey: any SigningKey, verificationKey: any VerificationKey, telemetryInfo: Auth0TelemetryInfo? = nil
) -> EnrollRequest {
    EnrollRequest(
        api: APIClient(ServerAddress(domain: domain), telemetryInfo), ticket: EnrollmentTicket(ticket: ticket),
        notificationToken: notificationToken, signingKey: signingKey, verificationKey: verificationKey)
}

/// As ``enroll(forDomain:usingTicket:notificationToken:signingKey:verificationKey:telemetryInfo:)``, for a URL.
public func enroll(
    url: URL, usingTicket ticket: String, notificationToken: String, signingKey: any SigningKey,
    verificationKey: any VerificationKey, telemetryInfo: Auth0TelemetryInfo? = nil
) -> EnrollRequest {
    EnrollRequest(
        api: APIClient(ServerAddress(url: url), telemetryInfo), ticket: EnrollmentTicket(ticket: ticket),
        notificationToken: notificationToken, signingKey: signingKey, verificationKey: verificationKey)
}

/// The login request that a push carries.
///
/// - Parameter userInfo: APNs' dictionary.
/// - Returns: nil where it is no request of Guardian's, or lacks a member that it must have.
public func notification(from userInfo: [AnyHashable: Any]) -> (any Notification)? {
    AuthenticationNotification(userInfo: userInfo)
}

/// What a request with a ``Notification/transactionLinkingId`` is about: rich consents (Guardian.swift, `ConsentAPI`).
public func consent(forDomain domain: String = "", telemetryInfo: Auth0TelemetryInfo? = nil) -> any ConsentAPI {
    ConsentAPIClient(ServerAddress(domain: domain), telemetryInfo)
}

/// As ``consent(forDomain:telemetryInfo:)``, for a URL.
public func consent(consentUrl: URL, telemetryInfo: Auth0TelemetryInfo? = nil) -> any ConsentAPI {
    ConsentAPIClient(ServerAddress(url: consentUrl), telemetryInfo)
}

/// A generator of time-based codes (RFC 6238) from a secret as people type it.
///
/// - Parameters:
///   - base32Secret: case, white space and dashes do not matter.
///   - digits: 6 to 10.
///   - period: seconds, 1 or more.
/// - Throws: ``GuardianError``: `a0.guardian.internal.invalid.base32_secret`, or `….invalid.otp_parameters`.
public func totp(
    base32Secret: String, algorithm: HMACAlgorithm, digits: Int = 6, period: Int = 30
) throws -> any TOTP {
    try totp(
        parameters: OTPParameters(
            base32Secret: base32Secret, algorithm: algorithm, digits: digits, period: period))
}

/// A generator of the time-based codes (RFC 6238) of an enrolment, as ``EnrolledDevice`` has their parameters.
///
/// - Throws: as ``totp(base32Secret:algorithm:digits:period:)``.
public func totp(parameters: OTPParameters) throws -> any TOTP { try TimeBasedGenerator(parameters) }

/// A generator of counter-based codes (RFC 4226) from a secret as people type it. The caller keeps the counter, and stores it before
/// a code is shown.
///
/// - Throws: as ``totp(base32Secret:algorithm:digits:period:)``.
public func hotp(base32Secret: String, algorithm: HMACAlgorithm, digits: Int = 6) throws -> any HOTP {
    try hotp(parameters: OTPParameters(base32Secret: base32Secret, algorithm: algorithm, digits: digits))
}

/// A generator of counter-based codes (RFC 4226). The period is ignored.
///
/// - Throws: as ``totp(base32Secret:algorithm:digits:period:)``.
public func hotp(parameters: OTPParameters) throws -> any HOTP { try CounterBasedGenerator(parameters) }
