import CountersignCore

/// Makes a group of users.
public struct AddGroup: AdministrationOperation {
    public static let name = "groups:add"
    public static let right = AdministrationRight.changeGroups

    /// 1 to 64 letters, digits and `-_.:@/`, of which slashes part it into parts that are neither empty nor `.` or `..`; it is not changed
    /// later.
    public var group: String
    /// What people are told of it; up to 200 characters.
    public var summary: String?
    /// Whether it is judged alone, by the same rules, and nothing is changed.
    public var dryRun: Bool?

    public init(group: String, summary: String? = nil, dryRun: Bool? = nil) {
        self.group = group
        self.summary = summary
        self.dryRun = dryRun
    }

    public struct Answer: Codable, Sendable {
        public let group: GroupSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let name = try GroupName.judged(group)
        guard summary?.count ?? 0 <= UserGroup.longestSummary else {
            throw AdministrationError(.invalid, "The summary has more than \(UserGroup.longestSummary) characters.")
        }
        let text = PlainText.key(summary ?? "")
        if dryRun == true {
            return Answer(group: GroupSummary(UserGroup(name: name, summary: text, createdAt: realm.clock.now)))
        }
        switch try await realm.groups.add(name, summary: text, by: client) {
        case .success(let group): return Answer(group: GroupSummary(group))
        case .failure: throw AdministrationError(.conflict, "There is a group \(name) already.")
        }
    }
}

/// Lists the groups, ordered by name.
public struct ListGroups: AdministrationOperation {
    public static let name = "groups:list"
    public static let right = AdministrationRight.readGroups

    /// Only the groups that this user is in: id or address. Then there is one page.
    public var user: String?
    /// 1 to 1,000; 100 where it is left out.
    public var limit: Int?
    /// Where the page begins: ``Answer/next`` of the page before.
    public var after: String?

    public init(user: String? = nil, limit: Int? = nil, after: String? = nil) {
        self.user = user
        self.limit = limit
        self.after = after
    }

    public struct Answer: Codable, Sendable {
        public let groups: [GroupSummary]
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        if let user {
            let groups = try await realm.groups.list(of: realm.user(user).id)
            return Answer(groups: groups.map(GroupSummary.init), next: nil)
        }
        let limit = try PageLimit.judged(limit)
        let last = try ListPlace.key(after, in: Self.self).map(GroupName.init(rawValue:))
        let groups = try await realm.groups.list(after: last, limit: limit)
        let next = groups.count < limit ? nil : groups.last?.name.rawValue
        return Answer(groups: groups.map(GroupSummary.init), next: ListPlace.text(next, in: Self.self))
    }
}

/// Shows a group with its members, ordered by id.
public struct ShowGroup: AdministrationOperation {
    public static let name = "groups:show"
    public static let right = AdministrationRight.readGroups

    public var group: String
    /// Members on a page: 1 to 1,000; 100 where it is left out.
    public var limit: Int?
    /// Where the page begins: ``Answer/next`` of the page before.
    public var after: String?

    public init(group: String, limit: Int? = nil, after: String? = nil) {
        self.group = group
        self.limit = limit
        self.after = after
    }

    public struct Answer: Codable, Sendable {
        public let group: GroupSummary
        public let members: [UserSummary]
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let limit = try PageLimit.judged(limit)
        let name = GroupName(rawValue: group)
        let last = try ListPlace.key(after, in: Self.self).map(UserID.init(rawValue:))
        guard let found = try await realm.groups.group(name),
            let members = try await realm.groups.members(of: name, after: last, limit: limit)
        else { throw AdministrationError.noGroup(group) }
        let next = members.count < limit ? nil : members.last?.id.rawValue
        return Answer(
            group: GroupSummary(found), members: members.map(UserSummary.init),
            next: ListPlace.text(next, in: Self.self))
    }
}

/// Removes a group. Its members stay users.
public struct RemoveGroup: AdministrationOperation {
    public static let name = "groups:remove"
    public static let right = AdministrationRight.changeGroups

    public var group: String

    public init(group: String) {
        self.group = group
    }

    public struct Answer: Codable, Sendable {
        public let group: String
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard try await realm.groups.remove(GroupName(rawValue: group), by: client) else {
            throw AdministrationError.noGroup(group)
        }
        return Answer(group: group)
    }
}

/// Puts a user into a group.
public struct AddGroupMember: AdministrationOperation {
    public static let name = "groups:add-member"
    public static let right = AdministrationRight.changeGroups

    public var group: String
    /// Id or address.
    public var user: String

    public init(group: String, user: String) {
        self.group = group
        self.user = user
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
        /// False where it was so before.
        public let isChanged: Bool
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await realm.user(user)
        switch try await realm.groups.addMember(found.id, to: GroupName(rawValue: group), by: client) {
        case .success(let isChanged): return Answer(user: UserSummary(found), isChanged: isChanged)
        case .failure(.tooManyGroups):
            throw AdministrationError(.refused, "The user is in \(UserGroup.mostOfUser) groups, which is the most.")
        case .failure(.userNotFound): throw AdministrationError.noUser(user)
        case .failure: throw AdministrationError.noGroup(group)
        }
    }
}

/// Takes a user out of a group.
public struct RemoveGroupMember: AdministrationOperation {
    public static let name = "groups:remove-member"
    public static let right = AdministrationRight.changeGroups

    public var group: String
    /// Id or address.
    public var user: String

    public init(group: String, user: String) {
        self.group = group
        self.user = user
    }

    public typealias Answer = AddGroupMember.Answer

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await realm.user(user)
        switch try await realm.groups.removeMember(found.id, from: GroupName(rawValue: group), by: client) {
        case .success(let isChanged): return Answer(user: UserSummary(found), isChanged: isChanged)
        case .failure: throw AdministrationError.noGroup(group)
        }
    }
}

/// A group in lists.
public struct GroupSummary: Codable, Sendable, Equatable {
    public let name: String
    public let summary: String
    public let createdAt: Timestamp

    init(_ group: UserGroup) {
        name = group.name.rawValue
        summary = group.summary
        createdAt = Timestamp(group.createdAt)
    }
}

extension GroupName {
    fileprivate static func judged(_ text: String) throws -> GroupName {
        guard let name = GroupName(text) else {
            throw AdministrationError(
                .invalid,
                "\"\(text.prefix(80))\" is no name of a group: it has 1 to 64 letters, digits, and - _ . : @ or /, and no part of it is empty, . or .."
            )
        }
        return name
    }
}

extension AdministrationError {
    fileprivate static func noGroup(_ name: String) -> AdministrationError {
        AdministrationError(
            .notFound, "There is no group \(name.prefix(80)). `countersign group list` shows all of them.")
    }
}
