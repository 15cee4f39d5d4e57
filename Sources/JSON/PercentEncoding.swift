extension String {
    /// Percent-encoded but for unreserved characters (RFC 3986, section 2.3): fit for an item of a query or a form, and for a part of a path.
    package var percentEncoded: String {
        if utf8.allSatisfy(\.isUnreserved) { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * utf8.count)
        for byte in utf8 {
            if byte.isUnreserved {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append((byte >> 4).hexDigit)
                bytes.append((byte & 15).hexDigit)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isUnreserved: Bool { isASCIILetterOrDigit || "-._~".utf8.contains(self) }

    /// In upper case; for 0 to 15.
    fileprivate var hexDigit: UInt8 { self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "A") - 10 + self }
}
