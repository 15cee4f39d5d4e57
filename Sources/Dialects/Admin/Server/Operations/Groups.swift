import CountersignCore

/// Makes a group of users.
public struct AddGroup: RehearsedOperation {
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
        let text = try UserGroup.judged(summary: summary ?? "")
        if dryRun == true {
            return Answer(group: GroupSummary(UserGroup(name: name, summary: text, createdAt: realm.clock.now)))
        }
        switch try await realm.groups.add(name, summary: text, by: client) {
        case .success(let group): return Answer(group: GroupSummary(group))
        case .failure: throw AdministrationError(.conflict, "There is a group \(name) already.")
        }
    }
}

/// Changes what people are told of a group. It keeps its name.
public struct ChangeGroup: RehearsedOperation {
    public static let name = "groups:set"
    public static let right = AdministrationRight.changeGroups

    public var group: String
    /// Up to 200 characters; an empty text clears.
    public var summary: String
    /// Whether it is judged alone, by the same rules, and nothing is changed.
    public var dryRun: Bool?
    /// The summary that the group is to have still; otherwise nothing is changed.
    public var expecting: String?

    public init(group: String, summary: String, dryRun: Bool? = nil, expecting: String? = nil) {
        self.group = group
        self.summary = summary
        self.dryRun = dryRun
        self.expecting = expecting
    }

    public struct Answer: Codable, Sendable {
        public let group: GroupSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let (name, text) = (GroupName(rawValue: group), try UserGroup.judged(summary: summary))
        let expecting = expecting
        let judge: @Sendable (UserGroup) throws -> Void = { present in
            try RecordRevision.require(expecting, present.summary)
        }
        if dryRun == true {
            guard var present = try await realm.groups.group(name) else { throw AdministrationError.noGroup(group) }
            try judge(present)
            present.summary = text
            return Answer(group: GroupSummary(present))
        }
        switch try await realm.groups.change(name, summary: text, by: client, judging: judge) {
        case .success(let changed): return Answer(group: GroupSummary(changed))
        case .failure: throw AdministrationError.noGroup(group)
        }
    }
}

extension UserGroup {
    /// - Throws: ``AdministrationError`` of code `invalid` where it is neither empty nor a line that is short enough.
    fileprivate static func judged(summary: String) throws -> String {
        guard summary.isEmpty || PlainText.isLine(summary, longest: longestSummary) else {
            throw AdministrationError(
                .invalid, "The summary is one line of at most \(UserGroup.longestSummary) characters.")
        }
        return PlainText.key(summary)
    }
}

/// Lists the groups, ordered by name, or those whose name or summary begins with a text: the ones whose name begins with it in the same case
/// come first. A page costs the same wherever it is.
public struct ListGroups: PagedOperation {
    public static let name = "groups:list"
    public static let right = AdministrationRight.readGroups

    /// What the name or the summary begins with, without regard to case; up to 256 characters. All groups where it is left out or blank.
    public var text: String?
    /// Only the groups that this user is in: id or address. Then there is one page, and no text.
    public var user: String?
    /// 1 to 1,000; 100 where it is left out.
    public var limit: Int?
    /// Where the page begins: ``Answer/next`` of the page before.
    public var after: String?
    /// Where the page ends: ``Answer/previous`` of the page after.
    public var before: String?

    public init(
        text: String? = nil, user: String? = nil, limit: Int? = nil, after: String? = nil, before: String? = nil
    ) {
        self.text = text
        self.user = user
        self.limit = limit
        self.after = after
        self.before = before
    }

    public struct Answer: Codable, Sendable {
        public let groups: [GroupSummary]
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// Where the next page begins; nil on the last.
        public let next: String?
        /// Whether so few groups were found that the look ended at its bound: more may follow, although the page is not full. Nil where no
        /// text was looked for.
        public let isPartial: Bool?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        try AdministrationError.check(searchText: text)
        let sought = text.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
        if let user {
            guard sought == nil else { throw AdministrationError(.invalid, "Give a text or a user, not both.") }
            let groups = try await realm.groups.list(of: permit.user(user, of: realm).id)
            return Answer(groups: groups.map(GroupSummary.init), previous: nil, next: nil, isPartial: nil)
        }
        let limit = try PageLimit.judged(limit)
        if let sought {
            let range: ListRange<FoundPlace<GroupName>> = try found(limit: limit)
            let page = try await realm.groups.search(sought, range)
            return Answer(
                groups: page.rows.map(GroupSummary.init), previous: place(page.previous), next: place(page.next),
                isPartial: page.isPartial(of: range))
        }
        let page = try await realm.groups.list(range(limit: limit))
        return Answer(
            groups: page.rows.map(GroupSummary.init), previous: place(page.previous), next: place(page.next),
            isPartial: nil)
    }
}

