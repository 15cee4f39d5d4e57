import JSON
import Testing

@Suite struct ConstantTimeTests {
    @Test
    func `equal bytes are equal, whatever holds them`() {
        #expect(ConstantTime.equal([], []))
        #expect(ConstantTime.equal("abc".utf8, Array("abc".utf8)))
        #expect(ConstantTime.equal([1, 2, 3, 4][1...2], [2, 3]))
    }

    @Test
    func `a difference in any one bit, and in length, is found`() {
        let bytes = [UInt8](0..<20)
        for place in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[place] ^= 1 << bit
                #expect(!ConstantTime.equal(bytes, other))
            }
        }
        #expect(!ConstantTime.equal(bytes, bytes.dropLast()))
        #expect(!ConstantTime.equal(bytes, bytes + [0]))
        #expect(!ConstantTime.equal([], [0]))
    }
}
