import Testing

@testable import JSON

@Suite("Bytes of ASCII")
struct ASCIIBytesTests {
    @Test func `Letters and digits are the sixty-two of ASCII`() {
        let found = String(decoding: (UInt8.min...UInt8.max).filter(\.isASCIILetterOrDigit), as: UTF8.self)
        #expect(found == "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    }
}
