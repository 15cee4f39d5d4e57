import AdminServer
import CountersignCore
import Foundation

extension Setup {
    /// All that is wrong with a file, by line.
    struct Faults: Error {
        let faults: [LocatedYAML.Fault]
    }

    /// Reads a file. Nothing is asked of a server: whether a value is taken is found later.
    /// - Throws: ``Faults``.
    init(yaml text: String) throws(Faults) {
        var faults: [LocatedYAML.Fault] = []
        let root: LocatedYAML
        do {
            guard text.utf8.count <= LocatedYAML.sizeLimit else {
                throw LocatedYAML.Fault(line: 1, text: "the file has more than \(LocatedYAML.sizeLimit >> 20) MiB")
            }
            root = try LocatedYAML(text)
        } catch let fault as LocatedYAML.Fault {
            throw Faults(faults: [fault])
        } catch {
            throw Faults(faults: [LocatedYAML.Fault(line: 1, text: "\(error)")])
        }
        guard case .object = root.value else {
            throw Faults(faults: [
                LocatedYAML.Fault(line: root.line, text: "a set-up has sections such as `applications:`")
            ])
        }
        self.init()
        for (name, line, value) in root.members {
            if name == "version" {
                if value.value != .integer(Int64(Self.version)) {
                    faults.append(.init(line: line, text: "this program reads version \(Self.version) of the form"))
                }
            } else if let kind = Kind(rawValue: name) {
                kinds.insert(kind)
                entries += Self.section(kind, value, line, &faults)
            } else {
                faults.append(
                    .init(line: line, text: Self.unknown(name, among: Kind.allCases.map(\.rawValue) + ["version"])))
            }
        }
        if root["version"] == nil {
            faults.append(.init(line: root.line, text: "`version: \(Self.version)` is missing"))
        }
        var seen: [String: Int] = [:]
        for entry in entries {
            if let first = seen.updateValue(entry.line, forKey: "\(entry.kind) \(entry.name)") {
                faults.append(
                    .init(line: entry.line, text: "the \(entry.kind.noun) \(entry.name) is in line \(first) already"))
            }
        }
        if !faults.isEmpty { throw Faults(faults: faults.sorted()) }
    }

    private static func unknown(_ name: String, among known: [String]) -> String {
        let nearest = NearestName.of(name, among: known)
        return "there is no \"\(name)\" here" + (nearest.map { "; did you mean \($0)?" } ?? "")
    }

    private static func section(
        _ kind: Kind, _ section: LocatedYAML, _ line: Int, _ faults: inout [LocatedYAML.Fault]
    ) -> [Entry] {
        if section.value == .null { return [] }
        if kind == .settings {
            guard case .object = section.value else {
                faults.append(
                    .init(line: line, text: "settings are names with values, such as `passwords.minimumLength: 12`"))
                return []
            }
            return settings(section, below: "")
        }
        guard case .array = section.value else {
            faults.append(.init(line: line, text: "\(kind.rawValue) is a list: each entry begins with a hyphen"))
            return []
        }
        return section.elements.compactMap { element in
            do {
                return try entry(kind, element)
            } catch let found as Faults {
                faults += found.faults
            } catch {
                faults.append(.init(line: element.line, text: "\(error)"))
            }
            return nil
        }
    }

    /// Sections within are the beginning of names, as in `config show`.
    private static func settings(_ section: LocatedYAML, below prefix: String) -> [Entry] {
        section.members.flatMap { name, line, value -> [Entry] in
            let key = prefix + name
            if case .object = value.value { return settings(value, below: key + ".") }
            return [
                Entry(kind: .settings, name: key, members: ["value": value.value], line: line, lines: ["value": line])
            ]
        }
    }

    private static func entry(_ kind: Kind, _ element: LocatedYAML) throws -> Entry {
        guard case .object(var members) = element.value else {
            throw Faults(faults: [.init(line: element.line, text: "an entry has members, such as `\(kind.name): …`")])
        }
        var faults: [LocatedYAML.Fault] = []
        guard let name = members[kind.name]?.stringValue, !name.isEmpty else {
            throw Faults(
                faults: [.init(line: element.line(at: [Key(kind.name)]), text: "`\(kind.name)` is missing, or no text")]
            )
        }
        let secret = kind == .applications ? element["secret"].flatMap { Self.secret($0, &faults) } : nil
        if kind == .applications { members["secret"] = nil }
        let known = knownMembers(of: kind)
        for (name, line, _) in element.members where !known.contains(name) {
            faults.append(.init(line: line, text: unknown(name, among: known.sorted())))
        }
        let lines = Dictionary(element.members.map { ($0.name, $0.line) }, uniquingKeysWith: { first, _ in first })
        var normal: [String: JSONValue] = [:]
        if faults.isEmpty {
            do {
                normal = try normalized(kind, members)
                faults += strays(.object(members), .object(normal), element)
            } catch let error as DecodingError {
                faults.append(fault(of: error, in: element))
            }
        }
        if !faults.isEmpty { throw Faults(faults: faults) }
        if kind == .resources { withOneFormOfLevels(&normal) }
        let event = normal["event"]?.stringValue ?? ""
        return Entry(
            kind: kind, name: kind == .extensions ? "\(event) \(name)" : name, members: normal, secret: secret,
            line: element.line, lines: lines)
    }

