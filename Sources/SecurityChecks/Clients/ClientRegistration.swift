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
    /// What a client says of the device that it is installed on. None of it is verified.
    public struct Device: Sendable, Equatable, Codable {
        /// What the device calls itself; applications on one device share it.
        public var id: String
        /// The operating system and its version in the client's own words, for people.
        public var platform: String
        /// The model of the device in the client's own words, for people.
        public var hardware: String
        /// A name that the device's user may have given it; nil where there is none.
        public var displayName: String?

        /// Describes a device. Lengths are the dialect's to limit.
        public init(id: String, platform: String, hardware: String, displayName: String? = nil) {
            self.id = id
            self.platform = platform
            self.hardware = hardware
            self.displayName = displayName
        }
    }

    /// The application that a client is an installation of, as the client states it.
    public struct Application: Sendable, Equatable, Codable {
        /// The application's id: the `client_id` that it is registered with at this server.
        public var id: String
        /// The platform of the installation, such as `ios` or `android`. With ``version`` it selects the
        /// ``ApplicationVersion``.
        public var clientPlatform: String
        /// Nil for what has none (web).
        public var version: String?

        /// Describes an application. Whether the server knows it is found out when the client registers.
        public init(id: String, clientPlatform: String, version: String?) {
            self.id = id
            self.clientPlatform = clientPlatform
            self.version = version
        }
    }

    /// Whether the device is served.
    public enum Status: String, Sendable, Codable, CaseIterable {
        /// It is served. Every other status refuses the client's requests.
        case active = "ACTIVE"
        /// Its owner has lost it.
        case lost = "LOST"
        /// It was stolen. Like the other statuses this one is an administrator's word; all but ``active`` have the same
        /// effect.
        case stolen = "STOLEN"
        /// An administrator considers its time of use over. The server gives no client this status by itself.
        case expired = "EXPIRED"
        /// An administrator has put it away.
        case disabled = "DISABLED"
    }

    /// The client's id, which the server draws when the client registers.
    public internal(set) var id: RegisteredClientID
    /// The key that the client registered with. Every later statement is verified by it.
    public internal(set) var key: ClientKey
    /// The device, as the client described it last.
    public internal(set) var device: Device
    /// The application, as the client stated it last: an update of the installation changes the version.
    public internal(set) var application: Application
    /// The attributes and the user that checks keep with the client, beyond the life of their states.
    public internal(set) var context: RegistrationContext
    /// Whether the device is served. Administrators set it.
    public internal(set) var status: Status
    /// When the client registered.
    public internal(set) var createdAt: Date
    /// When the registration was last written. The client is forgotten ``lifetimeDays`` after that.
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
        SHA256.digest(of: "security-checks\0\(parts.joined(separator: "\0"))")
    }
}
