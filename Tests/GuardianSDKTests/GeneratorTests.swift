import Foundation
import Testing

@testable import Guardian

/// Codes by the vectors of the RFCs, through the module's own functions.
@Suite struct GeneratorTests {
    /// "12345678901234567890", repeated to the length of the hash (RFC 6238, appendix B).
    private static func secret(_ length: Int) -> String {
        let bytes = Array(String(repeating: "1234567890", count: 7).utf8.prefix(length))
        return Base32Reference.encode(bytes)
    }

    @Test(arguments: [
        (59.0, "94287082", "46119246", "90693936"), (1_111_111_109, "07081804", "68084774", "25091201"),
        (1_111_111_111, "14050471", "67062674", "99943326"), (1_234_567_890, "89005924", "91819424", "93441116"),
        (2_000_000_000, "69279037", "90698825", "38618901"), (20_000_000_000, "65353130", "77737706", "47863826"),
    ])
    func `Time-based codes are those of RFC 6238`(time: Double, sha1: String, sha256: String, sha512: String) throws {
        for (algorithm, length, code) in [
            (HMACAlgorithm.sha1, 20, sha1), (.sha256, 32, sha256), (.sha512, 64, sha512),
        ] {
            let generator = try Guardian.totp(base32Secret: Self.secret(length), algorithm: algorithm, digits: 8)
            #expect(generator.stringCode(time: time) == code)
            #expect(generator.code(time: time) == Int(code))
        }
    }

    @Test func `Counter-based codes are those of RFC 4226`() throws {
        let generator = try Guardian.hotp(base32Secret: Self.secret(20), algorithm: .sha1)
        let codes = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ]
        for (counter, code) in codes.enumerated() {
            #expect(generator.stringCode(counter: counter) == code && generator.code(counter: counter) == Int(code))
        }
        #expect(generator.stringCode(counter: -1) == "755224")
    }

    @Test func `Leading zeros are shown, and a formatter writes as it likes`() throws {
        let generator = try Guardian.totp(base32Secret: Self.secret(20), algorithm: .sha1, digits: 8)
        #expect(generator.code(time: 1_111_111_109) == 7_081_804)
        #expect(generator.stringCode(time: 1_111_111_109) == "07081804")
        let formatter = NumberFormatter()
        formatter.minimumIntegerDigits = 10
        #expect(generator.stringCode(time: 1_111_111_109, formatter: formatter) == "0007081804")
        #expect(generator.stringCode().count == 8)
    }

    @Test(arguments: [
        "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "gezdgnbvgy3tqojqgezdgnbvgy3tqojq",
        "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ",
        "gezd-gnbv-gy3t-qojq-gezd-gnbv-gy3t-qojq====", " GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\n",
    ])
    func `A secret is read as people type it`(secret: String) throws {
        #expect(try Guardian.totp(base32Secret: secret, algorithm: .sha1).stringCode(time: 59) == "287082")
    }

    @Test(arguments: [
        ("", 6, 30, "invalid.base32_secret"), ("0189", 6, 30, "invalid.base32_secret"),
        ("GEZD!", 6, 30, "invalid.base32_secret"), ("GEZDGNBV", 5, 30, "invalid.otp_parameters"),
        ("GEZDGNBV", 11, 30, "invalid.otp_parameters"), ("GEZDGNBV", 6, 0, "invalid.otp_parameters"),
    ])
    func `What gives no codes is refused`(secret: String, digits: Int, period: Int, code: String) {
        #expect {
            try Guardian.totp(base32Secret: secret, algorithm: .sha1, digits: digits, period: period)
        } throws: { ($0 as? GuardianError)?.code == "a0.guardian.internal.\(code)" }
    }

    @Test func `Parameters are kept as JSON, and read in every spelling`() throws {
        let parameters = OTPParameters(base32Secret: "GEZDGNBV", algorithm: .sha256, digits: 8, period: 60)
        let kept = try JSONEncoder().encode(parameters)
        #expect(try JSONDecoder().decode(OTPParameters.self, from: kept) == parameters)
        #expect(String(decoding: kept, as: UTF8.self).contains(#""secret":"GEZDGNBV""#))
        let loud = Data(#"{"secret":"A","algorithm":"SHA512","digits":6,"period":30}"#.utf8)
        #expect(try JSONDecoder().decode(OTPParameters.self, from: loud).algorithm == .sha512)
        let usual = OTPParameters(base32Secret: "A")
        #expect(usual.algorithm == .sha1 && usual.digits == 6 && usual.period == 30)
    }
}

/// Base32 (RFC 4648), written for the tests.
private enum Base32Reference {
    static func encode(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        return stride(from: 0, to: bits.count, by: 5).map { start in
            let group = bits[start..<min(start + 5, bits.count)]
            let value = group.reduce(0) { $0 << 1 | Int($1) } << (5 - group.count)
            return String(alphabet[value])
        }.joined()
    }
}
