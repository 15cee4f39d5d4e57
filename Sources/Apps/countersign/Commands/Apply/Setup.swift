import AdminServer
import CountersignCore
import Foundation

/// What a realm is set up with, as a file says it and as a server has it: entries of a few kinds, each by its name, with members as the
/// operations take them. Two set-ups are compared member by member (``SetupPlan``).
struct Setup: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case groups, applications, resources, extensions, settings

        /// In the order in which they are made: later ones name earlier ones. An API also names the application that owns it
        /// (``SetupWork``).
        static let making: [Kind] = [.groups, .resources, .applications, .extensions, .settings]

        /// Of one entry, for people.
        var noun: String {
            switch self {
            case .groups: "group"
            case .applications: "application"
            case .resources: "API"
            case .extensions: "extension"
            case .settings: "setting"
            }
        }

        /// The member that names an entry; of an extension its event and its URL do.
        var name: String {
            switch self {
            case .groups: "group"
            case .applications: "id"
            case .resources: "uri"
            case .extensions: "targetURL"
            case .settings: "key"
            }
        }
    }

    /// Where a secret comes from. It never stands in the file.
    enum SecretSource: Sendable, Equatable {
        case file(String)
        case environment(String)
        /// The server makes one for a new application, which is printed once.
        case generate
    }

    struct Entry: Sendable {
        let kind: Kind
        let name: String
        var members: [String: JSONValue]
        var secret: SecretSource?
        /// Whether it has a client secret; of entries of a server.
        var hasSecret = false
        /// The server's id of it, where that is not its name.
        var id: String?
        /// What a change of it expects still to be there: of an extension, which is written as a whole.
        var revision: String?
        /// In the file.
        var line = 0
        var lines: [String: Int] = [:]
    }

    /// Of a file: the kinds that it speaks of. What it says nothing of is left alone, whatever is pruned.
    var kinds: Set<Kind> = []
    var entries: [Entry] = []

    func entry(_ kind: Kind, _ name: String) -> Entry? { entries.first { $0.kind == kind && $0.name == name } }

    /// The version of the form.
    static let version = 1
}

/// Operations as members, and members as operations.
enum SetupMembers {
    /// What an operation says, without what it leaves out.
    static func of(_ value: some Encodable) throws -> [String: JSONValue] {
        let decoded = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
        guard case .object(let members) = normal(decoded) else { return [:] }
        return members
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ members: [String: JSONValue]) throws -> Value {
        try JSONDecoder().decode(type, from: JSONEncoder().encode(JSONValue.object(members)))
    }

    /// The names of the members that an operation takes.
    static func names(of operation: Any) -> Set<String> {
        Set(Mirror(reflecting: operation).children.compactMap(\.label))
    }

    /// Without nulls, and with sets in one order.
    static func normal(_ value: JSONValue, name: String? = nil) -> JSONValue {
        switch value {
        case .object(let members):
            return .object(
                members.reduce(into: [:]) { result, member in
                    if member.value != .null { result[member.key] = normal(member.value, name: member.key) }
                })
        case .array(let elements):
            let elements = elements.map { normal($0) }
            guard name == "sharedChecks" else { return .array(elements) }
            return .array(elements.sorted { ($0.stringValue ?? "") < ($1.stringValue ?? "") })
        // A decoder takes whole numbers for either.
        case .number(let number) where number == number.rounded() && abs(number) < 1e15: return .integer(Int64(number))
        default: return value
        }
    }

    /// Whether a member says what its absence says: nothing is there.
    static func isNothing(_ value: JSONValue, _ name: String) -> Bool {
        switch value {
        case .null, .bool(false), .string(""): true
        // No audiences are none, where left out they may be any.
        case .array(let elements): elements.isEmpty && name != "audiences"
        case .object(let members): members.isEmpty || members == ["keys": .array([])]
        case .string("standard"): name == "issuerStyle"
        case .string("issuer"): name == "assertionAudience"
        case .string("jwt"): name == "tokenFormat"
        case .integer(-1): name == "defaultMaxAge"
        default: false
        }
    }
}
