import Foundation

extension JSONValue {
    /// The value as JSON text (RFC 8259), the same bytes for the same value: members in the order of their names' bytes,
    /// slashes as they are. Tokens are written so for every sign-in and refresh; `JSONEncoder` takes several times as
    /// long.
    /// - Throws: `EncodingError` where a number is infinite or none.
    func jsonText() throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        try append(to: &bytes)
        return bytes
    }

    private func append(to bytes: inout [UInt8]) throws {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .number(let value): bytes.append(contentsOf: try JSONEncoder().encode(value))
        case .string(let value): Self.append(value, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.append(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                try member.value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// A string with what has to be escaped escaped (section 7): quotes, backslashes, controls.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        let quote = UInt8(ascii: "\"")
        let backslash = UInt8(ascii: "\\")
        bytes.append(quote)
        for byte in text.utf8 {
            switch byte {
            case quote, backslash:
                bytes.append(backslash)
                bytes.append(byte)
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(contentsOf: CollectionOfOne(byte).hex.utf8)
            default: bytes.append(byte)
            }
        }
        bytes.append(quote)
    }
}
