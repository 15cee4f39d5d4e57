import CountersignCore
import Foundation

/// What is kept as JSON text inside a row. Instants are microseconds since 1970, as they are in columns.
enum Document {
    static func encode(_ value: some Encodable) throws -> SQLValue {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { instant, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(instant.microseconds)
        }
        return SQLValue(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// The same text for members that hold no dates, in a fraction of the time: every audited event is written so.
    static func encode(_ members: [String: JSONValue]) throws -> SQLValue {
        SQLValue(String(decoding: try JSONValue.object(members).jsonText(), as: UTF8.self))
    }

    static func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            Date(microseconds: try decoder.singleValueContainer().decode(Int64.self))
        }
        return try decoder.decode(type, from: Data(text.utf8))
    }
}
