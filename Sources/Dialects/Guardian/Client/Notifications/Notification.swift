import Foundation

/// A login request that a device is to answer (Guardian.swift, `Notification`). Foundation has a `Notification` too: say
/// `Guardian.Notification` in files that import it.
public protocol Notification: Sendable {
    /// The server, as a host or a URL.
    var domain: String { get }
    /// The enrolment that is asked: ``EnrolledDevice/id``.
    var enrollmentId: String { get }
    var transactionToken: String { get }
    /// The rich consent that the request is about, for ``consent(forDomain:telemetryInfo:)``.
    var transactionLinkingId: String? { get }
    var challenge: String { get }
    /// Where the login was begun.
    var source: (any Source)? { get }
    var location: (any Location)? { get }
    var startedAt: Date { get }
    /// How many digits the number has that the user must type to allow, where one is asked for. Ours; nil unless the type
    /// says otherwise.
    var numberLength: Int? { get }
}

extension Notification {
    public var numberLength: Int? { nil }
}

public protocol Source: Sendable {
    var os: (any OS)? { get }
    var browser: (any Browser)? { get }
}

public protocol Browser: Sendable {
    var name: String { get }
    var version: String? { get }
}

public protocol OS: Sendable {
    var name: String { get }
    var version: String? { get }
}

public protocol Location: Sendable {
    var name: String? { get }
    /// Degrees.
    var latitude: Double? { get }
    /// Degrees.
    var longitude: Double? { get }
}
