/// How devices learn that a request waits for them. The key that opens the push service is kept apart, sealed
/// (``PushProviders``).
public struct PushSettings: Sendable, Equatable, Codable {
    /// What is stored and set is the name that the Management API has (`/guardian/factors/push-notification/…`).
    public enum Provider: String, Sendable, Codable, CaseIterable {
        /// ``direct`` as soon as APNs is set up, ``polled`` before.
        case automatic
        /// The push services themselves, with the operator's own key.
        case direct
        /// None: devices ask for themselves.
        case polled = "guardian"
    }

    /// How devices learn that a request waits.
    public var provider = Provider.automatic
    /// What Apple needs besides the key.
    public var apns = APNsSettings()

    /// APNs as soon as it is set up; until then devices ask for themselves.
    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&provider, .provider)
        try members.assign(&apns, .apns)
    }
}

/// What Apple needs besides the key.
public struct APNsSettings: Sendable, Equatable, Codable {
    /// The ten characters that Apple gave the key.
    public var keyID: String?
    /// The ten characters of the developer team.
    public var teamID: String?
    /// The app's bundle identifier, which is the topic of its pushes.
    public var bundleID: String?
    /// Apps that Xcode installed are reached by another host.
    public var isSandbox = false

    /// Nothing is set up.
    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        keyID = try members.decodeIfPresent(String.self, forKey: .keyID)
        teamID = try members.decodeIfPresent(String.self, forKey: .teamID)
        bundleID = try members.decodeIfPresent(String.self, forKey: .bundleID)
        try members.assign(&isSandbox, .isSandbox)
    }

    /// Whether a text can be the id of a key or a team.
    public static func isIdentifier(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy(\.isASCIILetterOrDigit)
    }

    /// Whether a text can be a bundle identifier: it becomes a header.
    public static func isBundleIdentifier(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-.".utf8.contains($0) }
    }
}
