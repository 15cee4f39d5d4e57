import CountersignCore
import Crypto
import Foundation

/// Names a client: one installation of an application on one device. A requester that knows it may ask for challenges in its
/// name, so it is as secret as a token: 122 random bits, kept as a digest, never logged.
public struct RegisteredClientID: StringName, CustomReflectable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = PlainText.key(rawValue)
    }

    /// A random UUID.
    init(random: any RandomSource) {
        rawValue = random.uuid()
    }

    public var description: String { "<client>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A client as it registered itself, with the key that its statements are signed with from then on.
///
/// Sealed as JSON; every later member has a default.
public struct ClientRegistration: Sendable, Equatable, Codable {
    public struct Device: Sendable, Equatable, Codable {
        /// What the device calls itself; applications on one device share it.
        public var id: String
        public var platform: String
        public var hardware: String
        public var displayName: String?

        public init(id: String, platform: String, hardware: String, displayName: String? = nil) {
            self.id = id
            self.platform = platform
            self.hardware = hardware
            self.displayName = displayName
        }
    }

    public struct Application: Sendable, Equatable, Codable {
        public var id: String
        public var clientPlatform: String
        /// Nil for what has none (web).
        public var version: String?

        public init(id: String, clientPlatform: String, version: String?) {
            self.id = id
            self.clientPlatform = clientPlatform
            self.version = version
        }
    }

    /// Whether the device is served.
    public enum Status: String, Sendable, Codable, CaseIterable {
        case active = "ACTIVE"
        case lost = "LOST"
        case stolen = "STOLEN"
        case expired = "EXPIRED"
        case disabled = "DISABLED"
    }

    public internal(set) var id: RegisteredClientID
    public internal(set) var key: ClientKey
    public internal(set) var device: Device
    public internal(set) var application: Application
    public internal(set) var context: RegistrationContext
    public internal(set) var status: Status
    public internal(set) var createdAt: Date
    public internal(set) var seenAt: Date

    init(id: RegisteredClientID, key: ClientKey, device: Device, application: Application, at now: Date) {
        self.id = id
        self.key = key
        self.device = device
        self.application = application
        context = RegistrationContext()
        status = .active
        createdAt = now
        seenAt = now
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(RegisteredClientID.self, forKey: .id)
        key = try members.decode(ClientKey.self, forKey: .key)
        device = try members.decode(Device.self, forKey: .device)
        application = try members.decode(Application.self, forKey: .application)
        context = try members.decodeIfPresent(RegistrationContext.self, forKey: .context) ?? RegistrationContext()
        status = try members.decodeIfPresent(Status.self, forKey: .status) ?? .active
        createdAt = try members.decode(Date.self, forKey: .createdAt)
        seenAt = try members.decodeIfPresent(Date.self, forKey: .seenAt) ?? createdAt
    }

    /// Days without any request after which a client is forgotten, and has to register again.
    public static let lifetimeDays = 400
}

/// The keys of what is stored: digests that no two kinds share.
enum CheckRow {
    static func registration(_ id: RegisteredClientID) -> Data { digest("registration", id.rawValue) }
    static func refresh(_ family: String) -> Data { digest("refresh", family) }
    /// Codes that servers of an earlier version issued.
    static func code(_ code: String) -> Data { digest("code", code) }
    static func state(_ check: String, of owner: String) -> Data { digest("state", owner, check) }

    private static func digest(_ parts: String...) -> Data {
        // No part but the last can hold a zero byte.
        Data(SHA256.hash(data: Data("security-checks\0\(parts.joined(separator: "\0"))".utf8)))
    }
}
