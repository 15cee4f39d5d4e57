import Foundation

/// A kind of factor: reads its own payloads and judges answers. Internal on purpose: a dialect cannot judge.
protocol FactorType: Sendable {
    var kind: FactorKind { get }
    /// What wrong answers cost.
    var lockout: LockoutPolicy { get }
    /// How many of this kind one user may have.
    var limitPerUser: Int { get }

    /// Whether the answer is right. It runs outside of any transaction and may be slow.
    /// - Parameter payload: what the factor keeps, opened.
    func judge(_ answer: String, payload: Data, in context: JudgingContext) async throws -> Judgement
}

/// What a judge may use.
struct JudgingContext: Sendable {
    let now: Date
    let settings: RealmSettings
    let hasher: any PasswordHasher
}

/// What a judge says.
enum Judgement: Sendable {
    /// Right. A payload replaces the kept one; settling it makes the answer good for once.
    case right(newPayload: Data?)
    /// A device's own, and what it decided.
    case decided(DeviceDecision)
    case wrong(Refusal.Reason)

    var isWrong: Bool { if case .wrong = self { true } else { false } }
}

/// All kinds of factors that are rows. A new one is a line here.
enum FactorRegistry {
    static let types: [any FactorType] = [
        PasswordFactor(),
        TOTPFactor(),
        PushFactor(),
        RecoveryCodeFactor(),
    ]

    static func type(_ kind: FactorKind) -> (any FactorType)? {
        types.first { $0.kind == kind }
    }
}
