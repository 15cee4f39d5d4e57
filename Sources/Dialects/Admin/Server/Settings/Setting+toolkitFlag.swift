import CountersignCore

extension Setting {
    /// A Boolean that belongs to Identity Toolkit alone: a member of that dialect's section of the realm's settings.
    /// - Parameters:
    ///   - member: its name in the section.
    ///   - default: what holds while the section does not have it. A member that is no Boolean is false.
    ///   - weaker: the value that is the weaker one, and what it means.
    static func toolkitFlag(
        _ key: String, _ member: String, default: Bool, _ summary: String, weaker: (value: Bool, why: String)? = nil
    ) -> Setting {
        let accepts = "true or false"
        @Sendable func flag(_ settings: RealmSettings) -> Bool {
            settings.toolkitDocument?[member].map { $0 == .bool(true) } ?? `default`
        }
        return Setting(
            key, accepts: accepts, summary, read: { .bool(flag($0)) },
            write: { settings, value in
                guard let bool = value.asBool else { throw refusal(key, value, accepts: accepts) }
                var members: [String: JSONValue] = [:]
                if case .object(let present)? = settings.toolkitDocument { members = present }
                members[member] = .bool(bool)
                settings.toolkitDocument = .object(members)
            },
            weakness: { before, after in
                guard let weaker, flag(after) == weaker.value, flag(before) != weaker.value else { return nil }
                return weaker.why
            })
    }
}
