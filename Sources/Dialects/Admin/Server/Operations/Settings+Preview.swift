import CountersignCore

/// Says what a change of a setting would do, and how many users it concerns, without making it.
public struct PreviewSetting: AdministrationOperation {
    public static let name = "settings:preview"
    public static let right = AdministrationRight.readSettings

    public var key: String
    /// As for ``ChangeSetting``.
    public var value: JSONValue

    public init(key: String, value: JSONValue) {
        self.key = key
        self.value = value
    }

    public struct Answer: Codable, Sendable {
        /// As it would be.
        public let setting: SettingSummary
        public let present: SettingSummary
        /// What would be weaker.
        public let warnings: [String]
        /// Those concerned, by what becomes different for them.
        public let concerned: [ConcernedSummary]
        /// Users who were looked at; none where the change has no effect on users who are there already.
        public let seen: Int
        /// Whether that is all of them; otherwise they are those who were added last.
        public let isWhole: Bool
        /// Passkeys that would not work any more.
        public let lostPasskeys: Int
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let setting = try SettingCatalogue.setting(key)
        let present = try await realm.settings()
        var preview = present
        try setting.write(&preview, value)
        try await ChangeSetting.requireGroups(of: preview, in: setting, on: realm)
        try ChangeSetting.judge(preview, at: realm.site)
        let concerned = try await realm.accounts.concerned(by: preview)
        return Answer(
            setting: SettingSummary(setting, in: preview), present: SettingSummary(setting, in: present),
            warnings: ChangeSetting.warnings(
                setting, present, preview, hasPasskeyDomain: try await realm.hasPasskeyDomain(preview)),
            concerned: ConcernedUsers.Effect.allCases.compactMap { effect in
                concerned.counts[effect].map { ConcernedSummary(effect: effect.rawValue, users: $0) }
            }, seen: concerned.seen, isWhole: concerned.isWhole,
            lostPasskeys: try await realm.passkeys.count(lostBy: preview))
    }
}

/// How many users a change concerns in one way.
public struct ConcernedSummary: Codable, Sendable, Equatable {
    /// `needs-second-factor`, `may-put-off`, `cannot-put-off`, `loses-second-factor`, `loses-factor`, `regains-factor`, `loses-way-in`, `chooses-password` or
    /// `is-asked-terms`.
    public let effect: String
    public let users: Int
}
