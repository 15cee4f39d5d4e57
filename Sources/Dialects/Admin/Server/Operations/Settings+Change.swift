import CountersignCore
import Foundation

/// Changes one of the realm's settings, for all servers at once.
public struct ChangeSetting: AdministrationOperation {
    public static let name = "settings:set"
    public static let right = AdministrationRight.changeSettings

    public var key: String
    /// The value, or text that means it: `"2"` for 2, `"none"` for null.
    public var value: JSONValue
    /// Whether it is done although users lose passkeys by it; nil is no.
    public var confirmed: Bool?
    /// The value that it is to have still, as it is read, or as for ``value``; otherwise nothing is changed. Null expects that it is null, and
    /// is not as if it were left out.
    public var expecting: JSONValue?

    public init(key: String, value: JSONValue, confirmed: Bool? = nil, expecting: JSONValue? = nil) {
        self.expecting = expecting
        self.key = key
        self.value = value
        self.confirmed = confirmed
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        key = try members.decode(String.self, forKey: .key)
        value = try members.decode(JSONValue.self, forKey: .value)
        confirmed = try members.decodeIfPresent(Bool.self, forKey: .confirmed)
        let given = try members.decodeIfPresent(JSONValue.self, forKey: .expecting)
        expecting = given ?? (members.contains(.expecting) ? JSONValue.null : nil)
    }

    public struct Answer: Codable, Sendable, WarningAnswer {
        public let setting: SettingSummary
        public let previous: JSONValue
        public let warnings: [String]

        init(setting: SettingSummary, previous: JSONValue, warnings: [String]) {
            self.setting = setting
            self.previous = previous
            self.warnings = warnings
        }

        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            setting = try members.decode(SettingSummary.self, forKey: .setting)
            previous = try members.decodeIfPresent(JSONValue.self, forKey: .previous) ?? .null
            warnings = try members.decode([String].self, forKey: .warnings)
        }
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let (value, expecting) = (value, expecting)
        let setting = try SettingCatalogue.setting(key)
        // Judged before the transaction, so that the log can say what it became; and in it, against what is there then.
        var preview = try await realm.settings()
        try setting.write(&preview, value)
        try await Self.requireGroups(of: preview, in: setting, on: realm)
        try Self.judge(preview, at: realm.site)
        let lost = try await realm.passkeys.count(lostBy: preview)
        if lost > 0, confirmed != true {
            throw AdministrationError(
                .conflict,
                "\(Self.passkeys(lost)) would not work with this domain, and their users need another way to sign in. "
                    + "Confirm that with --yes (confirmed: true).")
        }
        let hasPasskeyDomain = try await realm.hasPasskeyDomain(preview)
        let details: [String: JSONValue] = ["setting": .string(setting.key), "value": setting.read(preview)]
        return try await realm.changeSettings(
            by: client, details: details, before: { setting.read($0) }
        ) { [site = realm.site] settings in
            let before = settings
            if let expecting, !setting.means(expecting, in: settings) { throw AdministrationError.changedMeanwhile }
            try setting.write(&settings, value)
            try Self.judge(settings, at: site)
            // The number says what the setting's own sentence says.
            return Answer(
                setting: SettingSummary(setting, in: settings), previous: setting.read(before),
                warnings: lost > 0
                    ? ["\(Self.passkeys(lost)) cannot be used any more."]
                    : Self.warnings(setting, before, settings, hasPasskeyDomain: hasPasskeyDomain))
        }
    }

    private static func passkeys(_ count: Int) -> String { "\(count) passkey\(count == 1 ? "" : "s")" }

    /// What becomes weaker by a change, and whether it locks users out.
    /// - Parameter hasPasskeyDomain: false where it is known that no server has a domain for passkeys.
    static func warnings(
        _ setting: Setting, _ before: RealmSettings, _ after: RealmSettings, hasPasskeyDomain: Bool
    ) -> [String] {
        if !before.locksUsersOut(hasPasskeyDomain), after.locksUsersOut(hasPasskeyDomain) {
            return [
                after.secondFactors.offersPasskeys
                    ? "A second factor is required, and passkeys alone are offered, for which the servers have no domain: users cannot sign in. Set the public URL, or passkeys.rpID."
                    : "A second factor is required, and none is offered: users who have none cannot sign in, nor set one up."
            ]
        }
        return setting.weakness(before, after).map { [$0] } ?? []
    }

    /// A name that no group has would require a second factor of no user.
    static func requireGroups(of settings: RealmSettings, in setting: Setting, on realm: Realm) async throws {
        guard setting.key == "secondFactors.requiredGroups" else { return }
        for name in settings.secondFactors.requiredGroups ?? [] {
            if try await realm.groups.group(GroupName(kept: name)) != nil { continue }
            throw AdministrationError(
                .invalid, "There is no group \(name.prefix(80)). `countersign group list` shows all of them.")
        }
    }

    /// What settings mean together.
    static func judge(_ settings: RealmSettings, at site: PublicSite) throws {
        if let fault = settings.passkeys.fault(at: site) { throw AdministrationError(.invalid, fault) }
        let passwords = settings.passwords
        if let alone = passwords.minimumLengthAlone, alone < passwords.minimumLength {
            throw AdministrationError(
                .invalid,
                "passwords.minimumLengthAlone (\(alone)) has to be at least passwords.minimumLength "
                    + "(\(passwords.minimumLength)). Change the other one first.")
        }
        let minimum = passwords.minimumLengthAlone ?? passwords.minimumLength
        if let maximum = passwords.maximumLength, maximum < minimum {
            throw AdministrationError(
                .invalid,
                "passwords.maximumLength (\(maximum)) has to be at least the minimum length (\(minimum)). "
                    + "Change the other one first.")
        }
    }
}

extension RealmSettings {
    /// Whether a second factor is required of every user or of some, and none can be set up.
    func locksUsersOut(_ hasPasskeyDomain: Bool) -> Bool {
        guard secondFactors.isRequired || secondFactors.isRequiredOfSome else { return false }
        return !secondFactors.offersTOTP && !secondFactors.offersPush
            && !(secondFactors.offersPasskeys && hasPasskeyDomain)
    }
}

extension Realm {
    /// False where it is known that no server has a domain for passkeys: by these settings, and by where the server that started last is
    /// reached.
    func hasPasskeyDomain(_ settings: RealmSettings) async throws -> Bool {
        if passkeySite(in: settings) != nil || settings.passkeys.rpID != nil { return true }
        guard let url = try await publicAddress()?.url, let host = URLComponents(string: url)?.host else { return true }
        return PasskeySettings.isDomain(host.lowercased()) || host == "localhost"
    }
}

extension Setting {
    /// Whether the setting has the value: as it is read, which may be no value that it takes (`custom`), or as text that means it.
    fileprivate func means(_ value: JSONValue, in settings: RealmSettings) -> Bool {
        if read(settings) == value { return true }
        var expected = settings
        guard (try? write(&expected, value)) != nil else { return false }
        return read(expected) == read(settings)
    }
}
