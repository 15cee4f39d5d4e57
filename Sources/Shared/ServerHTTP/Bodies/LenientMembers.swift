import CountersignCore

/// An object's members on their way into a Swift type.
///
/// A member is looked for by its exact name and then by what the name is in camel case, so `id_token` and `idToken` are
/// found by either. Where both are there, the exact one counts. Null is absent.
struct LenientMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let members: [String: JSONValue]
    /// The names of members that have another name in camel case, by that one. Mostly there are few.
    private let aliases: [String: [String]]
    let codingPath: [any CodingKey]
    private let target: Any.Type

    init(members: [String: JSONValue], codingPath: [any CodingKey], target: Any.Type) {
        self.members = members
        self.codingPath = codingPath
        self.target = target
        var aliases: [String: [String]] = [:]
        for name in members.keys where name.utf8.contains(UInt8(ascii: "_")) {
            aliases[name.inCamelCase, default: []].append(name)
        }
        self.aliases = aliases
    }

    /// In alphabetical order, and as they were sent: where the type is a dictionary, these are its keys.
    var allKeys: [Key] {
        members.filter { $0.value != .null }.keys.sorted().compactMap { Key(stringValue: $0) }
    }

    private func find(_ key: Key) throws -> JSONValue? {
        if let value = members[key.stringValue], value != .null { return value }
        let name = key.stringValue.inCamelCase
        if aliases.isEmpty, name == key.stringValue { return nil }
        var others = (aliases[name] ?? []).compactMap { members[$0] }
        if name != key.stringValue, let value = members[name] { others.append(value) }
        others.removeAll { $0 == .null }
        if others.count > 1 { throw RequestBodyFault.duplicateMember(path: (codingPath + [key]).text) }
        return others.first
    }

    private func member(_ key: Key, as target: Any.Type) throws -> LenientDecoder {
        let path = codingPath + [key]
        guard let value = try find(key) else { throw RequestBodyFault.missingMember(path: path.text) }
        return LenientDecoder(value: value, codingPath: path, target: target)
    }

    func contains(_ key: Key) -> Bool {
        if members[key.stringValue] != nil { return true }
        let name = key.stringValue.inCamelCase
        if aliases[name] != nil { return true }
        return name != key.stringValue && members[name] != nil
    }
    func decodeNil(forKey key: Key) throws -> Bool { try find(key) == nil }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key, as: Bool.self).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key, as: String.self).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key, as: Double.self).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key, as: Float.self).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key, as: Int.self).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key, as: Int8.self).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key, as: Int16.self).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key, as: Int32.self).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key, as: Int64.self).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key, as: UInt.self).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key, as: UInt8.self).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try member(key, as: UInt16.self).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try member(key, as: UInt32.self).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try member(key, as: UInt64.self).decode(type) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try member(key, as: type).decode(type)
    }

    // MARK: Members that may be absent

    // By one look: otherwise it is asked first whether the member is there, then whether it is null, and then for it.

    private func present(_ key: Key, as target: Any.Type) throws -> LenientDecoder? {
        try find(key).map { LenientDecoder(value: $0, codingPath: codingPath + [key], target: target) }
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key, as: type)?.decode(type)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key, as: type)?.decode(type)
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try present(key, as: type)?.decode(type)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try present(key, as: type)?.decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try member(key, as: target).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key, as: target).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        LenientDecoder(value: .object(members), codingPath: codingPath, target: target)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key, as: target) }
}

extension String {
    /// The name without underscores, each followed by a capital: what protocol buffers make of `id_token` in JSON.
    fileprivate var inCamelCase: String {
        guard utf8.contains(UInt8(ascii: "_")) else { return self }
        return String(unsafeUninitializedCapacity: utf8.count) { buffer in
            var count = 0
            var capitalize = false
            for byte in utf8 {
                if byte == UInt8(ascii: "_") {
                    capitalize = true
                } else {
                    buffer[count] = capitalize ? byte.capital : byte
                    count += 1
                    capitalize = false
                }
            }
            return count
        }
    }
}

extension UInt8 {
    /// Only ASCII letters have capitals here: names of members are made of them.
    fileprivate var capital: UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) ? self - 32 : self
    }
}
