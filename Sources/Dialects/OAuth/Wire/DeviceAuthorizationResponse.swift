/// What a device is answered that asks for a user (RFC 8628, section 3.2).
public struct DeviceAuthorizationResponse: Codable, Sendable, Equatable {
    public var deviceCode: String
    public var userCode: String
    public var verificationURI: String
    public var verificationURIComplete: String
    /// Seconds.
    public var expiresIn: Int
    /// Seconds between two questions.
    public var interval: Int

    public init(
        deviceCode: String, userCode: String, verificationURI: String, verificationURIComplete: String, expiresIn: Int,
        interval: Int
    ) {
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.verificationURIComplete = verificationURIComplete
        self.expiresIn = expiresIn
        self.interval = interval
    }

    private enum CodingKeys: String, CodingKey {
        case deviceCode = "device_code"
        case userCode = "user_code"
        case verificationURI = "verification_uri"
        case verificationURIComplete = "verification_uri_complete"
        case expiresIn = "expires_in"
        case interval
    }
}
