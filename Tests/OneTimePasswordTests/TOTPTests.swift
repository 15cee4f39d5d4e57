import Foundation
import OneTimePassword
import Testing

@Suite struct TOTPTests {
    /// The seeds of RFC 6238 appendix B are as long as the hash; the text of the appendix leaves that to its code.
    static func seed(_ algorithm: OTPAlgorithm) -> [UInt8] {
        let length =
            switch algorithm {
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        return Array(String(repeating: "1234567890", count: 7).utf8.prefix(length))
    }

    static let vectors: [(time: TimeInterval, step: UInt64, algorithm: OTPAlgorithm, code: String)] = [
        (59, 0x1, .sha1, "94287082"),
        (59, 0x1, .sha256, "46119246"),
        (59, 0x1, .sha512, "90693936"),
        (1_111_111_109, 0x0235_23EC, .sha1, "07081804"),
        (1_111_111_109, 0x0235_23EC, .sha256, "68084774"),
        (1_111_111_109, 0x0235_23EC, .sha512, "25091201"),
        (1_111_111_111, 0x0235_23ED, .sha1, "14050471"),
        (1_111_111_111, 0x0235_23ED, .sha256, "67062674"),
        (1_111_111_111, 0x0235_23ED, .sha512, "99943326"),
        (1_234_567_890, 0x0273_EF07, .sha1, "89005924"),
        (1_234_567_890, 0x0273_EF07, .sha256, "91819424"),
        (1_234_567_890, 0x0273_EF07, .sha512, "93441116"),
        (2_000_000_000, 0x03F9_40AA, .sha1, "69279037"),
        (2_000_000_000, 0x03F9_40AA, .sha256, "90698825"),
        (2_000_000_000, 0x03F9_40AA, .sha512, "38618901"),
        (20_000_000_000, 0x27BC_86AA, .sha1, "65353130"),
        (20_000_000_000, 0x27BC_86AA, .sha256, "77737706"),
        (20_000_000_000, 0x27BC_86AA, .sha512, "47863826"),
    ]

    @Test(arguments: vectors)
    func `the vectors of RFC 6238 come out and are matched`(
        time: TimeInterval, step: UInt64, algorithm: OTPAlgorithm, code: String
    ) throws {
        let totp = try TOTP(secret: Self.seed(algorithm), algorithm: algorithm, digits: 8)
        let date = Date(timeIntervalSince1970: time)
        #expect(totp.step(at: date) == step)
        #expect(totp.code(at: date).stringCode == code)
        #expect(totp.code(step: step).stringCode == code)
        #expect(totp.matchedStep(for: code, at: date, window: 0) == step)
    }

    @Test
    func `parameters out of range are refused`() {
        #expect(throws: OTPParameterError.emptySecret) { try TOTP(secret: []) }
        for digits in [5, 11] {
            #expect(throws: OTPParameterError.digitsOutOfRange(digits)) { try TOTP(secret: [1], digits: digits) }
        }
        for period in [Int.min, -30, 0] {
            #expect(throws: OTPParameterError.periodOutOfRange(period)) { try TOTP(secret: [1], period: period) }
        }
    }

    @Test(
        arguments: [
            (0, 30, 0, 0, 30), (0.9, 30, 0, 0, 30), (1, 30, 0, 0, 29), (29, 30, 0, 0, 1), (29.999, 30, 0, 0, 1),
            (30, 30, 0, 1, 30), (59, 30, 0, 1, 1), (60, 60, 0, 1, 60), (7, 1, 0, 7, 1), (100, 7, 0, 14, 5),
            (100, 30, 100, 0, 30), (129, 30, 100, 0, 1), (130, 30, 100, 1, 30), (-100, 30, -100, 0, 30),
            (0, 30, -90, 3, 30), (-1, 30, -90, 2, 1), (99, .max, 0, 0, .max - 99),
        ] as [(TimeInterval, Int, Int64, UInt64, Int)])
    func `steps and the seconds that remain follow period and epoch`(
        time: TimeInterval, period: Int, epoch: Int64, step: UInt64, remaining: Int
    ) throws {
        let totp = try TOTP(secret: [1], period: period, epoch: epoch)
        let date = Date(timeIntervalSince1970: time)
        #expect(totp.step(at: date) == step)
        #expect(totp.secondsRemaining(at: date) == remaining)
    }

    @Test(
        arguments: [
            -.infinity, -1e300, -1e19, -9_223_372_036_854_775_808, -1, -0.001, .nan, 9_223_372_036_854_775_808, 1e19,
            1e300, .greatestFiniteMagnitude, .infinity,
        ] as [TimeInterval])
    func `a time that is before the epoch, far away or no time at all does not trap, and matches nothing`(
        time: TimeInterval
    ) throws {
        let totp = try TOTP(secret: [1])
        let date = Date(timeIntervalSince1970: time)
        let step = totp.step(at: date)
        #expect(step == (time > 0 ? UInt64.max / 30 : 0))
        #expect(totp.secondsRemaining(at: date) == 30)
        let code = totp.code(at: date)
        #expect(code == totp.code(step: step))
        #expect(totp.matchedStep(for: code.stringCode, at: date, window: 100) == nil)
    }

    @Test
    func `the extremes of epoch and time do not overflow`() throws {
        let late = Date(timeIntervalSince1970: 9_223_372_036_854_774_784)  // The last Double below 2^63.
        let totp = try TOTP(secret: [1], digits: 10, period: 1, epoch: .min)
        let step = totp.step(at: late)
        #expect(step == UInt64.max - 1023)
        #expect(totp.matchedStep(for: totp.code(step: step + 100).stringCode, at: late, window: 100) == step + 100)
        #expect(try TOTP(secret: [1], epoch: .max).step(at: late) == 0)
        #expect(try TOTP(secret: [1], epoch: .max).step(at: Date(timeIntervalSince1970: 0)) == 0)
        #expect(try TOTP(secret: [1], epoch: 1_000).step(at: Date(timeIntervalSince1970: 999)) == 0)
    }

    /// Ten digits, so that no two steps of these tables have the same code.
    static let now = Date(timeIntervalSince1970: 1_000 * 30 + 29)

    @Test(
        arguments: [
            (1000, 0, true), (999, 0, false), (1001, 0, false),
            (999, 1, true), (1001, 1, true), (998, 1, false), (1002, 1, false),
            (990, 10, true), (1010, 10, true), (989, 10, false), (1011, 10, false),
            (1000, -1, true), (999, -1, false), (1000, .min, true),
            (900, .max, true), (1100, .max, true), (899, .max, false), (1101, .max, false),
        ] as [(UInt64, Int, Bool)])
    func `a code is matched within the window and not outside`(step: UInt64, window: Int, matches: Bool) throws {
        let totp = try TOTP(secret: Self.seed(.sha1), digits: 10)
        let code = totp.code(step: step).stringCode
        #expect(totp.matchedStep(for: code, at: Self.now, window: window) == (matches ? step : nil))
    }

    @Test(arguments: [0, 29, 30, 59, 60] as [TimeInterval])
    func `near time zero the window ends at step zero`(time: TimeInterval) throws {
        let totp = try TOTP(secret: Self.seed(.sha1), digits: 10)
        let date = Date(timeIntervalSince1970: time)
        for window in [2, 100] {
            #expect(totp.matchedStep(for: totp.code(step: 0).stringCode, at: date, window: window) == 0)
        }
        #expect(totp.matchedStep(for: totp.code(step: .max).stringCode, at: date, window: 100) == nil)
    }

    @Test(
        arguments: [
            (1000, nil, true), (1000, 998, true), (1000, 999, true), (1000, 1000, false), (1000, 1001, false),
            (999, 998, true), (999, 999, false), (999, 1000, false), (1001, 1000, true), (1001, 1001, false),
            (1000, 0, true), (1000, .max, false),
        ] as [(UInt64, UInt64?, Bool)])
    func `a code that was accepted, and all before it, are refused`(step: UInt64, lastStep: UInt64?, matches: Bool)
        throws
    {
        let totp = try TOTP(secret: Self.seed(.sha1), digits: 10)
        let code = totp.code(step: step).stringCode
        let match = totp.matchedStep(for: code, at: Self.now, window: 1, after: lastStep)
        #expect(match == (matches ? step : nil))
    }

    @Test
    func `step zero can be the last one`() throws {
        let totp = try TOTP(secret: Self.seed(.sha1), digits: 10)
        let date = Date(timeIntervalSince1970: 0)
        #expect(totp.matchedStep(for: totp.code(step: 0).stringCode, at: date, after: 0) == nil)
        #expect(totp.matchedStep(for: totp.code(step: 1).stringCode, at: date, after: 0) == 1)
    }

    @Test
    func `a code that two steps have by chance is good once`() throws {
        let secret = Self.seed(.sha1)
        let (first, second) = try #require(Collision.find(HOTP(secret: secret), within: 100))
        let totp = try TOTP(secret: secret)
        let code = totp.code(step: first).stringCode
        let date = Date(timeIntervalSince1970: TimeInterval(first * 30))
        let match = totp.matchedStep(for: code, at: date, window: 100)
        #expect(match == second)
        #expect(totp.matchedStep(for: code, at: date, window: 100, after: match) == nil)
        #expect(totp.matchedStep(for: code, at: date, window: 100, after: first) == second)
    }

    @Test(
        arguments: [
            ("07081804", true), ("0708 1804", true), (" 07081804\n", true), ("7081804", false), ("007081804", false),
            ("０７０８１８０４", false), ("٠٧٠٨١٨٠٤", false), ("", false), ("07081805", false),
        ])
    func `what was typed is read as people type it`(text: String, matches: Bool) throws {
        let totp = try TOTP(secret: Self.seed(.sha1), digits: 8)
        let date = Date(timeIntervalSince1970: 1_111_111_109)
        #expect(totp.matchedStep(for: text, at: date, window: 1) == (matches ? 0x0235_23EC : nil))
    }

    @Test
    func `random candidates and times do not trap`() throws {
        var random = SeededGenerator(seed: 6238)
        for _ in 0..<3_000 {
            let totp = try TOTP(
                secret: [1], digits: Int.random(in: 6...10, using: &random),
                period: Int.random(in: 1...Int.max, using: &random),
                epoch: Int64.random(in: .min ... .max, using: &random))
            let date = Date(timeIntervalSince1970: Double(bitPattern: random.next()))
            _ = totp.secondsRemaining(at: date)
            _ = totp.code(at: date)
            _ = totp.matchedStep(for: random.text(upTo: 8), at: date, window: Int(truncatingIfNeeded: random.next()))
        }
    }

    @Test
    func `neither print nor dump shows the secret`() throws {
        let totp = try TOTP(secret: Self.seed(.sha1))
        #expect("\(totp)" == "TOTP(SHA1, 6 digits, 30 s, secret: <secret>)")
        expectRedacted(totp, secret: Self.seed(.sha1))
    }
}
