import CountersignCore

/// Finds settings by name.
enum SettingCatalogue {
    /// What settings are called elsewhere: by those who look for a passkeys' setting below `passkeys`.
    private static let otherNames = [
        "passkeys.enabled": "secondFactors.offersPasskeys", "passkeys.allowFramed": "passkeys.framingOrigins",
        "passkeys.allowSynced": "passkeys.allowsSynced",
    ]

    /// - Throws: ``AdministrationError`` that names the nearest key.
    static func setting(_ name: String) throws -> Setting {
        let key = otherNames[name] ?? name
        if let setting = Setting.all.first(where: { $0.key == key }) { return setting }
        for family in SettingFamily.all where key.hasPrefix(family.prefix) {
            let name = String(key.dropFirst(family.prefix.count))
            guard !name.isEmpty, name.utf8.count <= 256, family.known?.contains(name) ?? true else { break }
            return family.make(key, name)
        }
        throw unknown(key)
    }

    /// The setting of that key, all settings below it, or all where it is nil; those of families as far as they are set.
    static func settings(below key: String?, in settings: RealmSettings) throws -> [Setting] {
        let present =
            Setting.all
            + SettingFamily.all.flatMap { family in
                let names = (family.known ?? []) + family.names(settings).filter { family.known?.contains($0) != true }
                return names.map { family.make(family.prefix + $0, $0) }
            }
        guard let key else { return present }
        let found = present.filter { $0.key == key || $0.key.hasPrefix(key + ".") }
        if !found.isEmpty { return found }
        // A family without members, or a member that is not set.
        if SettingFamily.all.contains(where: { $0.prefix == key + "." }) { return [] }
        return [try setting(key)]
    }

    private static func unknown(_ key: String) -> AdministrationError {
        let keys =
            Setting.all.map(\.key)
            + SettingFamily.all.flatMap { family in
                (family.known ?? [family.member]).map { family.prefix + $0 }
            }
        // The last word of a name is enough if it is unique.
        let ends = Dictionary(
            keys.map { ($0.split(separator: ".").last.map(String.init) ?? $0, $0) },
            uniquingKeysWith: { first, _ in first })
        let nearest =
            NearestName.of(key, among: keys)
            ?? (key.contains(".") ? nil : NearestName.of(key, among: ends.keys).flatMap { ends[$0] })
        let remedy = nearest.map { "Did you mean \($0)?" } ?? "`countersign config show` lists all of them."
        return AdministrationError(.invalid, "There is no setting \"\(key)\". \(remedy)")
    }
}
