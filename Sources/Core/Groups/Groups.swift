import Foundation

/// Groups of users.
///
/// **How the files of this folder meet.** `UserGroup` is a group and its name; this type changes groups and says who is in them.
public struct Groups: Sendable {
    let realm: Realm

    /// Why a group was not changed.
    public enum Refusal: Error, Sendable, Equatable {
        /// Another group has the name.
        case nameTaken
        /// There is no group of the name.
        case groupNotFound
        /// There is no user of the id.
        case userNotFound
        /// The user is in ``UserGroup/mostOfUser`` groups.
        case tooManyGroups
        /// The settings require a second factor of the group's members (``SecondFactorSettings/requiredGroups``).
        case isRequired
        /// It would have another effect than its caller expects.
        case isOtherwise
    }

    /// What taking a user out of a group changes.
    public struct Removal: Sendable, Equatable {
        /// Whether the user was in the group.
        public let isChanged: Bool
        /// Whether the settings required a second factor of the user because of this group, and require none any more.
        public let liftsSecondFactor: Bool
    }

    /// The group of that name; nil where there is none.
    public func group(_ name: GroupName) async throws -> UserGroup? {
        try await realm.store.read { try $0.group(name) }
    }

    /// Ordered by name.
    public func list(_ range: ListRange<GroupName>) async throws -> ListPage<UserGroup, GroupName> {
        try await realm.store.read { transaction in
            try range.page(key: \.name) { try transaction.groups($0) }
        }
    }

    /// A page of the groups whose name begins with a text, or whose name or summary does without regard to case.
    ///
    /// A page can be short, or empty, and go on (docs/decisions/0584).
    /// - Parameter text: one with no letters finds nothing.
    public func search(
        _ text: String, _ range: ListRange<FoundPlace<GroupName>>
    ) async throws -> ListPage<UserGroup, FoundPlace<GroupName>> {
        try await realm.store.read { transaction in
            try range.found(
                text, key: { (group: UserGroup) in group.name },
                words: { [$0.name.rawValue, $0.summary] },
                beginning: { try transaction.groups(beginningWith: $0, $1) }, all: { try transaction.groups($0) })
        }
    }

    /// Ordered by name.
    public func groups(of user: UserID) async throws -> [GroupName] {
        try await realm.store.read { try $0.groups(of: user, limit: UserGroup.mostOfUser) }
    }

    /// The same with what is kept of them, in one look.
    public func list(of user: UserID) async throws -> [UserGroup] {
        try await realm.store.read { transaction in
            try transaction.groups(of: user, limit: UserGroup.mostOfUser).compactMap { try transaction.group($0) }
        }
    }

    /// The members, ordered by id; nil where there is no such group.
    public func members(
        of name: GroupName, _ range: ListRange<UserID>
    ) async throws -> (group: UserGroup, page: ListPage<User, UserID>)? {
        try await realm.store.read { transaction in
            guard let group = try transaction.group(name) else { return nil }
            let page = try range.page(key: \.row) {
                try transaction.members(of: name, $0).withUsers(in: transaction) { $0 }
            } show: {
                $0.user
            }
            return (group, page)
        }
    }

    /// Makes a group without members, and notes that in the log.
    /// - Parameter summary: for people; at most ``UserGroup/longestSummary`` characters.
    public func add(
        _ name: GroupName, summary: String, by client: ClientContext
    ) async throws -> Result<UserGroup, Refusal> {
        let now = realm.clock.now
        let event = AuditEvent.freshID(at: now, random: realm.random)
        let group = UserGroup(name: name, summary: summary, createdAt: now)
        return try await realm.store.write { transaction in
            guard try transaction.insert(group) else { return .failure(.nameTaken) }
            try transaction.append(.group(.groupAdded, name, of: nil, id: event, at: now, by: client))
            return .success(group)
        }
    }

