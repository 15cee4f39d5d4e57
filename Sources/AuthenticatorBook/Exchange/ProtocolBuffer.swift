import Foundation

/// The wire format of protocol buffers, as far as two small messages need it: fields in any order, unknown ones passed
/// over. See docs/decisions/0054 for why this is not a package.
struct ProtocolBufferReader {
    struct Malformed: Error {}

    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
        /// Four or eight bytes, which neither message has.
        case fixed
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// The next field; nil at the end.
    mutating func next() throws(Malformed) -> (field: UInt64, value: Value)? {
        guard !rest.isEmpty else { return nil }
        let key = try varint()
        let field = key >> 3
        guard field > 0, field < 1 << 29 else { throw Malformed() }
        switch key & 7 {
        case 0: return (field, .number(try varint()))
        case 1:
            _ = try take(8)
            return (field, .fixed)
        case 2:
            let count = try varint()
            guard count <= UInt64(rest.count) else { throw Malformed() }
            return (field, .bytes(try take(Int(count))))
        case 5:
            _ = try take(4)
            return (field, .fixed)
        default: throw Malformed()
        }
    }

    private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// At most ten bytes; bits beyond the 64th are refused.
    private mutating func varint() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { throw Malformed() }
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || bits <= 1 else { throw Malformed() }
            value |= bits << shift
            if byte & 0x80 == 0 { return value }
        }
        throw Malformed()
    }
}

/// Writes what ``ProtocolBufferReader`` reads. Zeros are left out, as proto3 does.
struct ProtocolBufferWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ field: UInt64, _ number: UInt64) {
        guard number != 0 else { return }
        varint(field << 3)
        varint(number)
    }

    mutating func add(_ field: UInt64, _ content: some Collection<UInt8>) {
        varint(field << 3 | 2)
        varint(UInt64(content.count))
        bytes += content
    }

    private mutating func varint(_ value: UInt64) {
        var value = value
        while value >= 0x80 {
            bytes.append(UInt8(value & 0x7F) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }
}
