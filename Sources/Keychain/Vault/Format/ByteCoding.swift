import KeychainTypes

/// Writes the canonical encoding of docs/vault-format.md: integers big-endian, byte strings after their length.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func integer<I: FixedWidthInteger & UnsignedInteger>(_ value: I) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Bytes whose number the format fixes.
    mutating func raw(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }

    /// Bytes after their length, which is an integer of type `length`.
    mutating func string<I: FixedWidthInteger & UnsignedInteger>(_ value: some Collection<UInt8>, _ length: I.Type) {
        integer(I(value.count))
        raw(value)
    }

    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }
}

/// Reads it. Total: whatever the bytes, every step gives a value within its bounds or throws
/// ``KeychainError/corrupted(_:)``; nothing is allocated before the bytes are known to be there.
struct ByteReader {
    private let bytes: [UInt8]
    private(set) var offset: Int
    private let end: Int

    init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    var remaining: Int { end - offset }

    mutating func range(_ count: Int, _ what: String) throws(KeychainError) -> Range<Int> {
        guard count >= 0, count <= remaining else { throw .corrupted("the vault ends inside \(what)") }
        defer { offset += count }
        return offset..<(offset + count)
    }

    mutating func raw(_ count: Int, _ what: String) throws(KeychainError) -> [UInt8] {
        Array(bytes[try range(count, what)])
    }

    mutating func integer<I: FixedWidthInteger & UnsignedInteger>(
        _ type: I.Type, _ what: String
    ) throws(KeychainError) -> I {
        bytes[try range(I.bitWidth / 8, what)].reduce(0) { I(truncatingIfNeeded: UInt64($0) << 8 | UInt64($1)) }
    }

    mutating func integer<I: FixedWidthInteger & UnsignedInteger>(_ what: String) throws(KeychainError) -> I {
        try integer(I.self, what)
    }

    /// A byte string of at most `limit` bytes after its length.
    mutating func string<I: FixedWidthInteger & UnsignedInteger>(
        _ length: I.Type, limit: Int, _ what: String
    ) throws(KeychainError) -> [UInt8] {
        Array(bytes[try stringRange(length, limit: limit, what)])
    }

    mutating func stringRange<I: FixedWidthInteger & UnsignedInteger>(
        _ length: I.Type, limit: Int, _ what: String
    ) throws(KeychainError) -> Range<Int> {
        let count = try integer(length, what)
        guard count <= limit else { throw .corrupted("\(what) is longer than this version writes") }
        return try range(Int(count), what)
    }

    /// How many of something follow, within `bounds`.
    mutating func count<I: FixedWidthInteger & UnsignedInteger>(
        _ type: I.Type, _ bounds: ClosedRange<Int>, _ what: String
    ) throws(KeychainError) -> Int {
        let count = try integer(type, what)
        guard let count = Int(exactly: count), bounds.contains(count) else {
            throw .corrupted("the vault has an impossible number of \(what)")
        }
        return count
    }

    func finish(_ what: String) throws(KeychainError) {
        guard remaining == 0 else { throw .corrupted("there are bytes after the end of \(what)") }
    }
}
