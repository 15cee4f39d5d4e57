import Foundation

/// Who changed a setting last, and when: kept beside the settings, as the log forgets and grows.
public struct SettingChange: Sendable, Equatable, Codable {
    /// When it was changed.
    public let at: Date
    /// As the log calls who did it: `user:` and `token:` with an id, or the application that asked, such as `command-line`.
    public let by: String

    private static let document = "settings-changes"
    /// Settings that are remembered, those that were changed last. There are fewer; a change can also name members of maps.
    static let most = 500

    /// By the name of the setting, or of the document's member where a dialect changed it.
    static func read(_ transaction: any StoreTransaction) throws -> [String: SettingChange] {
        // A later version may write it in another shape, and what is shown has a place for not known.
        try transaction.document(document).flatMap {
            try? JSONDecoder().decode([String: SettingChange].self, from: $0)
        } ?? [:]
    }

    /// The settings that an event says were changed.
    static func names(in event: AuditEvent) -> Set<String> {
        if let setting = event.details["setting"]?.stringValue { return [setting] }
        let differences = ["before", "after"].flatMap { member -> [String] in
            if case .object(let members)? = event.details[member] { Array(members.keys) } else { [] }
        }
        return Set(differences)
    }

    fileprivate static func note(_ event: AuditEvent, in transaction: any StoreTransaction) throws {
        let names = names(in: event)
        guard !names.isEmpty else { return }
        var changes = try read(transaction)
        let by = event.details["by"]?.stringValue ?? event.clientID?.rawValue ?? ""
        for name in names { changes[name] = SettingChange(at: event.at, by: by) }
        if changes.count > most {
            let newest = changes.sorted { ($0.value.at, $0.key) > ($1.value.at, $1.key) }.prefix(most)
            changes = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        try transaction.putDocument(document, encoder.encode(changes))
    }
}

extension StoreTransaction {
    /// Writes an event that says that settings changed, and remembers beside the settings who did it.
    func appendSettingsChange(_ event: AuditEvent) throws {
        try append(event)
        try SettingChange.note(event, in: self)
    }
}

extension Realm {
    /// Who changed each setting last, by its name. What was changed before the server remembered it is in the log alone.
    public func settingChanges() async throws -> [String: SettingChange] {
        try await store.read { try SettingChange.read($0) }
    }
}
