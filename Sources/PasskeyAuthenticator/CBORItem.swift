/// CBOR to be written (RFC 8949, in the canonical form of CTAP 2.1, section 8, where the caller keeps to its order of labels).
///
/// Nothing is checked: a caller can compose what no reader takes.
public indirect enum CBORItem: Sendable {
    case int(Int)
    case bytes([UInt8])
    case text(String)
    case bool(Bool)
    case array([CBORItem])
    case map([(CBORItem, CBORItem)])
    /// Bytes as they are.
    case raw([UInt8])

    public var encoded: [UInt8] {
        switch self {
        case .int(let value): Self.head(value < 0 ? 1 : 0, value < 0 ? UInt64(-1 - value) : UInt64(value))
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let items): Self.head(4, UInt64(items.count)) + items.flatMap(\.encoded)
        case .map(let members):
            Self.head(5, UInt64(members.count)) + members.flatMap { $0.0.encoded + $0.1.encoded }
        case .bool(let value): [value ? 0xF5 : 0xF4]
        case .raw(let bytes): bytes
        }
    }

    /// The initial byte and the number, in its shortest form.
    public static func head(_ major: UInt8, _ value: UInt64) -> [UInt8] {
        let bytes = { (count: Int) in
            (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
        }
        return switch value {
        case ..<24: [major << 5 | UInt8(value)]
        case ..<0x100: [major << 5 | 24] + bytes(1)
        case ..<0x1_0000: [major << 5 | 25] + bytes(2)
        case ..<0x1_0000_0000: [major << 5 | 26] + bytes(4)
        default: [major << 5 | 27] + bytes(8)
        }
    }
}
