import Crypto
import Foundation

/// What a change made different, for the log: the members that have another value, as they were and as they are, as far as
/// ``AuditedMembers`` lets them be shown.
///
/// Members within members are named with a dot between. Of a long value a digest is told, so that an event stays small.
struct AuditDifference: Sendable, Equatable {
    let before: [String: JSONValue]
    let after: [String: JSONValue]

    /// - Parameters:
    ///   - before: nil where there was nothing.
    ///   - after: nil where there is nothing any more.
    init(from before: (any Encodable)?, to after: (any Encodable)?, _ audited: AuditedMembers) throws {
        let (old, new) = (try Self.members(of: before, audited), try Self.members(of: after, audited))
        let changed = Set(old.keys).union(new.keys).filter { name in
            old[name] != new[name] && audited.treatment(of: name) != .omitted
        }
        func told(_ members: [String: JSONValue]) -> [String: JSONValue] {
            var all: [String: JSONValue] = [:]
            for (name, value) in members where changed.contains(name) {
                all[name] = Self.shortened(Self.told(value, as: name, audited))
            }
            return all
        }
        self.before = told(old)
        self.after = told(new)
    }

    /// What is said of a value that is not shown.
    static let concealed = JSONValue.string("changed")

    private static func told(_ value: JSONValue, as name: String, _ audited: AuditedMembers) -> JSONValue {
        let treatment = audited.treatment(of: name)
        switch value {
        case .null: return .null
        case _ where treatment == .digest: return digest(of: value)
        case _ where treatment == .concealed || treatment == .omitted: return concealed
        case .array(let elements):
            return .array(elements.map { told($0, as: name, audited) })
        case .object(let members):
            var all: [String: JSONValue] = [:]
            for (part, value) in members { all[part] = told(value, as: "\(name).\(part)", audited) }
            return .object(all)
        default: return treatment == .shown ? value : concealed
        }
    }

    private static func digest(of value: JSONValue) -> JSONValue {
        let text = (try? value.jsonText()) ?? []
        let digest = Data(SHA256.hash(data: Data(text)).prefix(16)).hex
        return .string("\(text.count) bytes, SHA-256 \(digest)…")
    }

    /// As an event has it; without members where nothing is different.
    var details: [String: JSONValue] {
        before.isEmpty && after.isEmpty ? [:] : ["before": .object(before), "after": .object(after)]
    }

    /// Bytes of JSON of a value that is told as it is.
    private static let longest = 1000

    private static func members(
        of value: (any Encodable)?, _ audited: AuditedMembers
    ) throws -> [String: JSONValue] {
        guard let value else { return [:] }
        let json = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
        var members: [String: JSONValue] = [:]
        func add(_ value: JSONValue, _ name: String) {
            guard case .object(let own) = value else {
                if value != .null { members[name] = audited.sets.contains(name) ? sorted(value) : value }
                return
            }
            for (part, value) in own { add(value, name.isEmpty ? part : "\(name).\(part)") }
        }
        add(json, "")
        return members
    }

    /// A set as a list, which is the same for the same set.
    private static func sorted(_ value: JSONValue) -> JSONValue {
        guard case .array(let elements) = value else { return value }
        let texts = elements.map { (try? $0.jsonText()).map { String(decoding: $0, as: UTF8.self) } ?? "" }
        return .array(zip(texts, elements).sorted { $0.0 < $1.0 }.map(\.1))
    }

    private static func shortened(_ value: JSONValue) -> JSONValue {
        guard let text = try? value.jsonText(), text.count > longest else { return value }
        return digest(of: value)
    }
}
