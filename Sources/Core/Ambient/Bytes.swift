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
}
