/// What is changed by those alone who may change administrators (docs/decisions/0472).
public enum AdministratorsTarget: Sendable, Equatable {
    /// A user, where the user has a role.
    case user(UserID)
    /// A group, where a user with a role is in it.
    case members(of: GroupName)
}

extension Administrators {
    /// The user has a role, or a member of the group has one.
    public struct IsAdministrator: Error, Sendable, Equatable {
        /// There is no more to say.
        public init() {}
    }

    /// Does something for a caller who may not change administrators. Each write of it holds only where its target is none as of the
    /// write's own transaction, so that a role that was given in between counts.
    /// - Throws: ``IsAdministrator``, ``StoreError``, and what the body throws.
    public func sparing<Value>(
        _ target: AdministratorsTarget, _ body: () async throws -> Value
    ) async throws -> Value {
        let judgement: WriteCondition.Judgement = { transaction in
            if try transaction.hasAdministrator(target) { throw IsAdministrator() }
        }
        // Where nothing would be written, what is told is about an administrator all the same.
        try await realm.store.read(judgement)
        return try await WriteCondition.with(judgement, body)
    }
}

extension StoreTransaction {
    fileprivate func hasAdministrator(_ target: AdministratorsTarget) throws -> Bool {
        switch target {
        case .user(let user): return try administrator(user) != nil
        case .members(let group):
            // Administrators are few, and the members of a group may be many.
            var after: UserID?
            while true {
                let some = try administrators(ListRange(after, limit: 100))
                for one in some where try groups(of: one.userID, limit: UserGroup.mostOfUser).contains(group) {
                    return true
                }
                guard some.count == 100, let last = some.last else { return false }
                after = last.userID
            }
        }
    }
}
