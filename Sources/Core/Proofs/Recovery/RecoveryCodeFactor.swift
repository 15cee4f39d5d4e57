import Crypto
import Foundation
import OneTimePassword

/// A code on paper that stands in once for a lost second factor, and is replaced by a new one.
///
/// It is no second factor by itself: somebody who has nothing else is not asked for it.
struct RecoveryCodeFactor: FactorType {
    /// What is kept. Shapes so far: `{"digest"}`.
    struct Payload: Codable, Equatable {
        /// SHA-256: with 124 random bits there is nothing to guess.
        var digest: Data
    }

    let kind = FactorKind.recoveryCode
    let lockout = LockoutPolicy.oneTimeCode
    let limitPerUser = 1

    /// 24 upper-case letters and digits, as Guardian's (Auth0 MFA API, `recovery_codes`).
    static func fresh(random: any RandomSource) -> Secret<String> {
        Secret(random.string(24, of: .capitals))
    }

    static func payload(of code: Secret<String>) throws -> Data {
        try JSONEncoder().encode(Payload(digest: digest(code.reveal())))
    }

    /// People type it in groups and in any case.
    private static func digest(_ code: String) -> Data {
        let canonical = code.uppercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return Data(SHA256.hash(data: Data(canonical.utf8)))
    }

    func judge(_ answer: String, payload: Data, in context: JudgingContext) async throws -> Judgement {
        try Self.matches(answer, payload: payload) ? .right(newPayload: nil) : .wrong(.wrongAnswer)
    }

    static func matches(_ answer: String, payload: Data) throws -> Bool {
        let payload = try JSONDecoder().decode(Payload.self, from: payload)
        return answer.utf8.count <= 128 && ConstantTime.equal(digest(answer), payload.digest)
    }
}
