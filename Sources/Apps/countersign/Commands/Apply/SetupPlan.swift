import CountersignCore

/// What has to be done so that a server has what a file says: pure, a comparison of two set-ups.
///
/// A member that the file leaves out stays as it is. An entry that the file leaves out stays too, unless it is pruned: then those of the
/// kinds that the file has a section for are removed.
struct SetupPlan: Sendable {
    enum Action: String, Sendable, Encodable {
        case add, change, remove
    }

    struct Difference: Sendable, Equatable {
        let name: String
        let before: JSONValue?
        let after: JSONValue?
    }

    struct Change: Sendable {
        let action: Action
        let kind: Setup.Kind
        let name: String
        let differences: [Difference]
        /// All members that the entry has afterwards.
        let members: [String: JSONValue]
        /// The secret to be set.
        let secret: Setup.SecretSource?
        let id: String?
        /// Of the entry that was compared.
        let revision: String?
        /// In the file; nil where that does not have it.
        let line: Int?
        let lines: [String: Int]
    }

    /// In the order in which they are done: what is named comes before what names it, and goes after it.
    let changes: [Change]

    /// - Parameter setsSecrets: whether applications that have a secret get the file's too: whether it is the same is not known.
    init(from present: Setup, to wanted: Setup, prunes: Bool, setsSecrets: Bool) {
        var changes: [Change] = []
        for kind in Setup.Kind.making {
            for entry in wanted.entries where entry.kind == kind {
                if let change = Self.change(from: present.entry(kind, entry.name), to: entry, setsSecrets: setsSecrets)
                {
                    changes.append(change)
                }
            }
        }
        guard prunes else {
            self.changes = changes
            return
        }
        for kind in Setup.Kind.allCases.reversed() where wanted.kinds.contains(kind) && kind != .settings {
            for entry in present.entries where entry.kind == kind && wanted.entry(kind, entry.name) == nil {
                changes.append(
                    Change(
                        action: .remove, kind: kind, name: entry.name, differences: [], members: entry.members,
                        secret: nil, id: entry.id, revision: nil, line: nil, lines: [:]))
            }
        }
        self.changes = changes
    }

    /// What an empty list of grants stands for.
    private static func grants(of kind: JSONValue?) -> JSONValue {
        let kind = (kind?.stringValue).flatMap(OAuthRegistration.Kind.init(rawValue:))
        return .array(OAuthRegistration(kind: kind).defaultGrantTypes.map { .string($0) })
    }

    private static func change(from present: Setup.Entry?, to wanted: Setup.Entry, setsSecrets: Bool) -> Change? {
        let before = present?.members ?? [:]
        let differences = wanted.members.keys.sorted().compactMap { name -> Difference? in
            guard name != wanted.kind.name, let after = wanted.members[name] else { return nil }
            let old = before[name]
            let isByKind = name == "grantTypes" && after == .array([])
            let new =
                isByKind
                ? grants(of: wanted.members["kind"] ?? before["kind"]) : SetupMembers.normal(after, name: name)
            if wanted.kind == .settings { return old == new ? nil : Difference(name: name, before: old, after: new) }
            let isSame =
                old == new || old.map { SetupMembers.isNothing($0, name) } ?? true && SetupMembers.isNothing(new, name)
            return isSame ? nil : Difference(name: name, before: old, after: new)
        }
        var secret = wanted.secret
        if let present, present.hasSecret, !setsSecrets || secret == .generate { secret = nil }
        // An entry without members is an entry still.
        if present != nil, differences.isEmpty, secret == nil { return nil }
        return Change(
            action: present == nil && wanted.kind != .settings ? .add : .change, kind: wanted.kind, name: wanted.name,
            differences: differences, members: before.merging(wanted.members) { $1 }, secret: secret, id: present?.id,
            revision: present?.revision, line: wanted.line, lines: wanted.lines)
    }
}

extension SetupPlan.Change {
    /// For people: the entry, and each member that becomes another.
    var text: [String] {
        let mark =
            switch action {
            case .add: "+"
            case .change: "~"
            case .remove: "-"
            }
        var lines = ["\(mark) \(kind.noun) \(name.printable)"]
        for difference in differences where kind != .settings || difference.name == "value" {
            let label = kind == .settings ? "" : "\(difference.name): "
            if let before = difference.before { lines.append("    - \(label)\(before.text.printable)") }
            if let after = difference.after { lines.append("    + \(label)\(after.text.printable)") }
        }
        if let secret {
            let source =
                switch secret {
                case .file(let path): "from the file \(path)"
                case .environment(let name): "from the variable \(name)"
                case .generate: "a new one"
                }
            lines.append("    + secret: \(source.printable)")
        }
        return lines
    }
}
