import CountersignCore
import Foundation

extension StoreConformance {
    static let groups: [Check] = [
        Check("Groups and their members are kept, listed in order and page by page, and gone with group or user") {
            store in
            let names = ["b", "a", "c/1"].map(GroupName.init(rawValue:))
            let ids = ["u2", "u1", "u3"].map(UserID.init(rawValue:))
            let gone = UserID(rawValue: "gone")
            try await store.write { transaction in
                for id in ids { _ = try transaction.insert(Sample.user(id.rawValue)) }
                for name in names {
                    try require(
                        try transaction.insert(
                            UserGroup(name: name, summary: Sample.text, createdAt: Sample.instant())), "a new group")
                }
                try require(
                    !(try transaction.insert(UserGroup(name: names[0], summary: "", createdAt: Sample.instant(1)))),
                    "the name is taken")
                for id in ids { try require(try transaction.addMember(id, to: names[0], at: Sample.instant()), "in") }
                try require(try transaction.addMember(ids[0], to: names[1], at: Sample.instant()), "in another")
                try require(!(try transaction.addMember(ids[0], to: names[1], at: Sample.instant(1))), "in it already")
                try require(!(try transaction.addMember(gone, to: names[1], at: Sample.instant())), "no user")
                try require(
                    !(try transaction.addMember(ids[0], to: GroupName(rawValue: "none"), at: Sample.instant())),
                    "no group")
            }
            let (group, listed, rest, members, ofUser) = try await store.read { transaction in
                (
                    try transaction.group(names[0]),
                    try transaction.groups(ListRange(limit: 2)).map(\.name.rawValue),
                    try transaction.groups(ListRange(GroupName(rawValue: "b"), limit: 2)).map(\.name.rawValue),
                    [
                        try transaction.members(of: names[0], ListRange(limit: 2)),
                        try transaction.members(of: names[0], ListRange(UserID(rawValue: "u2"), limit: 2)),
                    ].map { $0.map(\.rawValue) },
                    try transaction.groups(of: ids[0], limit: 9).map(\.rawValue)
                )
            }
            try requireEqual(
                group, UserGroup(name: names[0], summary: Sample.text, createdAt: Sample.instant()), "the group")
            try requireEqual(listed, ["a", "b"], "the first page of groups")
            try requireEqual(rest, ["c/1"], "the second page of groups")
            try requireEqual(members, [["u1", "u2"], ["u3"]], "the pages of members")
            try requireEqual(ofUser, ["a", "b"], "the groups of a user")
            try await store.write { transaction in
                var described = UserGroup(name: names[0], summary: "", createdAt: Sample.instant(9))
                try require(try transaction.update(described), "there is the group")
                described.summary = Sample.text
                try require(try transaction.update(described), "it is written again")
                try requireEqual(
                    try transaction.group(names[0]),
                    UserGroup(name: names[0], summary: Sample.text, createdAt: Sample.instant()), "its summary alone")
                let none = UserGroup(name: GroupName(rawValue: "none"), summary: "", createdAt: Sample.instant())
                try require(!(try transaction.update(none)), "there is none")
            }
            let after = try await store.write { transaction in
                // In the order in which all transactions lock rows: users, groups, members.
                _ = try transaction.deleteUser(ids[2])
                try require(try transaction.deleteGroup(names[1]), "there was the group")
                try require(!(try transaction.deleteGroup(names[1])), "there was none any more")
                try require(try transaction.removeMember(ids[1], from: names[0]), "was in it")
                try require(!(try transaction.removeMember(ids[1], from: names[0])), "was in it no more")
                return (
                    try transaction.members(of: names[0], ListRange(limit: 9)).map(\.rawValue),
                    try transaction.groups(of: ids[0], limit: 9).map(\.rawValue)
                )
            }
            try requireEqual(after.0, ["u2"], "who is left")
            try requireEqual(after.1, ["b"], "the groups that are left")
        }
    ]

