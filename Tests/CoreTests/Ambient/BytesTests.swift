import Foundation
import Synchronization
import Testing

@testable import CountersignCore

@Suite("Bytes, random text and instants")
struct BytesTests {
    @Test(
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func `URL-safe Base64 has the vectors of RFC 4648, section 10, without padding`(text: String, encoded: String) {
        #expect(Array(text.utf8).base64URL == encoded)
        #expect([UInt8](base64URL: encoded) == Array(text.utf8))
    }

    @Test
    func `Bytes beyond the common alphabet use - and _`() {
        #expect([UInt8]([0xfb, 0xff, 0xfe]).base64URL == "-__-")
        #expect([UInt8](base64URL: "-__-") == [0xfb, 0xff, 0xfe])
    }

    @Test
    func `A name of bytes begins with a letter, and is else their Base64`() {
        #expect([UInt8]([0xfb, 0xff, 0xfe]).base64URLName == "e__-")
        #expect([UInt8]([0x7b, 0xff, 0xfe]).base64URLName == "e__-")
        #expect([UInt8]().base64URLName == "")
    }

    @Test(
        arguments: ["Zg==", "Z", "Zg=", "Z g", "Zg\n", "é", "Zm9v!", "\u{0}"])
    func `What is no URL-safe Base64 is refused`(text: String) {
        #expect([UInt8](base64URL: text) == nil)
    }

    @Test
    func `Hexadecimal is lower case, two characters a byte`() {
        #expect([UInt8]([0, 1, 0x9f, 0xff]).hex == "00019fff")
        #expect([UInt8]().hex == "")
    }

    @Test
    func `A generated string takes every character equally often`() {
        let random = SeededRandom(seed: 9)
        for (alphabet, count) in [(StaticAlphabet.digits, 10), (.alphanumeric, 62)] {
            let text = random.string(count * 1000, of: alphabet)
            let counts = Dictionary(grouping: text, by: { $0 }).mapValues(\.count)
            #expect(text.count == count * 1000)
            #expect(counts.count == count)
            #expect(counts.values.allSatisfy { (800...1200).contains($0) })
        }
    }

    @Test
    func `A random UUID is of version 4 and of the variant of RFC 9562`() throws {
        for seed in 0..<20 {
            let text = SeededRandom(seed: UInt64(seed)).uuid()
            let uuid = try #require(UUID(uuidString: text))
            #expect(text == uuid.uuidString.lowercased())
            #expect(uuid.uuid.6 >> 4 == 4)
            #expect(uuid.uuid.8 >> 6 == 2)
        }
    }

    @Test(
        arguments: [0, 1, 7, 8, 9, 32, 256, 257, 1000])
    func `The system's generator gives as many bytes as asked for, and others each time`(count: Int) {
        let bytes = SystemRandom().bytes(count)
        #expect(bytes.count == count)
        #expect(count < 8 || bytes != SystemRandom().bytes(count))
        // Every part is filled, also what the kernel gives in several pieces.
        #expect(count < 32 || bytes.suffix(32).contains { $0 != 0 })
    }

    @Test
    func `No random value is given out twice, however many threads ask`() async {
        let values = await withTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<8 { group.addTask { (0..<4000).map { _ in SystemRandom().bytes(16) } } }
            return await group.reduce(into: [[UInt8]]()) { $0 += $1 }
        }
        #expect(values.count == 32_000 && Set(values).count == values.count)
    }

    @Test
    func `Random bytes that were drawn together are given out once each, in order, and overwritten in memory`() {
        let drawn = Mutex<UInt8>(0)
        var reserve = RandomReserve(capacity: 8) { buffer in
            for place in buffer.indices {
                buffer[place] = drawn.withLock {
                    $0 += 1
                    return $0
                }
            }
        }
        func take(_ count: Int) -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                reserve.take(into: UnsafeMutableRawBufferPointer(buffer), count)
                filled = count
            }
        }
        #expect(take(0) == [] && reserve.unused.isEmpty)
        #expect(
            take(3) == [1, 2, 3] && Array(reserve.given) == [0, 0, 0] && Array(reserve.unused) == [4, 5, 6, 7, 8])
        #expect(take(5) == [4, 5, 6, 7, 8] && reserve.given.allSatisfy { $0 == 0 } && reserve.unused.isEmpty)
        #expect(take(6) == [9, 10, 11, 12, 13, 14])
        // The two that are left are too few for one value.
        #expect(take(8) == [17, 18, 19, 20, 21, 22, 23, 24] && reserve.given == [0, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test
    func `An instant survives its microseconds, and no instant traps`() {
        for value in [0, 1, -1, 999_999, 1_790_000_000_000_001, -62_135_596_800_000_000, 4_102_444_799_999_999]
            as [Int64]
        {
            #expect(Date(microseconds: value).microseconds == value)
        }
        #expect(Date(microseconds: -1).seconds == -1)
        #expect(Date(microseconds: 1_999_999).seconds == 1)
        #expect(Date(microseconds: 1_999_999).milliseconds == 1999)
        for extreme in [Double.infinity, -.infinity, .nan, 1e300, -1e300] {
            let date = Date(timeIntervalSince1970: extreme)
            _ = (date.microseconds, date.milliseconds, date.seconds)
        }
        let now = SystemClock().now
        #expect(Date(microseconds: now.microseconds) == now)
    }
}
