/// The percent-encoding of RFC 3986, without the dialect of HTML forms: a space is `%20`, and `+` is a plus.
///
/// Written out because the parsers of Foundation's versions disagree about what they accept.
enum PercentEncoding {
    /// The text that `bytes` encode, or `nil` if a `%` has no two hexadecimal digits after it or the result is not
    /// UTF-8.
    ///
    /// Characters that should have been encoded and were not stand for themselves.
    static func decode(_ bytes: some Collection<UInt8>) -> String? {
        var decoded: [UInt8] = []
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(hexValue), let low = rest.next().flatMap(hexValue) else { return nil }
            decoded.append(high << 4 | low)
        }
        // Decoding repairs what is not UTF-8, and a repaired text is not the one that was sent.
        let text = String(decoding: decoded, as: UTF8.self)
        return text.utf8.elementsEqual(decoded) ? text : nil
    }

    private static func hexValue(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
