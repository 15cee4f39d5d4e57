import Foundation

/// A factor, and whether it can be used.
public struct FactorSummary: Codable, Sendable, Equatable {
    /// Whether answers by the factor are judged.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// They are.
        case open
        /// Until ``FactorSummary/lockedUntil``.
        case locked
        /// Until an administrator resets it.
        case disabled
    }

    /// The factor's id.
    public let id: String
    /// The factor's kind, by its stored word.
    public let kind: String
    /// What the user called it.
    public let name: String
    /// When it was enrolled.
    public let createdAt: Timestamp
    /// When an answer by it was last right; nil where none was.
    public let lastUsedAt: Timestamp?
    /// Whether answers by it are judged.
    public let state: State
    /// In a row.
    public let wrongAnswers: Int
    /// From when on answers are judged again; nil where it is not locked for a time.
    public let lockedUntil: Timestamp?
    /// Since when it is frozen, as its user reported it lost.
    public let frozenAt: Timestamp?

    /// A summary for commands, the API and exports.
    public init(_ factor: AccountDossier.Factor) {
        id = factor.record.id.rawValue
        kind = factor.record.kind.rawValue
        name = factor.record.name
        createdAt = Timestamp(factor.record.createdAt)
        lastUsedAt = factor.lastUsedAt.map(Timestamp.init)
        frozenAt = factor.record.frozenAt.map(Timestamp.init)
        switch factor.standing {
        case .open(let wrongAnswers): (state, self.wrongAnswers, lockedUntil) = (.open, wrongAnswers, nil)
        case .locked(let until, let wrongAnswers):
            (state, self.wrongAnswers, lockedUntil) = (.locked, wrongAnswers, Timestamp(until))
        case .disabled(let wrongAnswers): (state, self.wrongAnswers, lockedUntil) = (.disabled, wrongAnswers, nil)
        }
    }
}