    /// Changes what people are told of a group, and notes that in the log.
    /// - Parameters:
    ///   - summary: at most ``UserGroup/longestSummary`` characters.
    ///   - present: sees the group as it is before, and throws where it is not what the caller knows; then nothing changes.
    public func change(
        _ name: GroupName, summary: String, by client: ClientContext,
        judging present: @escaping @Sendable (UserGroup) throws -> Void = { _ in }
    ) async throws -> Result<UserGroup, Refusal> {
        let now = realm.clock.now
        let event = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard var group = try transaction.group(name) else { return .failure(.groupNotFound) }
            try present(group)
            let before = group.summary
            if before == summary { return .success(group) }
            group.summary = summary
            guard try transaction.update(group) else { return .failure(.groupNotFound) }
            try transaction.append(
                .group(
                    .groupChanged, name, of: nil, id: event, at: now, by: client,
                    [
                        "before": .object(["summary": .string(before)]),
                        "after": .object(["summary": .string(summary)]),
                    ]))
            return .success(group)
        }
    }

    /// Removes a group; its members stay users. One that the settings require a second factor of stays: who may move users between groups
    /// would otherwise change the setting (`docs/decisions/0523`).
    /// - Returns: why it was not removed; nil where it was.
    public func remove(_ name: GroupName, by client: ClientContext) async throws -> Refusal? {
        let now = realm.clock.now
        let event = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            if try transaction.settings().secondFactors.requires(of: name) { return .isRequired }
            guard try transaction.deleteGroup(name) else { return .groupNotFound }
            try transaction.append(.group(.groupRemoved, name, of: nil, id: event, at: now, by: client))
            return nil
        }
    }

    /// - Returns: whether the user was not in the group before.
    public func addMember(
        _ user: UserID, to name: GroupName, by client: ClientContext
    ) async throws -> Result<Bool, Refusal> {
        let now = realm.clock.now
        let event = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            guard try transaction.group(name) != nil else { return .failure(.groupNotFound) }
            guard try transaction.user(user) != nil else { return .failure(.userNotFound) }
            let present = try transaction.groups(of: user, limit: UserGroup.mostOfUser)
            if present.contains(name) { return .success(false) }
            guard present.count < UserGroup.mostOfUser else { return .failure(.tooManyGroups) }
            guard try transaction.addMember(user, to: name, at: now) else { return .failure(.userNotFound) }
            try transaction.append(.group(.groupMemberAdded, name, of: user, id: event, at: now, by: client))
            return .success(true)
        }
    }

    /// Takes a user out of a group.
    /// - Parameter expected: whether the caller knows that it lifts the requirement of a second factor; where it is otherwise nothing is
    ///   changed. Nil takes either.
    public func removeMember(
        _ user: UserID, from name: GroupName, lifting expected: Bool? = nil, by client: ClientContext
    ) async throws -> Result<Removal, Refusal> {
        let now = realm.clock.now
        let event = AuditEvent.freshID(at: now, random: realm.random)
        return try await realm.store.write { transaction in
            // Of two groups that the settings name, each would be left because of the other.
            try transaction.reserve([.user(user)])
            guard try transaction.group(name) != nil else { return .failure(.groupNotFound) }
            let removal = try transaction.removal(of: user, from: name)
            guard expected == nil || expected == removal.liftsSecondFactor else { return .failure(.isOtherwise) }
            guard try transaction.removeMember(user, from: name) else {
                return .success(Removal(isChanged: false, liftsSecondFactor: false))
            }
            try transaction.append(
                .group(
                    .groupMemberRemoved, name, of: user, id: event, at: now, by: client,
                    removal.liftsSecondFactor ? ["liftsSecondFactor": .bool(true)] : [:]))
            return .success(removal)
        }
    }

    /// What ``removeMember(_:from:lifting:by:)`` would do. Nothing is changed.
    public func removal(of user: UserID, from name: GroupName) async throws -> Result<Removal, Refusal> {
        try await realm.store.read { transaction in
            guard try transaction.group(name) != nil else { return .failure(.groupNotFound) }
            return .success(try transaction.removal(of: user, from: name))
        }
    }
}

extension StoreTransaction {
    fileprivate func removal(of user: UserID, from name: GroupName) throws -> Groups.Removal {
        guard try groups(of: user, limit: UserGroup.mostOfUser).contains(name) else {
            return Groups.Removal(isChanged: false, liftsSecondFactor: false)
        }
        return Groups.Removal(
            isChanged: true,
            liftsSecondFactor: try requiresSecondFactor(of: user, settings().secondFactors, onlyAsMemberOf: name))
    }
}

extension AuditEvent {
    fileprivate static func group(
        _ kind: Kind, _ name: GroupName, of user: UserID?, id: String, at now: Date, by client: ClientContext,
        _ more: [String: JSONValue] = [:]
    ) -> AuditEvent {
        var details = more
        details["group"] = .string(name.rawValue)
        return AuditEvent(id: id, at: now, kind: kind, userID: user, context: client, details: details)
    }
}

extension AuditEvent.Kind {
    /// A group was made.
    public static let groupAdded = Self(rawValue: "group.added")
    /// What people are told of a group was changed.
    public static let groupChanged = Self(rawValue: "group.changed")
    /// A group was removed; its members stay users.
    public static let groupRemoved = Self(rawValue: "group.removed")
    /// A user came into a group.
    public static let groupMemberAdded = Self(rawValue: "group.member-added")
    /// A user was taken out of a group.
    public static let groupMemberRemoved = Self(rawValue: "group.member-removed")
}

extension Realm {
    /// Groups of users.
    public var groups: Groups { Groups(realm: self) }
}
