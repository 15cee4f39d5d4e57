import OneTimePassword
import Testing

@Suite struct HOTPTests {
    static let secret = Array("12345678901234567890".utf8)

    /// RFC 4226 appendix D: the truncated HMAC and the code of six digits.
    static let vectors: [(counter: UInt64, truncated: UInt32, code: String)] = [
        (0, 1_284_755_224, "755224"),
        (1, 1_094_287_082, "287082"),
        (2, 137_359_152, "359152"),
        (3, 1_726_969_429, "969429"),
        (4, 1_640_338_314, "338314"),
        (5, 868_254_676, "254676"),
        (6, 1_918_287_922, "287922"),
        (7, 82_162_583, "162583"),
        (8, 673_399_871, "399871"),
        (9, 645_520_489, "520489"),
    ]

    @Test(arguments: vectors)
    func `the vectors of RFC 4226 come out`(counter: UInt64, truncated: UInt32, code: String) throws {
        #expect(try HOTP(secret: Self.secret).code(counter: counter).stringCode == code)
        // Ten digits hold all 31 bits, so that such a code is the truncated value itself.
        let whole = try HOTP(secret: Self.secret, digits: 10).code(counter: counter)
        #expect(whole.value == truncated)
        #expect(whole.stringCode.count == 10)
    }

    @Test(arguments: vectors)
    func `fewer digits are the last ones of more digits, leading zeros included`(
        counter: UInt64, truncated: UInt32, code: String
    ) throws {
        let whole = try HOTP(secret: Self.secret, digits: 10).code(counter: counter).stringCode
        for digits in 6...10 {
            let code = try HOTP(secret: Self.secret, digits: digits).code(counter: counter)
            #expect(code.stringCode == String(whole.suffix(digits)))
        }
    }

    @Test
    func `parameters out of range are refused`() {
        #expect(throws: OTPParameterError.emptySecret) { try HOTP(secret: []) }
        for digits in [Int.min, -6, 0, 5, 11, Int.max] {
            #expect(throws: OTPParameterError.digitsOutOfRange(digits)) { try HOTP(secret: [1], digits: digits) }
        }
        #expect(OTPParameterError.digitsOutOfRange(5).description == "a code of 5 digits is not possible: use 6 to 10")
    }

    @Test(
        arguments: [
            ("969429", 3, 0, 3), ("969429", 2, 1, 3), ("969429", 0, 3, 3), ("969429", 0, 100, 3),
            ("969429", 0, 2, nil), ("969429", 2, 0, nil), ("969429", 4, 100, nil),
            ("969 429", 3, 0, 3), ("969428", 3, 3, nil), ("", 3, 3, nil), ("69429", 3, 3, nil),
            ("969429", 3, -1, 3), ("969429", 2, .min, nil),
        ] as [(String, UInt64, Int, UInt64?)])
    func `a code is found at the counter or up to lookAhead after it, and nowhere else`(
        candidate: String, counter: UInt64, lookAhead: Int, match: UInt64?
    ) throws {
        let hotp = try HOTP(secret: Self.secret)
        #expect(hotp.verify(candidate, counter: counter, lookAhead: lookAhead) == match)
    }

    @Test
    func `an absurd lookAhead is cut down`() throws {
        let hotp = try HOTP(secret: Self.secret, digits: 10)
        let last = UInt64(HOTP.maximumLookAhead)
        let code = hotp.code(counter: last).stringCode
        let beyond = hotp.code(counter: last + 1).stringCode
        #expect(hotp.verify(code, counter: 0, lookAhead: .max) == last)
        #expect(hotp.verify(beyond, counter: 0, lookAhead: .max) == nil)
    }

    @Test
    func `the last counters do not overflow`() throws {
        let hotp = try HOTP(secret: Self.secret, digits: 10)
        let code = hotp.code(counter: .max).stringCode
        #expect(hotp.verify(code, counter: .max, lookAhead: 100) == .max)
        #expect(hotp.verify(code, counter: .max - 5, lookAhead: 5) == .max)
        #expect(hotp.verify(code, counter: .max - 5, lookAhead: 100) == .max)
        #expect(hotp.verify(code, counter: .max - 5, lookAhead: 4) == nil)
    }

    @Test
    func `if two counters of the window have the same code, the later is the match`() throws {
        // With six digits, two counters near to each other have the same code often enough to be found.
        let hotp = try HOTP(secret: Self.secret)
        let (first, second) = try #require(Collision.find(hotp, within: 100))
        let code = hotp.code(counter: first).stringCode
        #expect(code == hotp.code(counter: second).stringCode)
        #expect(hotp.verify(code, counter: first, lookAhead: 100) == second)
        #expect(hotp.verify(code, counter: second + 1, lookAhead: 0) == nil)
    }

    @Test
    func `neither print nor dump shows the secret`() throws {
        let hotp = try HOTP(secret: Self.secret)
        #expect("\(hotp)" == "HOTP(SHA1, 6 digits, secret: <secret>)")
        expectRedacted(hotp, secret: Self.secret)
    }
}

/// The first two counters, near to each other, that have the same code by chance.
enum Collision {
    static func find(_ hotp: HOTP, within distance: UInt64) -> (UInt64, UInt64)? {
        var seen: [UInt32: UInt64] = [:]
        for counter in UInt64(0)..<200_000 {
            let value = hotp.code(counter: counter).value
            if let earlier = seen[value], counter - earlier <= distance { return (earlier, counter) }
            seen[value] = counter
        }
        return nil
    }
}
