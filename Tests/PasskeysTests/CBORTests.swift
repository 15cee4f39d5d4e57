import PasskeyTestSupport
import Testing

@testable import Passkeys

@Suite struct CBORTests {
    private func read(_ bytes: [UInt8]) throws -> CBOR { try CBORReader.item(in: bytes[...]) }

    /// RFC 8949, appendix A.
    @Test(
        arguments: [
            ([0x00], 0), ([0x17], 23), ([0x18, 0x18], 24), ([0x19, 0x03, 0xE8], 1000),
            ([0x1A, 0x00, 0x0F, 0x42, 0x40], 1_000_000),
            ([0x1B, 0x00, 0x00, 0x00, 0xE8, 0xD4, 0xA5, 0x10, 0x00], 1_000_000_000_000), ([0x20], -1), ([0x29], -10),
            ([0x38, 0x63], -100), ([0x39, 0x03, 0xE7], -1000),
        ] as [([UInt8], Int64)])
    func `numbers of RFC 8949 are read`(bytes: [UInt8], value: Int64) throws {
        #expect(try read(bytes).integer == value)
        #expect(CBORItem.int(Int(value)).encoded == bytes)
    }

    @Test func `numbers of more than 63 bits are read, and are no integers of ours`() throws {
        #expect(try read([0x1B] + [UInt8](repeating: 0xFF, count: 8)).integer == nil)
        #expect(try read([0x3B] + [UInt8](repeating: 0xFF, count: 8)).integer == nil)
        #expect(try read([0x3B, 0x7F] + [UInt8](repeating: 0xFF, count: 7)).integer == Int64.min)
    }

    @Test func `a map of texts, bytes and arrays is read as RFC 8949 has it`() throws {
        #expect(try read([0x64, 0x49, 0x45, 0x54, 0x46]).text == "IETF")
        #expect(try read([0x44, 1, 2, 3, 4]).bytes == [1, 2, 3, 4])
        let map = try read([0xA2, 0x61, 0x61, 0x01, 0x61, 0x62, 0x82, 0x02, 0x03])
        #expect(map["a"]?.integer == 1)
        guard case .array(let elements)? = map["b"] else { throw CBORFault.truncated }
        #expect(elements.map(\.integer) == [2, 3])
        #expect(try read([0xA1, 0x01, 0xF5])[1].map { if case .bool(true) = $0 { true } else { false } } == true)
    }

    @Test(
        arguments: [
            ([], .truncated), ([0x18], .truncated), ([0x19, 1], .truncated), ([0x41], .truncated), ([0x61], .truncated),
            ([0x82, 0x01], .truncated), ([0xA1, 0x01], .truncated), ([0x00, 0x00], .trailingBytes),
            ([0x18, 0x17], .notMinimal), ([0x19, 0x00, 0xFF], .notMinimal), ([0x1A, 0, 0, 0xFF, 0xFF], .notMinimal),
            ([0x1B, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], .notMinimal), ([0x58, 0x01, 0x00], .notMinimal),
            ([0x78, 0x01, 0x61], .notMinimal), ([0x98, 0x01, 0x00], .notMinimal),
            ([0x5F, 0x41, 0x00, 0xFF], .unsupportedItem), ([0x9F, 0xFF], .unsupportedItem),
            ([0xBF, 0xFF], .unsupportedItem),
            ([0xC0, 0x00], .unsupportedItem), ([0xF9, 0, 0], .unsupportedItem),
            ([0xFB] + [UInt8](repeating: 0, count: 8), .unsupportedItem),
            ([0xF7], .unsupportedItem), ([0xF8, 0x20], .unsupportedItem), ([0x1C], .unsupportedItem),
            ([0xFF], .unsupportedItem),
            ([0x61, 0xFF], .invalidText), ([0x62, 0xC3, 0x28], .invalidText),
            ([0xA2, 0x01, 0x00, 0x01, 0x00], .duplicateKey),
            ([0xA2, 0x61, 0x61, 0x00, 0x61, 0x61, 0x00], .duplicateKey),
            ([0xA1, 0x40, 0x00], .unsupportedKey), ([0xA1, 0x80, 0x00], .unsupportedKey),
            ([0xA1, 0xF5, 0x00], .unsupportedKey),
        ] as [([UInt8], CBORFault)])
    func `what is not canonical is refused`(bytes: [UInt8], fault: CBORFault) {
        #expect(throws: fault) { try read(bytes) }
    }

    @Test func `maps may be in any order`() throws {
        #expect(try read([0xA2, 0x02, 0x00, 0x01, 0x05])[1]?.integer == 5)
    }

    @Test(arguments: [2, 3, 4, 5] as [UInt8])
    func `lengths beyond the bytes are refused before anything is allocated`(major: UInt8) {
        for value: UInt64 in [4, 0xFF, 0xFFFF, 0xFFFF_FFFF, 1 << 62, .max] {
            #expect(throws: CBORFault.truncated) { try read(CBORItem.head(major, value) + [0, 0, 0]) }
        }
    }

    @Test func `depth and number of items are bounded`() throws {
        let nested = { (depth: Int) in [UInt8](repeating: 0x81, count: depth) + [0x00] }
        _ = try read(nested(8))
        #expect(throws: CBORFault.tooMuch) { try read(nested(9)) }
        #expect(throws: CBORFault.tooMuch) { try read(nested(60_000)) }
        _ = try read(CBORItem.array([CBORItem](repeating: .int(0), count: 511)).encoded)
        #expect(throws: CBORFault.tooMuch) {
            try read(CBORItem.array([CBORItem](repeating: .int(0), count: 512)).encoded)
        }
        #expect(throws: CBORFault.tooMuch) {
            try read(CBORItem.array([CBORItem](repeating: .int(0), count: 60_000)).encoded)
        }
        let map = { (count: Int) in CBORItem.map((0..<count).map { (.int($0), .int(0)) }).encoded }
        _ = try read(map(64))
        #expect(throws: CBORFault.tooMuch) { try read(map(65)) }
        // Arrays in arrays count together.
        let row = CBORItem.array([CBORItem](repeating: .int(0), count: 100))
        #expect(throws: CBORFault.tooMuch) { try read(CBORItem.array([CBORItem](repeating: row, count: 6)).encoded) }
    }
}
