import Foundation

extension RememberingTransaction {
    func group(_ name: GroupName) throws -> UserGroup? { try base.group(name) }
    func groups(_ range: ListRange<GroupName>) throws -> [UserGroup] {
        try base.groups(range)
    }
    func groups(beginningWith text: String, _ range: ListRange<GroupName>) throws -> [UserGroup] {
        try base.groups(beginningWith: text, range)
    }
    func groups(of user: UserID, limit: Int) throws -> [GroupName] { try base.groups(of: user, limit: limit) }
    func members(of group: GroupName, _ range: ListRange<UserID>) throws -> [UserID] {
        try base.members(of: group, range)
    }
    func insert(_ group: UserGroup) throws -> Bool { try base.insert(group) }
    func update(_ group: UserGroup) throws -> Bool { try base.update(group) }
    func deleteGroup(_ name: GroupName) throws -> Bool { try base.deleteGroup(name) }
    func addMember(_ user: UserID, to group: GroupName, at instant: Date) throws -> Bool {
        try base.addMember(user, to: group, at: instant)
    }
    func removeMember(_ user: UserID, from group: GroupName) throws -> Bool {
        try base.removeMember(user, from: group)
    }
}
