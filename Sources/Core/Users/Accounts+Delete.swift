import Foundation

extension Accounts {
    /// Users that one transaction removes at most, so that no other write waits long for it.
    static let deletionBatch = 100

    /// What came of removing a user.
    public enum DeletionOutcome: Sendable, Equatable {
        /// The user is gone, or will be at the instant that was asked for.
        case deleted
        /// There is no such user.
        case userNotFound
        /// Only disabled users were to go.
        case notDisabled
        /// Without this user there would be no owner of the realm (``Administrators``).
        case lastOwner
    }

    /// Removes a user with factors, flows, sessions and mails, and what the log says of addresses. False where there is
    /// none, or the user is the last owner.
    public func delete(_ id: UserID, by client: ClientContext) async throws -> Bool {
        try await delete([id], by: client) == [.deleted]
    }

    /// Disables a user, and has the account removed at an instant. Until then an administrator may think otherwise and enable it; the user
    /// has no link that does.
    public func scheduleDeletion(
        of id: UserID, at due: Date, by client: ClientContext
    ) async throws -> DeletionOutcome {
        let now = realm.clock.now
        let event = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard var user = try transaction.user(id) else { return .userNotFound }
            if try transaction.isLastOwner(user) { return .lastOwner }
            user.isDisabled = true
            user.deletionDueAt = due
            try transaction.reserve(user: user, keeping: nil)
            guard try transaction.update(user) else { return .userNotFound }
            try transaction.append(
                AuditEvent(
                    id: event, at: now, kind: .deletionRequested, userID: id, context: client,
                    details: ["dueAt": .string(due.formatted(Date.ISO8601FormatStyle()))]))
            return .deleted
        }
    }

    /// What came of a user's own removal.
    public enum OwnDeletionOutcome: Sendable, Equatable {
        /// The account is gone.
        case deleted
        /// There is no such user any more.
        case userNotFound
        /// Without this user there would be no owner of the realm.
        case lastOwner
        /// The session is not enough for it.
        case refused(OwnSession.Fault)
    }

    /// Removes the account of a user who asks for it, signed in recently, and gave a second factor where the user has one
    /// (`docs/decisions/0496`). A user who has none may leave, also where one is required.
    public func deleteOwn(_ session: OwnSession, by client: ClientContext) async throws -> OwnDeletionOutcome {
        let now = realm.clock.now
        let event = AuditEvent.freshID(at: now, random: realm.random)
        let proofs = realm.proofs
        return try await realm.store.write { transaction in
            guard let user = try transaction.user(session.userID) else { return .userNotFound }
            if let fault = try session.faultUnlessRecent(user, at: now, in: transaction) { return .refused(fault) }
            if let fault = try session.faultWithoutSecondFactor(user, proofs, at: now, in: transaction) {
                return .refused(fault)
            }
            if try transaction.isLastOwner(user) { return .lastOwner }
            try transaction.reserve([.user(user.id)])
            return try transaction.delete(user, at: now, event: event, by: client) ? .deleted : .userNotFound
        }
    }

    /// Removes users, each with all that the decision on what is kept of a person does not name
    /// (`docs/decisions/0060`); answers for each what became of it.
    ///
    /// A failure of the store in the middle leaves the first ones removed.
    public func delete(
        _ ids: [UserID], onlyDisabled: Bool = false, keepingOwner: Bool = true, by client: ClientContext
    ) async throws -> [DeletionOutcome] {
        var outcomes: [DeletionOutcome] = []
        var rest = ids[...]
        while !rest.isEmpty {
            let now = realm.clock.now
            let batch = rest.prefix(Self.deletionBatch).map { id in
                (id: id, event: AuditEvent.freshID(at: now, random: realm.random))
            }
            rest = rest.dropFirst(batch.count)
            outcomes += try await realm.store.write { transaction -> [DeletionOutcome] in
                try transaction.reserve(Set(batch.map { .user($0.id) }))
                return try batch.map { id, event -> DeletionOutcome in
                    guard let user = try transaction.user(id) else { return .userNotFound }
                    if onlyDisabled && !user.isDisabled { return .notDisabled }
                    if keepingOwner, try transaction.isLastOwner(user) { return .lastOwner }
                    return try transaction.delete(user, at: now, event: event, by: client)
                        ? .deleted : .userNotFound
                }
            }
        }
        return outcomes
    }

    /// Removes all users; answers how many. For development.
    public func deleteAll(by client: ClientContext) async throws -> Int {
        var count = 0
        while true {
            let ids = try await users(limit: Self.deletionBatch).map(\.id)
            if ids.isEmpty { return count }
            count += try await delete(ids, keepingOwner: false, by: client).count { $0 == .deleted }
        }
    }
}

extension StoreTransaction {
    /// Removes a user with everything that the decision on what is kept does not name. False where there is none any more.
    func delete(_ user: User, at now: Date, event: String, by client: ClientContext) throws -> Bool {
        for factor in try factors(of: user.id) {
            try deleteCounter(CounterKey.factor(factor.id, factor.kind))
        }
        guard try deleteUser(user.id) else { return false }
        try forget(user)
        try append(AuditEvent(id: event, at: now, kind: .userDeleted, userID: user.id, context: client))
        return true
    }

    /// What does not go with the user's row by itself. The log keeps what happened under the id, and no address.
    fileprivate func forget(_ user: User) throws {
        try deleteOutboxMessages(of: user.id, recipient: user.email?.canonical)
        try deleteCounter(CounterKey.pushes(to: user.id))
        try deleteCounter(CounterKey.offers(to: user.id))
        try deleteCounter(CounterKey.newPasswords(of: user.id))
        try deleteCounter(CounterKey.notices(to: user.id))
        try deleteCounter(CounterKey.ownChanges(of: user.id, in: nil))
        try deleteCounter(CounterKey.ownEndings(of: user.id, in: nil))
        for (kind, details) in AuditEvent.Kind.forgottenDetails {
            try replaceAuditDetails(of: user.id, kind, with: details)
        }
    }
}
