extension StoreTransaction {
    /// Removes a factor with the count of its wrong answers, and with the last second factor what stands in for
    /// one. False where it is gone.
    func remove(_ id: FactorID, _ proofs: ProofRegistry) throws -> Bool {
        guard let factor = try factor(id) else { return false }
        try reserve(Set(factors(of: factor.userID).map { .factor($0.id) } + [.user(factor.userID)]))
        try deleteCounter(CounterKey.factor(id, factor.kind, proofs))
        guard try deleteFactor(id) else { return false }
        guard proofs.isSecondFactor(factor.kind) else { return true }
        let left = try factors(of: factor.userID)
        if !left.contains(where: { proofs.isSecondFactor($0.kind) }) {
            for other in left where proofs.traits(other.kind)?.role == .standIn { _ = try remove(other.id, proofs) }
        }
        return true
    }
}
