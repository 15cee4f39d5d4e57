/// What a client says of itself, signed with its own key: the payload of ``RegistrationRequest``. Source: MobileFirst
/// Runtime REST API.
public struct RegistrationData<Document: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    public var device: DeviceData?
    public var application: ApplicationData?
    /// Such as `sdk_protocol_version`: 1.
    public var attributes: [String: Document]?

    public init(device: DeviceData?, application: ApplicationData?, attributes: [String: Document]? = nil) {
        self.device = device
        self.application = application
        self.attributes = attributes
    }
}

/// The device that an app runs on.
public struct DeviceData: Codable, Sendable, Equatable {
    public var id: String?
    /// Such as `ios 13.5`; of web clients the whole user agent.
    public var platform: String?
    public var hardware: String?
    /// What its owner calls it.
    public var deviceDisplayName: String?
    /// Only in answers: see ``DeviceStatus``.
    public var status: DeviceStatus?

    public init(
        id: String?, platform: String?, hardware: String?, deviceDisplayName: String? = nil,
        status: DeviceStatus? = nil
    ) {
        self.id = id
        self.platform = platform
        self.hardware = hardware
        self.deviceDisplayName = deviceDisplayName
        self.status = status
    }
}

/// What an administrator made of a device. Only an active one is granted anything. The list is open. Source: MobileFirst
/// Foundation, Authentication and security.
public struct DeviceStatus: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let active = DeviceStatus(rawValue: "ACTIVE")
    public static let lost = DeviceStatus(rawValue: "LOST")
    public static let stolen = DeviceStatus(rawValue: "STOLEN")
    public static let expired = DeviceStatus(rawValue: "EXPIRED")
    public static let disabled = DeviceStatus(rawValue: "DISABLED")
}

/// The app, by what its descriptor has as key.
public struct ApplicationData: Codable, Sendable, Hashable {
    /// Such as a bundle's id.
    public var id: String?
    /// Such as `ios`, `android`, `web`.
    public var clientPlatform: String?
    /// Web clients have none.
    public var version: String?

    public init(id: String?, clientPlatform: String?, version: String?) {
        self.id = id
        self.clientPlatform = clientPlatform
        self.version = version
    }
}

/// `POST registration/v1/self` and `PUT registration/v1/self/{clientId}`. Source: MobileFirst Runtime REST API.
public struct RegistrationRequest<Document: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    /// The parts of a JWS with ``RegistrationData`` inside.
    public var signedRegistrationData: JWSParts?
    /// What the challenges of an earlier answer were answered with, by the checks' names.
    public var challengeResponse: [String: Document]?

    public init(signedRegistrationData: JWSParts?, challengeResponse: [String: Document]? = nil) {
        self.signedRegistrationData = signedRegistrationData
        self.challengeResponse = challengeResponse
    }
}

/// The body beside 201 and the client's `Location`. Source: MobileFirst Runtime REST API.
public struct RegistrationResponse: Codable, Sendable, Equatable {
    /// Web clients refuse a server that does not name a version from `8.0.2017020513` on.
    public var serverVersion: String?

    public init(serverVersion: String? = Self.ownVersion) { self.serverVersion = serverVersion }

    public static let ownVersion = "8.0.2020032408"

    private enum CodingKeys: String, CodingKey {
        case serverVersion = "server_version"
    }
}
