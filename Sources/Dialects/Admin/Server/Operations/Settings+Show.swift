import CountersignCore

/// Shows the realm's settings.
public struct ShowSettings: AdministrationOperation {
    public static let name = "settings:show"
    public static let right = AdministrationRight.readSettings

    /// One setting, or the beginning of several (`passwords`); nil shows all.
    public var key: String?

    public init(key: String? = nil) {
        self.key = key
    }

    public struct Answer: Codable, Sendable {
        public let settings: [SettingSummary]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let settings = try await realm.settings()
        return Answer(
            settings: try SettingCatalogue.settings(below: key, in: settings).map { SettingSummary($0, in: settings) })
    }
}

/// A setting and its value.
public struct SettingSummary: Codable, Sendable, Equatable {
    public let key: String
    /// Null where it is not set.
    public let value: JSONValue
    public let defaultValue: JSONValue
    /// What it takes, for people.
    public let accepts: String
    public let summary: String

    init(_ setting: Setting, in settings: RealmSettings) {
        key = setting.key
        value = setting.read(settings)
        defaultValue = setting.read(RealmSettings())
        accepts = setting.accepts
        summary = setting.summary
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        key = try members.decode(String.self, forKey: .key)
        // `decode` takes null for a missing value.
        value = try members.decodeIfPresent(JSONValue.self, forKey: .value) ?? .null
        defaultValue = try members.decodeIfPresent(JSONValue.self, forKey: .defaultValue) ?? .null
        accepts = try members.decode(String.self, forKey: .accepts)
        summary = try members.decode(String.self, forKey: .summary)
    }
}
