import Testing

@testable import JSON

@Suite("Bytes of ASCII")
struct ASCIIBytesTests {
    @Test func `Letters and digits are the sixty-two of ASCII`() {
        func found(_ fits: (UInt8) -> Bool) -> String {
            String(decoding: (UInt8.min...UInt8.max).filter(fits), as: UTF8.self)
        }
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        #expect(found(\.isASCIIDigit) == "0123456789" && found(\.isASCIILetter) == letters)
        #expect(found(\.isASCIILetterOrDigit) == "0123456789" + letters)
    }

    /// RFC 3986, section 2.3.
    @Test func `Percent-encoding keeps letters, digits and four signs, and writes all else in upper case`() {
        #expect("aZ09-._~".percentEncoded == "aZ09-._~" && "".percentEncoded == "")
        #expect("a b+c&d=é/\u{0}".percentEncoded == "a%20b%2Bc%26d%3D%C3%A9%2F%00")
    }
}