/// Shows a group with its members, ordered by id.
public struct ShowGroup: PagedOperation {
    public static let name = "groups:show"
    public static let right = AdministrationRight.readGroups

    public var group: String
    /// Members on a page: 1 to 1,000; 100 where it is left out.
    public var limit: Int?
    /// Where the page begins: ``Answer/next`` of the page before.
    public var after: String?
    /// Where the page ends: ``Answer/previous`` of the page after.
    public var before: String?

    public init(group: String, limit: Int? = nil, after: String? = nil, before: String? = nil) {
        self.group = group
        self.limit = limit
        self.after = after
        self.before = before
    }

    public struct Answer: Codable, Sendable {
        public let group: GroupSummary
        public let members: [UserSummary]
        /// Whether the settings require a second factor of the members. Nil from a server of before.
        public let requiresSecondFactor: Bool?
        /// Where the page before ends; nil on the first.
        public let previous: String?
        /// Where the next page begins; nil on the last.
        public let next: String?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let range: ListRange<UserID> = try range(limit: PageLimit.judged(limit))
        guard let (found, page) = try await realm.groups.members(of: GroupName(rawValue: group), range) else {
            throw AdministrationError.noGroup(group)
        }
        return Answer(
            group: GroupSummary(found), members: page.rows.map(UserSummary.init),
            requiresSecondFactor: try await realm.settings().secondFactors.requires(of: found.name),
            previous: place(page.previous), next: place(page.next))
    }
}

/// Removes a group. Its members stay users. A group of which someone administers is removed by those alone who may give and take roles.
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
        let name = GroupName(rawValue: group)
        let refusal = try await permit.changing(membersOf: name, of: realm) {
            try await realm.groups.remove(name, by: client)
        }
        switch refusal {
        case nil: return Answer(group: group)
        case .isRequired?:
            throw AdministrationError(
                .refused,
                "The setting secondFactors.requiredGroups names the group \(group.prefix(100)). Take it out of the setting first: "
                    + "without the group its members need no second factor.")
        case .some: throw AdministrationError.noGroup(group)
        }
    }
}

/// Puts a user into a group: one with a role by those alone who may give and take roles.
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
        let found = try await permit.user(user, of: realm)
        let outcome = try await permit.changing(found, of: realm) {
            try await realm.groups.addMember(found.id, to: GroupName(rawValue: group), by: client)
        }
        switch outcome {
        case .success(let isChanged): return Answer(user: UserSummary(found), isChanged: isChanged)
        case .failure(.tooManyGroups):
            throw AdministrationError(.refused, "The user is in \(UserGroup.mostOfUser) groups, which is the most.")
        case .failure(.userNotFound): throw AdministrationError.noUser(user)
        case .failure: throw AdministrationError.noGroup(group)
        }
    }
}

/// Takes a user out of a group: one with a role by those alone who may give and take roles.
public struct RemoveGroupMember: RehearsedOperation {
    public static let name = "groups:remove-member"
    public static let right = AdministrationRight.changeGroups

    public var group: String
    /// Id or address.
    public var user: String
    /// Whether it is judged alone, by the same rules, and nothing is changed.
    public var dryRun: Bool?
    /// Whether the caller knows that it lifts the requirement of a second factor (``Answer/liftsSecondFactor``): nothing is changed where it is
    /// otherwise. Left out, it is done either way.
    public var expectingLift: Bool?

    public init(group: String, user: String, dryRun: Bool? = nil, expectingLift: Bool? = nil) {
        self.group = group
        self.user = user
        self.dryRun = dryRun
        self.expectingLift = expectingLift
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
        /// False where it was so before.
        public let isChanged: Bool
        /// Whether the settings required a second factor of the user because of this group alone, so that none is required once the user is
        /// out of it. Nil from a server of before.
        public let liftsSecondFactor: Bool?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await permit.user(user, of: realm)
        let name = GroupName(rawValue: group)
        let outcome = try await permit.changing(found, of: realm) {
            try await dryRun == true
                ? realm.groups.removal(of: found.id, from: name)
                : realm.groups.removeMember(found.id, from: name, lifting: expectingLift, by: client)
        }
        switch outcome {
        case .success(let removal):
            return Answer(
                user: UserSummary(found), isChanged: removal.isChanged, liftsSecondFactor: removal.liftsSecondFactor)
        case .failure(.isOtherwise): throw AdministrationError.changedMeanwhile
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
    static func noGroup(_ name: String) -> AdministrationError {
        AdministrationError(
            .notFound, "There is no group \(name.prefix(80)). `countersign group list` shows all of them.")
    }
}
