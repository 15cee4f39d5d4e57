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
        // Who did something is for those who may read the log.
        let changes = permit.has(.readLog) ? try await realm.settingChanges() : [:]
        return Answer(
            settings: try SettingCatalogue.settings(below: key, in: settings).map {
                SettingSummary($0, in: settings, changed: changes[$0.key])
            })
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
    /// When it was changed last, and by whom, as the log has it: `user:` and `token:` with an id, or `command-line`. Nil where that is not
    /// known, and for those who may not read the log.
    public let changedAt: Timestamp?
    public let changedBy: String?

    init(_ setting: Setting, in settings: RealmSettings, changed: SettingChange? = nil) {
        changedAt = changed.map { Timestamp($0.at) }
        changedBy = changed?.by
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
        changedAt = try members.decodeIfPresent(Timestamp.self, forKey: .changedAt)
        changedBy = try members.decodeIfPresent(String.self, forKey: .changedBy)
    }
}
