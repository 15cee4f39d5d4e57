import CountersignCore
import SecurityChecks

/// A client of security checks as administrators see it: an installation of an application that registered itself. Its
/// id is not in it, because its holder may request challenges in its name; nor is the device's.
public struct ClientSummary: Codable, Sendable, Equatable {
    /// 64 hexadecimal digits, by which every operation finds it.
    public let client: String
    public let application: String
    public let clientPlatform: String
    public let version: String?
    /// What the device says that it is.
    public let platform: String
    public let hardware: String
    public let deviceName: String?
    /// `ACTIVE`, `LOST`, `STOLEN`, `EXPIRED` or `DISABLED`.
    public let status: String
    /// The id of the user who logged in last.
    public let user: String?
    public let createdAt: Timestamp
    /// When it last changed, or said that it is there.
    public let seenAt: Timestamp

    init(_ listed: ListedClient) {
        let registration = listed.registration
        client = listed.reference.text
        application = registration.application.id
        clientPlatform = registration.application.clientPlatform
        version = registration.application.version
        platform = registration.device.platform
        hardware = registration.device.hardware
        deviceName = registration.device.displayName
        status = registration.status.rawValue
        user = registration.context.registeredUser?.id
        createdAt = Timestamp(registration.createdAt)
        seenAt = Timestamp(registration.seenAt)
    }
}

extension AdministrationError {
    static func noClient(_ reference: String) -> AdministrationError {
        AdministrationError(.notFound, "There is no such client. `countersign client list` shows all of them.")
    }
}