    /// A member's name on the way to a value.
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    /// Secrets are not members, and neither is how they change.
    private static let ofSecrets: Set<String> = ["hasSecret", "secretOverlap"]
    /// How an operation is done is no part of what there is to be.
    private static let ofWork: Set<String> = ["dryRun", "expecting", "replaces"]

    private static func knownMembers(of kind: Kind) -> Set<String> {
        switch kind {
        case .groups: SetupMembers.names(of: AddGroup(group: "")).subtracting(ofWork)
        case .applications:
            SetupMembers.names(of: RegistrationChange()).subtracting(ofSecrets).union(["id", "secret"])
        case .resources: SetupMembers.names(of: PutResource(uri: "")).subtracting(ofWork)
        case .extensions: SetupMembers.names(of: AddExtension(event: "", targetURL: "")).subtracting(ofWork)
        case .settings: ["key", "value"]
        }
    }

    /// Two files that give all scopes the same levels are the same, whether they name the level of all or those of each.
    private static func withOneFormOfLevels(_ members: inout [String: JSONValue]) {
        guard members["minimumACR"] != nil || members["scopeACRs"] != nil,
            let put = try? SetupMembers.decode(PutResource.self, members), let scopes = put.scopes
        else { return }
        // A level of what is no scope is for the server to refuse.
        guard (put.scopeACRs ?? [:]).keys.allSatisfy(scopes.contains) else { return }
        let levels = scopes.reduce(into: [String: String]()) { $0[$1] = put.scopeACRs?[$1] ?? put.minimumACR }
        let (common, apart) = PutResource.assurance(of: levels, among: scopes)
        members["minimumACR"] = .string(common)
        members["scopeACRs"] = .object(apart.mapValues { .string($0) })
    }

    /// As the operation has it: with the defaults of what is within its members.
    private static func normalized(_ kind: Kind, _ members: [String: JSONValue]) throws -> [String: JSONValue] {
        switch kind {
        case .groups: return try SetupMembers.of(SetupMembers.decode(AddGroup.self, members))
        case .applications:
            var registration = members
            registration["id"] = nil
            var normal = try SetupMembers.of(SetupMembers.decode(RegistrationChange.self, registration))
            normal["id"] = members["id"]
            return normal
        case .resources: return try SetupMembers.of(SetupMembers.decode(PutResource.self, members))
        case .extensions: return try SetupMembers.of(SetupMembers.decode(AddExtension.self, members))
        case .settings: return members
        }
    }

    /// Members within members that the operation does not have: a decoder passes over them, and a misspelt protection protects nothing.
    private static func strays(_ given: JSONValue, _ taken: JSONValue, _ place: LocatedYAML) -> [LocatedYAML.Fault] {
        switch (given, taken) {
        case (.object(let given), .object(let taken)):
            return given.keys.sorted().flatMap { name -> [LocatedYAML.Fault] in
                guard let value = given[name], value != .null,
                    let member = place.members.first(where: { $0.name == name })
                else { return [] }
                guard let other = taken[name] else {
                    return [.init(line: member.line, text: unknown(name, among: taken.keys.sorted()))]
                }
                return strays(value, other, member.value)
            }
        case (.array(let given), .array(let taken))
        where given.count == taken.count && given.count == place.elements.count:
            return zip(zip(given, taken), place.elements).flatMap { strays($0.0, $0.1, $1) }
        default: return []
        }
    }

    private static func fault(of error: DecodingError, in element: LocatedYAML) -> LocatedYAML.Fault {
        switch error {
        case .typeMismatch(let type, let context):
            return .init(
                line: element.line(at: context.codingPath),
                text: "\(path(context.codingPath)) is \(word(for: type))")
        case .valueNotFound(_, let context), .dataCorrupted(let context):
            return .init(line: element.line(at: context.codingPath), text: "\(path(context.codingPath)) cannot be this")
        case .keyNotFound(let key, let context):
            return .init(
                line: element.line(at: context.codingPath), text: "\(path(context.codingPath + [key])) is missing")
        @unknown default: return .init(line: element.line, text: "\(error)")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".").replacing(".[", with: "[")
    }

    private static func word(for type: Any.Type) -> String {
        switch type {
        case is String.Type: "a text: put it in quotes"
        case is Bool.Type: "true or false"
        case is Int.Type, is Int64.Type, is Double.Type: "a number"
        case is any Sequence.Type where !(type is any DictionaryType.Type): "a list"
        default: "an object with members"
        }
    }

    private static func secret(_ value: LocatedYAML, _ faults: inout [LocatedYAML.Fault]) -> SecretSource? {
        if value.value == .string("generate") { return .generate }
        switch value.members.map(\.name) {
        case ["file"]: if let path = value["file"]?.value.stringValue, !path.isEmpty { return .file(path) }
        case ["environment"]:
            if let name = value["environment"]?.value.stringValue, !name.isEmpty { return .environment(name) }
        default: break
        }
        // What was written may be a secret: it is not repeated.
        faults.append(
            .init(
                line: value.line,
                text: "a secret does not stand in the file: write `{file: PATH}`, `{environment: NAME}`, or `generate`")
        )
        return nil
    }
}

/// Tells dictionaries from lists.
private protocol DictionaryType {}
extension Dictionary: DictionaryType {}
