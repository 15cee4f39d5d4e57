/// A data item of CBOR (RFC 8949), as far as authenticators send them: no floats, no tags, no indefinite lengths.
///
/// Byte strings are slices of what was read: nothing is copied but texts.
enum CBOR: Sendable {
    case unsigned(UInt64)
    /// −1 − n (RFC 8949, section 3.1).
    case negative(UInt64)
    case bytes(ArraySlice<UInt8>)
    case text(String)
    case array([CBOR])
    case map([Member])
    case bool(Bool)
    case null

    struct Member: Sendable {
        var key: CBOR
        var value: CBOR
    }

    /// The number, where 64 bits with a sign hold it.
    var integer: Int64? {
        switch self {
        case .unsigned(let value): Int64(exactly: value)
        case .negative(let value): Int64(exactly: value).map { -1 - $0 }
        default: nil
        }
    }

    var bytes: ArraySlice<UInt8>? { if case .bytes(let bytes) = self { bytes } else { nil } }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    var isMap: Bool { if case .map = self { true } else { false } }

    /// The value of that name, if this is a map that has it.
    subscript(_ name: String) -> CBOR? {
        guard case .map(let members) = self else { return nil }
        return members.first { $0.key.text == name }?.value
    }

    /// The value under that label, if this is a map that has it.
    subscript(_ label: Int64) -> CBOR? {
        guard case .map(let members) = self else { return nil }
        return members.first { $0.key.integer == label }?.value
    }
}

/// What is wrong with bytes that should be CBOR in the canonical form of CTAP2.
public enum CBORFault: Error, Sendable, Equatable {
    /// The bytes end inside an item, or a length says more than there is.
    case truncated
    /// Bytes come after the item.
    case trailingBytes
    /// A number or a length is not in its shortest form.
    case notMinimal
    /// An indefinite length, a tag, a float, or a simple value other than true, false and null.
    case unsupportedItem
    /// Arrays and maps inside each other more than eight deep, or more than 512 items, or a map with more than 64.
    case tooMuch
    /// A text that is not UTF-8.
    case invalidText
    /// A key of a map that is neither a number nor a text.
    case unsupportedKey
    /// A map has one key twice.
    case duplicateKey
}

/// Reads CBOR in the canonical form of CTAP2 (CTAP 2.1, section 8) out of bytes from a stranger.
///
/// Every length is compared with what is left before anything is allocated for it, and depth and number of items are bounded. One
/// rule of the canonical form is not asked for, the order of keys: some authenticators get it wrong.
struct CBORReader {
    static let depthLimit = 8
    static let itemLimit = 512
    static let memberLimit = 64

    private(set) var rest: ArraySlice<UInt8>
    private var items = 0

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The one item that the bytes hold.
    static func item(in bytes: ArraySlice<UInt8>) throws(CBORFault) -> CBOR {
        var reader = CBORReader(bytes)
        let item = try reader.item()
        guard reader.rest.isEmpty else { throw .trailingBytes }
        return item
    }

    /// The next item; ``rest`` is what follows it.
    mutating func item() throws(CBORFault) -> CBOR { try item(depth: 0) }

    private mutating func item(depth: Int) throws(CBORFault) -> CBOR {
        guard depth <= Self.depthLimit, items < Self.itemLimit else { throw .tooMuch }
        items += 1
        guard let initial = rest.popFirst() else { throw .truncated }
        switch initial >> 5 {
        case 0: return .unsigned(try argument(initial))
        case 1: return .negative(try argument(initial))
        case 2: return .bytes(try taken(argument(initial)))
        case 3:
            // Decoding repairs what is not UTF-8, and changes it by that.
            let bytes = try taken(argument(initial))
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.utf8.elementsEqual(bytes) else { throw .invalidText }
            return .text(text)
        case 4: return try array(count: argument(initial), depth: depth)
        case 5: return try map(count: argument(initial), depth: depth)
        case 7:
            switch initial & 31 {
            case 20: return .bool(false)
            case 21: return .bool(true)
            case 22: return .null
            default: throw .unsupportedItem
            }
        default: throw .unsupportedItem
        }
    }

    private mutating func array(count: UInt64, depth: Int) throws(CBORFault) -> CBOR {
        // An element has at least one byte.
        guard count <= UInt64(rest.count) else { throw .truncated }
        guard count <= UInt64(Self.itemLimit - items) else { throw .tooMuch }
        var elements: [CBOR] = []
        elements.reserveCapacity(Int(count))
        for _ in 0..<count { elements.append(try item(depth: depth + 1)) }
        return .array(elements)
    }

    private mutating func map(count: UInt64, depth: Int) throws(CBORFault) -> CBOR {
        // A key and its value have at least one byte each.
        guard count <= UInt64(rest.count / 2) else { throw .truncated }
        guard count <= UInt64(Self.memberLimit), count <= UInt64((Self.itemLimit - items) / 2) else { throw .tooMuch }
        var members: [CBOR.Member] = []
        members.reserveCapacity(Int(count))
        var keys: [ArraySlice<UInt8>] = []
        keys.reserveCapacity(Int(count))
        for _ in 0..<count {
            let start = rest.startIndex
            let whole = rest
            let key = try item(depth: depth + 1)
            switch key {
            case .unsigned, .negative, .text: break
            default: throw .unsupportedKey
            }
            // Lengths are minimal, so equal keys are equal bytes.
            let encoded = whole[start..<rest.startIndex]
            guard !keys.contains(encoded) else { throw .duplicateKey }
            keys.append(encoded)
            members.append(CBOR.Member(key: key, value: try item(depth: depth + 1)))
        }
        return .map(members)
    }

    /// The number in the initial byte or in those that follow it, in its shortest form.
    private mutating func argument(_ initial: UInt8) throws(CBORFault) -> UInt64 {
        let short = initial & 31
        guard short >= 24 else { return UInt64(short) }
        guard short <= 27 else { throw .unsupportedItem }
        let bytes = try taken(1 << UInt64(short - 24))
        let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let least: UInt64 =
            switch short {
            case 24: 24
            case 25: 1 << 8
            case 26: 1 << 16
            default: 1 << 32
            }
        guard value >= least else { throw .notMinimal }
        return value
    }

    private mutating func taken(_ count: UInt64) throws(CBORFault) -> ArraySlice<UInt8> {
        guard count <= UInt64(rest.count) else { throw .truncated }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
