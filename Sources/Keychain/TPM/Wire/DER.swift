/// The little of DER (X.690) that key files and public keys need.
enum DER {
    static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(0x30, parts.flatMap { $0 }) }

    static let null: [UInt8] = [0x05, 0x00]

    static func boolean(_ value: Bool) -> [UInt8] { [0x01, 0x01, value ? 0xFF : 0x00] }

    static func octetString(_ content: [UInt8]) -> [UInt8] { element(0x04, content) }

    static func bitString(_ content: [UInt8]) -> [UInt8] { element(0x03, [0] + content) }

    static func explicit(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { element(0xA0 | number, content) }

    /// A non-negative integer from its big-endian bytes.
    static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        let digits = magnitude.drop { $0 == 0 }
        return element(0x02, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : Array(digits))
    }

    static func objectIdentifier(_ arcs: [UInt32]) -> [UInt8] {
        var content: [UInt8] = []
        for arc in [arcs[0] * 40 + arcs[1]] + arcs[2...] {
            var groups = [UInt8(arc & 0x7F)]
            var rest = arc >> 7
            while rest > 0 {
                groups.append(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            content += groups.reversed()
        }
        return element(0x06, content)
    }

    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            }
        return [tag] + length + content
    }
}

/// Reads DER elements of less than 64 KiB; refuses lengths that are longer than they need to be.
struct DERReader {
    private var rest: [UInt8]

    init(_ bytes: [UInt8]) { rest = bytes }

    /// The tag of the next element; nil at the end.
    var tag: UInt8? { rest.first }

    /// The content of the next element, which must have this tag.
    mutating func content(_ tag: UInt8) throws(WireReader.Fault) -> [UInt8] {
        var reader = WireReader(rest)
        guard try reader.uint8() == tag else { throw WireReader.Fault(what: "an unexpected ASN.1 element") }
        var count = Int(try reader.uint8())
        if count >= 0x80 {
            switch count {
            case 0x81:
                count = Int(try reader.uint8())
                guard count >= 0x80 else { throw WireReader.Fault(what: "an ASN.1 length that is not DER") }
            case 0x82:
                count = Int(try reader.uint16())
                guard count >= 0x100 else { throw WireReader.Fault(what: "an ASN.1 length that is not DER") }
            default: throw WireReader.Fault(what: "an ASN.1 length that is too long")
            }
        }
        let content = try reader.bytes(count)
        rest = reader.remainder()
        return content
    }

    func finish() throws(WireReader.Fault) {
        guard rest.isEmpty else { throw WireReader.Fault(what: "\(rest.count) bytes too many") }
    }
}
