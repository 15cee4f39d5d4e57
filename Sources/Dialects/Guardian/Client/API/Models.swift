import Foundation
import GuardianWire

// What requests send and answers say (Guardian.swift, `Models.swift`). The wire's own types are inside; the
// original's have no public members, ours may be read.

/// What a device says of itself when it enrols.
public struct Device: Encodable, Sendable {
    private let wire: GuardianWire.EnrollRequest

    init(identifier: String, name: String, notificationToken: String, publicKey: PublicKeyJWK) {
        wire = GuardianWire.EnrollRequest(
            identifier: identifier, name: name,
            pushCredentials: PushCredentials(service: "APNS", token: notificationToken), publicKey: publicKey)
    }

    public func encode(to encoder: any Encoder) throws { try wire.encode(to: encoder) }
}

/// The answer to a device that has enrolled.
public struct Enrollment: Decodable, Sendable {
    private let wire: EnrollResponse

    /// The enrolment's id, by which the server names this device in requests: ``EnrolledDevice/id``.
    public var id: String { wire.id }
    /// The user who enrolled, as `auth0|…`. Tokens that the device signs itself name it.
    public var userId: String { wire.userID }
    /// What the device shows afterwards to change or remove itself.
    public var deviceToken: String { wire.token }
    /// The tenant's name, as the server is configured; for display.
    public var issuer: String { wire.issuer }
    /// The address by which the server calls itself.
    public var url: String? { wire.url }
    /// Nil where the server gives no codes.
    public let totp: OTPParameters?
    /// Shown to the user once, to be kept for the day without the device.
    public var recoveryCode: String? { wire.recoveryCode }

    public init(from decoder: any Decoder) throws {
        wire = try EnrollResponse(from: decoder)
        totp = try wire.totp.map { try OTPParameters($0) }
    }
}

/// A signed answer to a login request.
public struct Transaction: Encodable, Sendable {
    private let wire: ResolveTransactionRequest

    init(challengeResponse: String) { wire = ResolveTransactionRequest(challengeResponse: challengeResponse) }

    public func encode(to encoder: any Encoder) throws { try wire.encode(to: encoder) }
}

/// What a device changes about itself, and what the server then knows of it.
public struct UpdatedDevice: Codable, Sendable, Equatable {
    private let wire: DeviceAccount

    /// The enrolment's id; nil in what a device sends.
    public var id: String? { wire.id }
    /// What the device calls itself in what it signs; nil where it is not changed, or not known.
    public var localIdentifier: String? { wire.identifier }
    /// What its owner calls it; nil where it is not changed, or not known.
    public var name: String? { wire.name }
    /// The APNs token in hexadecimal digits; nil where it is not changed, or where the device has none and asks for
    /// itself.
    public var notificationToken: String? { wire.pushCredentials?.token }

    init(_ wire: DeviceAccount) { self.wire = wire }
    public init(from decoder: any Decoder) throws { wire = try DeviceAccount(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try wire.encode(to: encoder) }
}
