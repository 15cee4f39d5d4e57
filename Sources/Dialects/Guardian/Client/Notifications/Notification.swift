import Foundation

/// A login request that a device is to answer (Guardian.swift, `Notification`). Foundation has a `Notification` too: say
/// `Guardian.Notification` in files that import it.
public protocol Notification: Sendable {
    /// The server, as a host or a URL.
    var domain: String { get }
    /// The enrolment that is asked: ``EnrolledDevice/id``.
    var enrollmentId: String { get }
    /// The secret with which the device answers this one request: the bearer of
    /// ``API/resolve(transaction:withChallengeResponse:)``.
    var transactionToken: String { get }
    /// The rich consent that the request is about, for ``consent(forDomain:telemetryInfo:)``.
    var transactionLinkingId: String? { get }
    /// What the device signs to answer: the `sub` of its response.
    var challenge: String { get }
    /// Where the login was begun.
    var source: (any Source)? { get }
    /// Where the login was begun, as far as the server knows; nil where it does not.
    var location: (any Location)? { get }
    /// When the login was begun, to the millisecond. The server drops a request after five minutes.
    var startedAt: Date { get }
    /// How many digits the number has that the user must type to allow, where one is asked for. Ours; nil unless the type
    /// says otherwise.
    var numberLength: Int? { get }
}

extension Notification {
    public var numberLength: Int? { nil }
}

/// The browser and system that a login was begun with, as they said it themselves (Guardian.swift, `Source`).
public protocol Source: Sendable {
    /// The operating system; nil where the server does not know it.
    var os: (any OS)? { get }
    /// The browser; nil where the server does not know it.
    var browser: (any Browser)? { get }
}

/// A browser, read from what it said of itself (Guardian.swift, `Browser`): a hint for the user, no proof.
public protocol Browser: Sendable {
    /// Its name, such as `Safari`.
    var name: String { get }
    /// Its version, such as `9.0.3`; nil where it did not say.
    var version: String? { get }
}

/// An operating system, read from what the browser said of itself (Guardian.swift, `OS`): a hint for the user, no
/// proof.
public protocol OS: Sendable {
    /// Its name, such as `Mac OS`.
    var name: String { get }
    /// Its version, such as `10.11.3`; nil where it did not say.
    var version: String? { get }
}

/// Where a login was begun (Guardian.swift, `Location`).
public protocol Location: Sendable {
    /// A text for the user. This server writes the network address that the login comes from; the vendor's, a place.
    var name: String? { get }
    /// Degrees.
    var latitude: Double? { get }
    /// Degrees.
    var longitude: Double? { get }
}
