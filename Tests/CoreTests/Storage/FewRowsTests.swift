import Testing

@testable import CountersignCore

@Suite("A table of few rows")
struct FewRowsTests {
    @Test
    func `It has what a dictionary has, with few rows and with many`() {
        var generator = Numbers()
        var rows: FewRows<Int, String?> = [:]
        var expected: [Int: String?] = [:]
        var greatest = 0
        for step in 0..<4000 {
            // Few keys and then many, and few again.
            let key = Int.random(in: 0..<(step / 1000 % 2 == 0 ? 6 : 40), using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                rows[key] = nil
                expected[key] = nil
            case 1:
                rows[key] = .some(nil)
                expected[key] = .some(nil)
            default:
                rows[key] = .some("\(step)")
                expected[key] = .some("\(step)")
            }
            if step == 1999 { (rows, expected) = ([:], [:]) }
            greatest = max(greatest, expected.count)
            for key in -1...40 {
                #expect(rows[key] == expected[key])
                // A key without a row in the store is known all the same.
                #expect(rows.has(key) == expected.keys.contains(key))
            }
        }
        #expect(greatest > 2 * FewRows<Int, String?>.most)
    }

    private struct Numbers: RandomNumberGenerator {
        var state: UInt64 = 7

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }
}