    static let administrators: [Check] = [
        Check("Roles are given, replaced and taken, and go with their users; another owner is found") { store in
            let (ada, bob) = (UserID(rawValue: "ada"), UserID(rawValue: "bob"))
            @Sendable func administrator(_ id: UserID, _ role: AdministratorRole, by: String? = nil) -> Administrator {
                Administrator(userID: id, role: role, grantedBy: by, createdAt: Sample.instant(1))
            }
            try await store.write { transaction in
                try require(!(try transaction.put(administrator(ada, .owner))), "no user")
                _ = try transaction.insert(Sample.user("ada"))
                var disabled = Sample.user("bob")
                disabled.isDisabled = true
                _ = try transaction.insert(disabled)
                try require(try transaction.put(administrator(ada, .auditor)), "a role")
                try require(try transaction.put(administrator(ada, .owner, by: "user:x")), "another role")
                try require(try transaction.put(administrator(bob, .owner)), "a role for a disabled user")
            }
            let found = try await store.read { transaction in
                (
                    try transaction.administrator(ada),
                    try transaction.administrators(after: nil, limit: 1).map(\.userID),
                    try transaction.administrators(after: ada, limit: 9).map(\.userID),
                    [
                        try transaction.administrator(with: .owner, beside: ada),
                        try transaction.administrator(with: .owner, beside: bob),
                        try transaction.administrator(with: .auditor, beside: bob),
                    ]
                )
            }
            try requireEqual(found.0, administrator(ada, .owner, by: "user:x"), "the role")
            try requireEqual(found.1, [ada], "the first page")
            try requireEqual(found.2, [bob], "the second page")
            try requireEqual(found.3, [nil, ada, nil], "others of a role who are not disabled")
            let left = try await store.write { transaction in
                _ = try transaction.deleteUser(ada)
                try require(try transaction.deleteAdministrator(bob), "bob had a role")
                try require(!(try transaction.deleteAdministrator(bob)), "bob had none any more")
                return try transaction.administrators(after: nil, limit: 9).count
            }
            try requireEqual(left, 0, "the roles that are left")
        }
    ]

    static let machineTokens: [Check] = [
        Check("Tokens of machines are found by their digests alone, and their use is noted") { store in
            @Sendable func token(_ id: String, _ digest: UInt8, usedAt: Date? = nil) -> MachineToken {
                MachineToken(
                    id: id, digest: Data([digest]), name: Sample.text, scopes: [.right(.readUsers), .right(.readLog)],
                    createdBy: "user:x", createdAt: Sample.instant(), expiresAt: Sample.instant(9), lastUsedAt: usedAt)
            }
            try await store.write { transaction in
                try require(try transaction.insert(token("b", 2)), "a token")
                try require(try transaction.insert(token("a", 1)), "another")
                try require(!(try transaction.insert(token("a", 3))), "the id is taken")
                try require(!(try transaction.insert(token("c", 1))), "the digest is taken")
                for second: Int64 in [4, 5, 3] {
                    try transaction.touchMachineToken("a", usedAt: Sample.instant(second))
                }
            }
            let found = try await store.read { transaction in
                (
                    try transaction.machineToken(digest: Data([1])), try transaction.machineToken(digest: Data([3])),
                    try transaction.machineTokens(after: nil, limit: 9).map(\.id),
                    try transaction.machineTokens(after: "a", limit: 9),
                    try transaction.machineTokens(ListRange(isBackwards: true, limit: 1)).map(\.id)
                        + transaction.machineTokens(ListRange("b", isBackwards: true, limit: 9)).map(\.id)
                )
            }
            try requireEqual(found.0, token("a", 1, usedAt: Sample.instant(5)), "the token")
            try require(found.1 == nil, "there is none of the digest")
            try requireEqual(found.2, ["a", "b"], "the order")
            try requireEqual(found.3, [token("b", 2)], "the second page")
            try requireEqual(found.4, ["b", "a"], "backwards, from the end and from a token")
            let gone = try await store.write { transaction in
                (
                    try transaction.deleteMachineToken("a"), try transaction.deleteMachineToken("a"),
                    try transaction.machineToken(digest: Data([1])) == nil
                )
            }
            try require(gone.0 && !gone.1 && gone.2, "it is removed once and found no more")
        }
    ]
}
