import Crypto
import Foundation

/// What a change made different, for the log: the members that have another value, as they were and as they are.
///
/// Members within members are named with a dot between. Of a long value a digest is told, so that an event stays small.
struct AuditDifference: Sendable, Equatable {
    let before: [String: JSONValue]
    let after: [String: JSONValue]

    /// - Parameters:
    ///   - before: nil where there was nothing.
    ///   - after: nil where there is nothing any more.
    ///   - secrets: members of which the log says nothing here.
    init(from before: (any Encodable)?, to after: (any Encodable)?, without secrets: Set<String> = []) throws {
        let (old, new) = (try Self.members(of: before), try Self.members(of: after))
        let changed = Set(old.keys).union(new.keys).filter { name in
            old[name] != new[name] && !secrets.contains { name == $0 || name.hasPrefix($0 + ".") }
        }
        self.before = old.filter { changed.contains($0.key) }.mapValues(Self.told)
        self.after = new.filter { changed.contains($0.key) }.mapValues(Self.told)
    }

    /// As an event has it; without members where nothing is different.
    var details: [String: JSONValue] {
        before.isEmpty && after.isEmpty ? [:] : ["before": .object(before), "after": .object(after)]
    }

    /// Bytes of JSON of a value that is told as it is.
    private static let longest = 1000

    private static func members(of value: (any Encodable)?) throws -> [String: JSONValue] {
        guard let value else { return [:] }
        let json = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
        var members: [String: JSONValue] = [:]
        func add(_ value: JSONValue, _ name: String) {
            guard case .object(let own) = value else {
                if value != .null { members[name] = value }
                return
            }
            for (part, value) in own { add(value, name.isEmpty ? part : "\(name).\(part)") }
        }
        add(json, "")
        return members
    }

    private static func told(_ value: JSONValue) -> JSONValue {
        guard let text = try? value.jsonText(), text.count > longest else { return value }
        let digest = Data(SHA256.hash(data: Data(text)).prefix(16)).hex
        return .string("\(text.count) bytes, SHA-256 \(digest)…")
    }
}
