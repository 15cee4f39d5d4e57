/// SplitMix64: random enough for tests, and the same on every run and machine.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

extension SeededGenerator {
    /// A text that is made to confuse parsers: delimiters, halves of escapes, digits, marks, anything.
    mutating func text(upTo length: Int) -> String {
        let tricky: [String] = [
            ":", "/", "?", "#", "&", "=", "%", "%3A", "%2", "%zz", "%00", "%FF", "+", " ", "-", "@", "\u{301}", "\r\n",
            "\u{0}", "\u{1B}[2J", "\u{202E}", "ü", "日本", "👩‍👩‍👧", "0", "7", "９", "A", "z", "secret=", "issuer=",
            "digits=", "period=", "counter=", "algorithm=", "SHA1", "otpauth://", "totp/", "hotp/", "JBSWY3DP",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...length, using: &self) {
            if Bool.random(using: &self) {
                text += tricky[Int.random(in: tricky.indices, using: &self)]
            } else if let scalar = Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &self)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
