import OneTimePassword
import Testing

@Suite struct OneTimeCodeTests {
    @Test(
        arguments: [
            ("000000", 6), ("000001", 6), ("012345", 6), ("07081804", 8), ("000000000", 9), ("0000000000", 10),
            ("0082162583", 10), ("2147483647", 10), ("4294967295", 10),
        ])
    func `leading zeros are kept`(text: String, digits: Int) throws {
        let code = try #require(OneTimeCode(typed: text, digits: digits))
        #expect(code.stringCode == text)
        #expect("\(code)" == text)
        #expect(code.value == UInt32(text))
        #expect(code.digits == digits)
    }

    @Test(
        arguments: [
            "123456", " 123456", "123456\n", "123 456", "12 34 56", "\t123\u{00A0}456\r\n", "1  2 3 4 5 6 ",
            "123\u{202F}456", "\u{3000}123456\u{3000}",
        ])
    func `spaces inside and white space around do not matter`(text: String) {
        #expect(OneTimeCode(typed: text, digits: 6)?.value == 123_456)
    }

    @Test(
        arguments: [
            "", " ", "12345", "1234567", "0123456", "12345a", "-23456", "+123456", "123-456", "123.456", "0x1234",
            "123\n456", "123\t456", "１２３４５６", "١٢٣٤٥٦", "12345６", "123456\u{301}", "1\u{301}23456", "12345\u{0}",
            "①②③④⑤⑥", "123\u{200B}456", "1e5000", "🔢🔢🔢🔢🔢🔢",
        ])
    func `anything but exactly as many ASCII digits is no code`(text: String) {
        #expect(OneTimeCode(typed: text, digits: 6) == nil)
    }

    @Test
    func `ten digits that no 32 bits hold are no code, and neither is a long run of digits`() {
        #expect(OneTimeCode(typed: "4294967296", digits: 10) == nil)
        #expect(OneTimeCode(typed: "9999999999", digits: 10) == nil)
        #expect(OneTimeCode(typed: String(repeating: "9", count: 100_000), digits: 10) == nil)
        #expect(OneTimeCode(typed: String(repeating: "0", count: 100_000), digits: 6) == nil)
    }

    @Test(arguments: [Int.min, -1, 0, 1, 5, 11, Int.max])
    func `a number of digits out of range is no code`(digits: Int) {
        #expect(OneTimeCode(typed: "12345", digits: digits) == nil)
        #expect(OneTimeCode(typed: "12345678901", digits: digits) == nil)
    }

    @Test
    func `codes are equal if the text is, not if the number is`() {
        #expect(OneTimeCode(typed: "012345", digits: 6) == OneTimeCode(typed: "012 345", digits: 6))
        #expect(OneTimeCode(typed: "012345", digits: 6) != OneTimeCode(typed: "0012345", digits: 7))
        #expect(OneTimeCode(typed: "012345", digits: 6) != OneTimeCode(typed: "012346", digits: 6))
    }
}
