import Foundation

extension Accounts {
    /// Users that one transaction removes at most, so that no other write waits long for it.
    static let deletionBatch = 100

    public enum DeletionOutcome: Sendable, Equatable {
        case deleted
        case userNotFound
        /// Only disabled users were to go.
        case notDisabled
    }

    /// Removes a user with factors, flows, sessions and mails, and what the log says of addresses. False where there is
    /// none.
    public func delete(_ id: UserID, by client: ClientContext) async throws -> Bool {
        try await delete([id], by: client) == [.deleted]
    }

    /// Removes users, each with all that the decision on what is kept of a person does not name
    /// (`docs/decisions/0060`); answers for each what became of it.
    ///
    /// A failure of the store in the middle leaves the first ones removed.
    public func delete(
        _ ids: [UserID], onlyDisabled: Bool = false, by client: ClientContext
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
                    for factor in try transaction.factors(of: id) {
                        try transaction.deleteCounter(CounterKey.factor(factor.id, factor.kind))
                    }
                    guard try transaction.deleteUser(id) else { return .userNotFound }
                    try transaction.forget(user)
                    try transaction.append(
                        AuditEvent(id: event, at: now, kind: .userDeleted, userID: id, context: client))
                    return .deleted
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
            count += try await delete(ids, by: client).count { $0 == .deleted }
        }
    }
}

extension StoreTransaction {
    /// What does not go with the user's row by itself. The log keeps what happened under the id, and no address.
    fileprivate func forget(_ user: User) throws {
        try deleteOutboxMessages(of: user.id, recipient: user.email?.canonical)
        try deleteCounter(CounterKey.pushes(to: user.id))
        try deleteCounter(CounterKey.offers(to: user.id))
        try deleteCounter(CounterKey.newPasswords(of: user.id))
        try deleteCounter(CounterKey.notices(to: user.id))
        // A reason is in the words of the device's user.
        try replaceAuditDetails(of: user.id, .approvalRejected, with: ["reason": "removed with the user"])
        try replaceAuditDetails(of: user.id, .emailChanged, with: ["former": "removed with the user"])
    }
}
