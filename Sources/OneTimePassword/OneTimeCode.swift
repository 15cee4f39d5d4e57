/// A one-time code of six to ten decimal digits, as an authenticator shows it and a user types it.
///
/// The number alone is not the code: `007041` and `7041` are different texts. Show and send ``stringCode``.
///
/// Codes compare in constant time, and only codes of the same number of digits are equal.
public struct OneTimeCode: Sendable {
    /// How many digits a code may have. RFC 4226 section 5.3 asks for six at least; the 31 bits of a truncated HMAC
    /// fill ten at most, and the first of ten is only 0, 1 or 2.
    public static let allowedDigits = 6...10

    /// The number that the digits stand for, less than ten to the power of ``digits``.
    public let value: UInt32

    /// How many digits the code has, leading zeros included.
    public let digits: Int

    /// The code as text, ``digits`` characters long, leading zeros kept.
    public var stringCode: String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// Keeps the last `digits` decimal digits of a truncated HMAC (RFC 4226 section 5.3, step 3).
    ///
    /// The generator's initializer has checked `digits`.
    init(truncated: UInt32, digits: Int) {
        var modulus: UInt64 = 1
        for _ in 0..<digits { modulus *= 10 }
        self.value = UInt32(truncatingIfNeeded: UInt64(truncated) % modulus)
        self.digits = digits
    }

    /// The code that a person typed, or `nil` if this cannot be a code of `digits` digits.
    ///
    /// White space around the code and spaces inside it ("123 456") are ignored, because authenticators show codes in
    /// groups. What remains must be exactly `digits` of the ASCII digits `0`–`9`; full-width, Arabic and other digits
    /// are refused.
    public init?(typed text: some StringProtocol, digits: Int) {
        guard Self.allowedDigits.contains(digits) else { return nil }
        if let value = Self.value(ofPlain: text.utf8, digits: digits) {
            self.value = value
            self.digits = digits
            return
        }
        let scalars = text.unicodeScalars
        let isSpace = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
        guard
            let first = scalars.firstIndex(where: { !isSpace($0) }),
            let last = scalars.lastIndex(where: { !isSpace($0) })
        else { return nil }

        var value: UInt64 = 0
        var count = 0
        for scalar in scalars[first...last] where scalar.properties.generalCategory != .spaceSeparator {
            guard ("0"..."9").contains(scalar), count < digits else { return nil }
            value = value * 10 + UInt64(scalar.value - 0x30)
            count += 1
        }
        // Ten digits can say more than 32 bits hold; no HMAC truncates to such a number.
        guard count == digits, let value = UInt32(exactly: value) else { return nil }
        self.value = value
        self.digits = digits
    }

    /// The number that the text stands for if it is nothing but `digits` ASCII digits, which is what most people type.
    private static func value(ofPlain text: some Collection<UInt8>, digits: Int) -> UInt32? {
        var value: UInt64 = 0
        var count = 0
        for byte in text {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9"), count < digits else { return nil }
            value = value * 10 + UInt64(byte & 15)
            count += 1
        }
        return count == digits ? UInt32(exactly: value) : nil
    }
}

extension OneTimeCode: Equatable {
    /// Compares the numbers as whole words, whose comparison takes the same time whatever they are.
    @inline(never)
    public static func == (a: Self, b: Self) -> Bool {
        (a.value ^ b.value) | UInt32(truncatingIfNeeded: a.digits ^ b.digits) == 0
    }
}

extension OneTimeCode: CustomStringConvertible {
    public var description: String { stringCode }
}
