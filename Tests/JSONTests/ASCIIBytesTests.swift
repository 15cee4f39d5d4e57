import Testing

@testable import JSON

@Suite("Bytes of ASCII")
struct ASCIIBytesTests {
    @Test func `Letters and digits are the sixty-two of ASCII`() {
        let found = String(decoding: (UInt8.min...UInt8.max).filter(\.isASCIILetterOrDigit), as: UTF8.self)
        #expect(found == "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    }

    /// RFC 3986, section 2.3.
    @Test func `Percent-encoding keeps letters, digits and four signs, and writes all else in upper case`() {
        #expect("aZ09-._~".percentEncoded == "aZ09-._~" && "".percentEncoded == "")
        #expect("a b+c&d=é/\u{0}".percentEncoded == "a%20b%2Bc%26d%3D%C3%A9%2F%00")
    }
}
