import Foundation

extension Accounts {
    /// Accounts that one page has at most.
    public static let longestExportPage = 500

    /// A page of exported accounts, ordered by id: with password hashes and with the secrets of authenticators.
    ///
    /// Each account is of one instant; the pages are of different ones, so that no transaction lasts as long as an
    /// export. Users added or deleted meanwhile may or may not be among them. The log records the export before any
    /// user is sent: once for an export whose pages name it, with the number of all users; a page that names none has
    /// an event of its own.
    /// - Parameters:
    ///   - limit: 1 to ``longestExportPage``.
    ///   - run: what the page before gave; it counts for an hour.
    /// - Returns: where the next page begins, nil after the last; and the run that the next page names.
    /// - Throws: `SealingError` where a factor does not open, ``StoreError``.
    public func exportAccounts(
        after id: UserID?, limit: Int, run: String? = nil, by client: ClientContext
    ) async throws -> (accounts: [PortableAccount], next: UserID?, run: String) {
        let limit = min(max(limit, 1), Self.longestExportPage)
        let realm = realm
        let now = realm.clock.now
        let (accounts, hasMore, total, isLogged) = try await realm.store.read { transaction in
            let users = try transaction.users(after: id, limit: limit + 1)
            let accounts = try users.prefix(limit).map { user in
                var account = try PortableAccount(
                    user, try transaction.factors(of: user.id), sealer: realm.sealer, proofs: realm.proofs)
                try account.addMemberships(in: transaction)
                return account
            }
            let isLogged = try run.map { try ImportExportRuns.read(transaction).hasExport($0, at: now) } ?? false
            return (accounts, users.count > limit, id == nil ? try transaction.countUsers() : accounts.count, isLogged)
        }
        let fresh = realm.random.bytes(16).hex
        guard !accounts.isEmpty else { return ([], nil, run ?? fresh) }
        if let run, isLogged { return (accounts, hasMore ? accounts.last?.id : nil, run) }
        let event = AuditEvent(
            id: AuditEvent.freshID(at: now, random: realm.random), at: now, kind: .usersExported, userID: nil,
            context: client, details: ["users": .integer(Int64(total))])
        try await realm.store.write { transaction in
            try transaction.append(event)
            var runs = try ImportExportRuns.read(transaction)
            runs.begin(export: fresh, at: now)
            try runs.put(in: transaction)
        }
        return (accounts, hasMore ? accounts.last?.id : nil, fresh)
    }
}

extension PortableAccount {
    /// Adds the groups and the role of a user of the realm.
    mutating func addMemberships(in transaction: any StoreTransaction) throws {
        groups = Set(try transaction.groups(of: id, limit: UserGroup.mostOfUser))
        role = try transaction.administrator(id)?.role
    }

    /// A user of the realm with all that opens.
    init(_ user: User, _ factors: [FactorRecord], sealer: Sealer, proofs: ProofRegistry) throws {
        self.init(
            id: user.id, email: user.email, profile: user.profile, isDisabled: user.isSuspended,
            createdAt: user.createdAt, lastSignInAt: user.lastSignInAt, lastRefreshAt: user.lastRefreshAt,
            passwordChangedAt: user.passwordChangedAt)
        for factor in factors {
            let payload = try sealer.open(factor.payload, for: .factor(factor.id))
            if let method = proofs.method(factor.kind) {
                try method.export(factor, payload: payload, into: &self)
            } else {
                otherFactors.append(PortableFactor(factor, payload: payload))
            }
        }
    }
}
