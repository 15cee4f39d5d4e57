import Foundation

/// A password, kept as a PHC string.
struct PasswordFactor: FactorType {
    /// What is kept. Shapes so far: `{"hash": "…"}`, `{"earlier": ["…"], "hash": "…"}`.
    struct Payload: Codable, Equatable {
        /// A PHC string, or another format that the hasher can verify once and replace.
        var hash: String
        /// Hashes of passwords from before, the latest first; nil where none is remembered.
        var earlier: [String]?

        /// - Parameter earlier: an empty list is as none.
        init(hash: String, earlier: [String] = []) {
            self.hash = hash
            self.earlier = earlier.isEmpty ? nil : earlier
        }

        /// The present password and those before it, so many at most.
        func last(_ count: Int) -> [String] { Array(([hash] + (earlier ?? [])).prefix(max(0, count))) }
    }

    let kind = FactorKind.password
    let lockout = LockoutPolicy.password
    let limitPerUser = 1

    func judge(_ answer: String, payload: Data, in context: JudgingContext) async throws -> Judgement {
        var kept = try JSONDecoder().decode(Payload.self, from: payload)
        let password = Secret(answer)
        guard try await context.hasher.verify(password, against: kept.hash) else { return .wrong(.wrongAnswer) }
        guard context.hasher.needsRehash(kept.hash) else { return .right(newPayload: nil) }
        kept.hash = try await context.hasher.hash(password)
        return .right(newPayload: try JSONEncoder().encode(kept))
    }

    static func payload(hash: String, earlier: [String] = []) throws -> Data {
        try JSONEncoder().encode(Payload(hash: hash, earlier: earlier))
    }
}
