extension Sequence<UInt8> {
    /// Lower-case hexadecimal, two characters a byte.
    public var hex: String { String(decoding: hexDigits, as: UTF8.self) }

    /// The same as ASCII.
    var hexDigits: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            result.append(Self.hexDigit(byte >> 4))
            result.append(Self.hexDigit(byte & 15))
        }
        return result
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
