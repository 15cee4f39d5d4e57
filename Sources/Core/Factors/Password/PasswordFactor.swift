import Foundation

/// A password, kept as a PHC string.
struct PasswordFactor: FactorType {
    /// What is kept. Shapes so far: `{"hash": "…"}`.
    struct Payload: Codable, Equatable {
        /// A PHC string, or another format that the hasher can verify once and replace.
        var hash: String
    }

    let kind = FactorKind.password
    let lockout = LockoutPolicy.password
    let limitPerUser = 1

    func judge(_ answer: String, payload: Data, in context: JudgingContext) async throws -> Judgement {
        let hash = try JSONDecoder().decode(Payload.self, from: payload).hash
        let password = Secret(answer)
        guard try await context.hasher.verify(password, against: hash) else { return .wrong(.wrongAnswer) }
        guard context.hasher.needsRehash(hash) else { return .right(newPayload: nil) }
        let rehashed = Payload(hash: try await context.hasher.hash(password))
        return .right(newPayload: try JSONEncoder().encode(rehashed))
    }

    static func payload(hash: String) throws -> Data {
        try JSONEncoder().encode(Payload(hash: hash))
    }
}
