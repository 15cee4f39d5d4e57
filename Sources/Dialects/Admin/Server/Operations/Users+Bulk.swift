import CountersignCore

/// Does the same to many users. What is refused for one is done for the others.
public struct ChangeUsers: AdministrationOperation {
    public static let name = "users:bulk"
    /// Of the action that takes the least; each takes the right of its own operation, and no other.
    public static let right = AdministrationRight.endSessions
    public static let rights = Set(Action.allCases.map(\.right))

    /// What is done to each.
    public enum Action: String, Codable, Sendable, CaseIterable {
        case endSessions = "end-sessions"
        /// A mail with a link to a new password.
        case resetPassword = "reset-password"
        case disable
        case enable
        case resetSecondFactors = "reset-mfa"
        case addToGroup = "add-to-group"
        /// Of whom a second factor is required because of the group alone stays in it.
        case removeFromGroup = "remove-from-group"
        case delete

        /// Whether it is about a group.
        public var isOfGroup: Bool { self == .addToGroup || self == .removeFromGroup }
    }

    /// `end-sessions`, `reset-password`, `disable`, `enable`, `reset-mfa`, `add-to-group`, `remove-from-group` or `delete`.
    public var action: String
    /// Ids or addresses; at most ``mostUsers``.
    public var users: [String]
    /// The group that `add-to-group` and `remove-from-group` are about.
    public var group: String?

    public static let mostUsers = 500
    /// How long a call goes on: no user is begun after it, and those who are left are named in the answer.
    static let longest: Duration = .seconds(20)

    public init(action: String, users: [String], group: String? = nil) {
        self.action = action
        self.users = users
        self.group = group
    }

    public struct Answer: Codable, Sendable {
        /// For how many it was done.
        public let done: Int
        public let refused: [Refused]
        /// Those whom the call did not get to in its time, as the request named them; nil where there are none.
        public let left: [String]?

        public struct Refused: Codable, Sendable, Equatable {
            /// As the request named the user.
            public let user: String
            public let reason: String
        }
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let action = Action(rawValue: action) else {
            let words = Action.allCases.map(\.rawValue)
            throw AdministrationError(
                .invalid, "\"\(action.prefix(60))\" is no action. There are \(words.joined(separator: ", ")).")
        }
        guard (1...Self.mostUsers).contains(users.count) else {
            throw AdministrationError(.invalid, "Name 1 to \(Self.mostUsers) users.")
        }
        try permit.require(action.right)
        guard (group != nil) == action.isOfGroup else {
            throw AdministrationError(
                .invalid, "add-to-group and remove-from-group take a group, and no other action does.")
        }
        if let group, try await realm.groups.group(GroupName(rawValue: group)) == nil {
            throw AdministrationError.noGroup(group)
        }
        let end = ContinuousClock.now + Self.longest
        let (answer, failure) = await Self.each(users, until: { ContinuousClock.now >= end }) { user in
            try await action.perform(user, of: group ?? "", permit, on: realm, by: client)
        }
        let note = Task {
            try await realm.accounts.noteBulk(
                action.rawValue, done: answer.done, refused: answer.refused.count, left: answer.left?.count ?? 0,
                failed: failure != nil, by: client)
        }
        guard let failure else {
            try await note.value
            return answer
        }
        // Those who were changed are: the log has their sums where it can be written, whatever the caller is told, and though the caller is gone.
        _ = await note.result
        throw failure
    }

    /// One user after the other, the first in any case, until the time is over or the server fails.
    /// - Returns: what came of it, and with what it broke off: then the first of those who are left is the one at whom it did.
    static func each(
        _ users: [String], until isOver: () -> Bool, _ change: (String) async throws -> Void
    ) async -> (answer: Answer, failure: (any Error)?) {
        var done = 0
        var refused: [Answer.Refused] = []
        for (index, user) in users.enumerated() {
            func rest() -> Answer { Answer(done: done, refused: refused, left: Array(users[index...])) }
            if index > 0, isOver() { return (rest(), nil) }
            do {
                try await change(user)
                done += 1
            } catch let error as AdministrationError where error.isOfOneUser {
                refused.append(Answer.Refused(user: user, reason: error.message))
            } catch {
                return (rest(), error)
            }
        }
        return (Answer(done: done, refused: refused, left: nil), nil)
    }
}

extension ChangeUsers.Action {
    /// What it needs of its caller.
    public var right: AdministrationRight {
        switch self {
        case .endSessions: EndSessions.right
        case .resetPassword: ResetPassword.right
        case .disable: DisableUser.right
        case .enable: EnableUser.right
        case .resetSecondFactors: ResetSecondFactors.right
        case .addToGroup: AddGroupMember.right
        case .removeFromGroup: RemoveGroupMember.right
        case .delete: DeleteUser.right
        }
    }

    fileprivate func perform(
        _ user: String, of group: String, _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws {
        switch self {
        case .endSessions: _ = try await EndSessions(user: user).perform(permit, on: realm, by: client)
        case .resetPassword: _ = try await ResetPassword(user: user).perform(permit, on: realm, by: client)
        case .disable: _ = try await DisableUser(user: user).perform(permit, on: realm, by: client)
        case .enable: _ = try await EnableUser(user: user).perform(permit, on: realm, by: client)
        case .resetSecondFactors:
            _ = try await ResetSecondFactors(user: user).perform(permit, on: realm, by: client)
        case .addToGroup:
            _ = try await AddGroupMember(group: group, user: user).perform(permit, on: realm, by: client)
        case .removeFromGroup:
            let removal = RemoveGroupMember(group: group, user: user, expectingLift: false)
            do {
                _ = try await removal.perform(permit, on: realm, by: client)
            } catch let error as AdministrationError where error.code == .conflict {
                throw AdministrationError(
                    .refused,
                    "A second factor is required of the user because of this group alone. Such users are taken out of it one by one."
                )
            }
        case .delete: _ = try await DeleteUser(user: user).perform(permit, on: realm, by: client)
        }
    }
}

extension AdministrationError {
    /// Whether it is about the user who was named, and others may do better.
    fileprivate var isOfOneUser: Bool {
        switch code {
        case .notFound, .invalid, .conflict, .refused, .forbidden: true
        default: false
        }
    }
}

extension ChangeUsers: CommandedOperation {
    /// The page has asked.
    public var commandLine: [String] {
        let line = CommandParts("user", "bulk").flag("yes", if: action == Action.delete.rawValue)
            .option("group", group)
        return line.arguments([action] + users)
    }
}
