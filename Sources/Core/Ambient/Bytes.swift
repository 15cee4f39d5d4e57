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
        var encoded = Array(Data(self).base64EncodedData())
        while encoded.last == UInt8(ascii: "=") { encoded.removeLast() }
        for index in encoded.indices {
            switch encoded[index] {
            case UInt8(ascii: "+"): encoded[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): encoded[index] = UInt8(ascii: "_")
            default: break
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

extension Array where Element == UInt8 {
    /// The bytes of URL-safe Base64 without padding, or nil where the text is not that.
    public init?(base64URL text: some StringProtocol) {
        var standard = Array(text.utf8)
        for index in standard.indices {
            switch standard[index] {
            case UInt8(ascii: "-"): standard[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): standard[index] = UInt8(ascii: "/")
            case UInt8(ascii: "="): return nil
            default: break
            }
        }
        standard.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - standard.count % 4) % 4))
        guard let data = Data(base64Encoded: Data(standard)) else { return nil }
        self = Array(data)
    }
}
