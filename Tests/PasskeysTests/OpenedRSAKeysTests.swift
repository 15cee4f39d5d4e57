import Testing

@testable import Passkeys

@Suite("RSA keys that were opened")
struct OpenedRSAKeysTests {
    private let rest = [0xC3] + [UInt8](repeating: 0x55, count: 255)

    @Test
    func `Keys whose numbers are the same bytes one after the other are told apart`() throws {
        let keys = OpenedRSAKeys()
        let one = try keys.key(modulus: [5] + rest, exponent: [3])
        let other = try keys.key(modulus: rest, exponent: [3, 5])
        #expect(VerificationKey.rsa(one).representation != VerificationKey.rsa(other).representation)
        let again = try keys.key(modulus: [5] + rest, exponent: [3])
        #expect(VerificationKey.rsa(again).representation == VerificationKey.rsa(one).representation)
        #expect(keys.count == 2)
    }

    @Test
    func `No more keys are kept than there is room for, and what is no key is not kept`() throws {
        let keys = OpenedRSAKeys()
        for number in 0...OpenedRSAKeys.capacity {
            var modulus = rest
            (modulus[1], modulus[2]) = (UInt8(number >> 8), UInt8(number & 0xFF))
            _ = try keys.key(modulus: modulus, exponent: [1, 0, 1])
        }
        #expect(keys.count == 1)
        #expect(throws: (any Error).self) { try keys.key(modulus: rest, exponent: [2]) }
        #expect(keys.count == 1)
    }
}
