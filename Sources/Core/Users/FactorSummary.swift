import Foundation

/// A factor, and whether it can be used.
public struct FactorSummary: Codable, Sendable, Equatable {
    public enum State: String, Codable, Sendable, CaseIterable {
        case open
        /// Until ``FactorSummary/lockedUntil``.
        case locked
        /// Until an administrator resets it.
        case disabled
    }

    public let id: String
    public let kind: String
    /// What the user called it.
    public let name: String
    public let createdAt: Timestamp
    public let lastUsedAt: Timestamp?
    public let state: State
    /// In a row.
    public let wrongAnswers: Int
    public let lockedUntil: Timestamp?
    /// Since when it is frozen, as its user reported it lost.
    public let frozenAt: Timestamp?

    public init(_ factor: AccountDossier.Factor) {
        id = factor.record.id.rawValue
        kind = factor.record.kind.rawValue
        name = factor.record.name
        createdAt = Timestamp(factor.record.createdAt)
        lastUsedAt = factor.record.lastUsedAt.map(Timestamp.init)
        frozenAt = factor.record.frozenAt.map(Timestamp.init)
        switch factor.standing {
        case .open(let wrongAnswers): (state, self.wrongAnswers, lockedUntil) = (.open, wrongAnswers, nil)
        case .locked(let until, let wrongAnswers):
            (state, self.wrongAnswers, lockedUntil) = (.locked, wrongAnswers, Timestamp(until))
        case .disabled(let wrongAnswers): (state, self.wrongAnswers, lockedUntil) = (.disabled, wrongAnswers, nil)
        }
    }
}
