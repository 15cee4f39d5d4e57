import Foundation

extension Sequence<UInt8> {
    /// Lower-case hexadecimal, two characters a byte.
    public var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        var result = ""
        for byte in self {
            result.unicodeScalars.append(Unicode.Scalar(digits[Int(byte >> 4)]))
            result.unicodeScalars.append(Unicode.Scalar(digits[Int(byte & 15)]))
        }
        return result
    }

    /// Base64 with the URL-safe alphabet and no padding (RFC 4648, section 5).
    public var base64URL: String {
        Data(self).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}

extension Array where Element == UInt8 {
    /// The bytes of URL-safe Base64 without padding, or nil where the text is not that.
    public init?(base64URL text: some StringProtocol) {
        var standard = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        standard += String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard !text.contains("="), let data = Data(base64Encoded: standard) else { return nil }
        self = Array(data)
    }
}
