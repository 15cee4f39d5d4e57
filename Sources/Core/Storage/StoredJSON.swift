import Foundation

/// What rows keep as JSON, with a coder of its own that reads and writes members in place.
///
/// The form is that of `JSONEncoder` and `JSONDecoder` with their standard strategies (instants as seconds since 2001, bytes as Base64),
/// so that rows of every earlier version are read, and servers of the version before read what this one writes
/// (docs/decisions/0160). Members that a later version adds are passed over.
///
/// A type that is read or written often has its coder beside it. For any other `Codable` type it is enough to name this protocol.
package protocol StoredJSON {
    init(from json: inout JSONReader) throws
    func write(to json: inout JSONWriter) throws
}

extension StoredJSON {
    /// The value that a row keeps.
    /// - Throws: ``StoreError`` of code `corrupt` where the bytes are none.
    package init(stored bytes: some Sequence<UInt8>) throws {
        do {
            var json = try JSONReader(Array(bytes), depthLimit: storedDepth)
            try self.init(from: &json)
            try json.end()
        } catch {
            throw StoreError(.corrupt, "A stored \(Self.self) cannot be read.", detail: "\(error)")
        }
    }

    /// The bytes for a row.
    package var stored: Data {
        get throws {
            var json = JSONWriter()
            try write(to: &json)
            return Data(json.bytes)
        }
    }
}

/// Arrays and objects inside each other in what rows keep: what accounts and applications carry, and what is around it.
private let storedDepth = 64

/// For types that are seldom stored: by `JSONDecoder` and `JSONEncoder`.
extension StoredJSON where Self: Codable {
    package init(from json: inout JSONReader) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(json.text()))
    }

    package func write(to json: inout JSONWriter) throws {
        json.write(text: try JSONEncoder().encode(self))
    }
}

// MARK: Members

extension JSONReader {
    /// The value that comes next.
    mutating func read<Value: StoredJSON>(_ type: Value.Type = Value.self) throws -> Value { try Value(from: &self) }

    /// The value that comes next, or nil for `null`.
    mutating func readOptional<Value: StoredJSON>(_ type: Value.Type = Value.self) throws -> Value? {
        isNull() ? nil : try Value(from: &self)
    }

    /// A member without which the object is none.
    func required<Value>(_ value: Value?, _ name: StaticString) throws -> Value {
        guard let value else { throw malformed("no member \(name)") }
        return value
    }
}

extension JSONWriter {
    mutating func write(_ name: StaticString, _ value: some StoredJSON) throws {
        self.name(name)
        try value.write(to: &self)
    }

    /// A member that is left out where there is no value.
    mutating func write(_ name: StaticString, optional value: (some StoredJSON)?) throws {
        if let value { try write(name, value) }
    }
}

// MARK: Values

extension String: StoredJSON {
    package init(from json: inout JSONReader) throws { self = try json.string() }
    package func write(to json: inout JSONWriter) { json.write(self) }
}

extension Bool: StoredJSON {
    package init(from json: inout JSONReader) throws { self = try json.bool() }
    package func write(to json: inout JSONWriter) { json.write(self) }
}

extension Int: StoredJSON {
    package init(from json: inout JSONReader) throws { self = Int(try json.integer()) }
    package func write(to json: inout JSONWriter) { json.write(Int64(self)) }
}

extension UInt64: StoredJSON {
    package init(from json: inout JSONReader) throws {
        guard let value = UInt64(exactly: try json.integer()) else { throw json.malformed("a negative number") }
        self = value
    }

    package func write(to json: inout JSONWriter) throws {
        if let value = Int64(exactly: self) { json.write(value) } else { json.write(text: Data(String(self).utf8)) }
    }
}

/// Seconds since 2001-01-01T00:00:00Z, which is how `Date` codes itself.
extension Date: StoredJSON {
    package init(from json: inout JSONReader) throws { self.init(timeIntervalSinceReferenceDate: try json.number()) }
    package func write(to json: inout JSONWriter) throws { try json.write(timeIntervalSinceReferenceDate) }
}

/// Base64.
extension Data: StoredJSON {
    package init(from json: inout JSONReader) throws { self.init(try json.base64()) }
    package func write(to json: inout JSONWriter) { json.writeBase64(Array(self)) }
}

extension JSONValue: StoredJSON {
    package init(from json: inout JSONReader) throws { self = try json.value() }
}

extension Array: StoredJSON where Element: StoredJSON {
    package init(from json: inout JSONReader) throws {
        self = []
        try json.beginArray()
        while try json.nextElement() { append(try json.read()) }
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginArray()
        for element in self { try element.write(to: &json) }
        json.endArray()
    }
}

extension Dictionary: StoredJSON where Key == String, Value: StoredJSON {
    package init(from json: inout JSONReader) throws {
        self = [:]
        try json.beginObject()
        while let name = try json.nextMember() { self[name.text] = try json.read() }
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        for (name, value) in sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            json.name(name)
            try value.write(to: &json)
        }
        json.endObject()
    }
}

/// Ids and kinds, as their text.
extension StoredJSON where Self: RawRepresentable<String>, Self: Codable {
    package init(from json: inout JSONReader) throws {
        guard let value = Self(rawValue: try json.string()) else { throw json.malformed("an unknown word") }
        self = value
    }

    package func write(to json: inout JSONWriter) { json.write(rawValue) }
}
