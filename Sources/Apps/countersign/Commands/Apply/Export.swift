import AdminServer
import ArgumentParser
import CountersignCore

/// Prints a server's set-up as a file for `apply`.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print applications, APIs, groups, extensions and settings as a file for `countersign apply`.",
        discussion: """
            Users are not in it, they have `countersign user export`; nor are secrets, which the server does not know, and the keys \
            that applications sign with. For each application with a secret the file names a variable of the environment. A member with \
            values that the token may not see is left out, and the file says so.

              countersign export > setup.yaml
            """)

    @OptionGroup var realm: RealmOptions

    func run() async throws {
        let setup = try await realm.withAdministration { try await Setup(of: $0) }
        Terminal.print(setup.yaml)
    }
}

extension Setup {
    /// The file, without a line feed at its end. What says nothing is left out, and settings that have their default.
    var yaml: String {
        var lines = [
            "# The set-up of a server, for `countersign apply`. Secrets and keys of applications are not in it: before it is applied to",
            "# another server, set the variables that it names, and add `jwks` where applications sign with keys.",
            "version: \(Self.version)",
        ]
        let variables = variables
        for kind in Kind.allCases {
            let entries = entries.filter { $0.kind == kind && $0.members["isDefault"] == nil }
            if entries.isEmpty { continue }
            lines += ["", "\(kind.rawValue):"]
            for entry in entries {
                if kind == .settings {
                    lines += YAMLText.member(entry.name, entry.members["value"] ?? .null, indent: 2)
                } else {
                    lines += YAMLText.element(
                        .object(entry.exported(secretFrom: variables[entry.name])), first: entry.leading, indent: 2)
                    lines += entry.concealed.map {
                        "    # \($0) is left out: some of it is shown to those alone who may change it."
                    }
                }
            }
        }
        return lines.joined(separator: "\n")
    }

    /// A variable for each client secret, by application: names that differ in their signs alone share none.
    private var variables: [String: String] {
        var variables: [String: String] = [:]
        var taken: Set<String> = []
        for entry in entries where entry.hasSecret {
            let word = entry.name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }
            let plain = "SECRET_OF_\(word.joined())"
            var (variable, number) = (plain, 1)
            while !taken.insert(variable).inserted {
                number += 1
                variable = "\(plain)_\(number)"
            }
            variables[entry.name] = variable
        }
        return variables
    }
}

extension Setup.Entry {
    /// Members of which some value was not shown. `apply` leaves alone what its file leaves out, and takes no value that stands for one.
    fileprivate var concealed: [String] {
        members.filter { $0.key != kind.name && $0.value.hasConcealedValue }.map(\.key).sorted()
    }

    /// What people look for first.
    fileprivate var leading: [String] {
        [kind == .extensions ? "event" : kind.name, "targetURL", "displayName", "kind"]
    }

    fileprivate func exported(secretFrom variable: String?) -> [String: JSONValue] {
        let concealed = concealed
        var exported = members.filter { member in
            member.key == kind.name
                || !SetupMembers.isNothing(member.value, member.key) && !concealed.contains(member.key)
        }
        if hasSecret, let variable { exported["secret"] = .object(["environment": .string(variable)]) }
        return exported
    }
}

/// Writes YAML that every reader of YAML 1.1 and 1.2 takes for the same: what could be anything but a text stands in quotes.
enum YAMLText {
    static func member(_ name: String, _ value: JSONValue, indent: Int) -> [String] {
        let space = String(repeating: " ", count: indent)
        switch value {
        case .object(let members) where !members.isEmpty:
            return ["\(space)\(scalar(name)):"] + object(members, first: [], indent: indent + 2)
        case .array(let elements) where elements.contains(where: \.isNested):
            return ["\(space)\(scalar(name)):"] + elements.flatMap { element($0, first: [], indent: indent + 2) }
        case .array(let elements):
            return ["\(space)\(scalar(name)): [\(elements.map(scalar).joined(separator: ", "))]"]
        default: return ["\(space)\(scalar(name)): \(scalar(value))"]
        }
    }

    static func element(_ value: JSONValue, first: [String], indent: Int) -> [String] {
        let space = String(repeating: " ", count: indent)
        guard case .object(let members) = value, !members.isEmpty else { return ["\(space)- \(scalar(value))"] }
        var lines = object(members, first: first, indent: indent + 2)
        lines[0] = "\(space)- " + lines[0].dropFirst(indent + 2)
        return lines
    }

    private static func object(_ members: [String: JSONValue], first: [String], indent: Int) -> [String] {
        let leading = first.filter { members[$0] != nil }
        let names = leading + members.keys.filter { !leading.contains($0) }.sorted()
        return names.flatMap { member($0, members[$0] ?? .null, indent: indent) }
    }

    private static func scalar(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .string(let text): scalar(text)
        case .array(let elements): "[\(elements.map(scalar).joined(separator: ", "))]"
        case .object(let members):
            "{\(members.sorted { $0.key < $1.key }.map { "\(scalar($0.key)): \(scalar($0.value))" }.joined(separator: ", "))}"
        case .number: value.text
        }
    }

    private static func scalar(_ text: String) -> String {
        let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        let isPlain =
            text.utf8.first.map { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) } ?? false
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "_-./@".utf8.contains($0) }
        if isPlain, !reserved.contains(text.lowercased()) { return text }
        var json = JSONWriter()
        json.write(text)
        // Quotes of JSON are quotes of YAML, but for what YAML does not print, and for marks that turn the direction: who reviews the
        // file sees another order of its words than the server reads.
        return String(decoding: json.bytes, as: UTF8.self).unicodeScalars.reduce(into: "") { result, scalar in
            // YAML 1.2.2, section 5.1, and what breaks lines to some.
            let isPrintable =
                scalar.value < 0x7F
                || scalar.value > 0x9F && ![0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF].contains(scalar.value)
            if isPrintable, !scalar.properties.isBidiControl {
                result.unicodeScalars.append(scalar)
            } else {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}

extension JSONValue {
    /// Whether a value in it was not shown (``ConcealedValue``).
    fileprivate var hasConcealedValue: Bool {
        switch self {
        case .string(let text): text == ConcealedValue.mark
        case .array(let elements): elements.contains(where: \.hasConcealedValue)
        case .object(let members): members.values.contains(where: \.hasConcealedValue)
        default: false
        }
    }

    /// Whether it has lines of its own.
    fileprivate var isNested: Bool {
        switch self {
        case .object(let members): !members.isEmpty
        case .array: true
        default: false
        }
    }
}
