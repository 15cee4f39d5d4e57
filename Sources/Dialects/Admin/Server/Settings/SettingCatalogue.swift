import CountersignCore

/// Finds settings by name.
enum SettingCatalogue {
    /// - Throws: ``AdministrationError`` that names the nearest key.
    static func setting(_ key: String) throws -> Setting {
        if let setting = Setting.all.first(where: { $0.key == key }) { return setting }
        for family in SettingFamily.all where key.hasPrefix(family.prefix) {
            let name = String(key.dropFirst(family.prefix.count))
            guard !name.isEmpty, name.utf8.count <= 256 else { break }
            return family.make(key, name)
        }
        throw unknown(key)
    }

    /// The setting of that key, all settings below it, or all where it is nil; those of families as far as they are set.
    static func settings(below key: String?, in settings: RealmSettings) throws -> [Setting] {
        let present =
            Setting.all
            + SettingFamily.all.flatMap { family in
                family.names(settings).map { family.make(family.prefix + $0, $0) }
            }
        guard let key else { return present }
        let found = present.filter { $0.key == key || $0.key.hasPrefix(key + ".") }
        if !found.isEmpty { return found }
        // A family without members, or a member that is not set.
        if SettingFamily.all.contains(where: { $0.prefix == key + "." }) { return [] }
        return [try setting(key)]
    }

    private static func unknown(_ key: String) -> AdministrationError {
        let keys = Setting.all.map(\.key) + SettingFamily.all.map { $0.prefix + $0.member }
        // Whoever remembers the last word has said which it is, where there is but one.
        let ends = keys.filter { $0.lowercased().hasSuffix("." + key.lowercased()) }
        let nearest = ends.count == 1 ? ends.first : NearestName.of(key, among: keys)
        let remedy = nearest.map { "Did you mean \($0)?" } ?? "`countersign config show` lists all of them."
        return AdministrationError(.invalid, "There is no setting \"\(key)\". \(remedy)")
    }
}
