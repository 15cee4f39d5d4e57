extension RememberingTransaction {
    func reserve(_ rows: Set<ReservedRow>) throws { try base.reserve(rows) }
}
