import CountersignCore
import Foundation

extension UserGroup: StoredRow {
    static let table = "user_groups"
    static let columns = "name, summary, created_at"

    init(row: inout RowReader) throws {
        self.init(name: GroupName(kept: try row.text()), summary: try row.text(), createdAt: try row.date())
    }

    var values: [SQLValue] { [SQLValue(name.rawValue), SQLValue(summary), SQLValue(createdAt)] }
}

private enum Statements {
    static let byName = UserGroup.selection("WHERE name = $1")
    static let listed = ListStatements { UserGroup.selection("WHERE name \($0) $1 ORDER BY name\($1) LIMIT $2") }
    static let beginning = ListStatements { _, order in
        UserGroup.selection("WHERE name >= $1 AND name < $2 ORDER BY name\(order) LIMIT $3")
    }
    static let insertion = UserGroup.insertion()
    static let update = SQLStatement("UPDATE user_groups SET summary = $2 WHERE name = $1")
    static let deletion = SQLStatement("DELETE FROM user_groups WHERE name = $1")
    static let ofUser = SQLStatement(
        "SELECT group_name FROM group_members WHERE user_id = $1 ORDER BY group_name LIMIT $2")
    static let members = ListStatements { comparison, order in
        SQLStatement(
            """
            SELECT user_id FROM group_members WHERE group_name = $1 AND user_id \(comparison) $2 \
            ORDER BY user_id\(order) LIMIT $3
            """)
    }
    static let joining = SQLStatement(
        """
        INSERT INTO group_members (group_name, user_id, created_at) SELECT $1, $2, $3 \
        WHERE EXISTS (SELECT 1 FROM user_groups WHERE user_groups.name = $1) \
        AND EXISTS (SELECT 1 FROM users WHERE users.id = $2) ON CONFLICT DO NOTHING
        """)
    static let leaving = SQLStatement("DELETE FROM group_members WHERE group_name = $1 AND user_id = $2")
}

extension SQLTransaction {
    public func group(_ name: GroupName) throws -> UserGroup? {
        try first(Statements.byName, SQLValue(name.rawValue))
    }

    public func groups(_ range: ListRange<GroupName>) throws -> [UserGroup] {
        try select(Statements.listed[range], Statements.listed.place(range), SQLValue(limit: range.limit))
    }

    public func groups(beginningWith text: String, _ range: ListRange<GroupName>) throws -> [UserGroup] {
        let (start, end) = ListStatements.bounds(beginningWith: text, range)
        return try select(Statements.beginning[range], start, end, SQLValue(limit: range.limit))
    }

    public func groups(of user: UserID, limit: Int) throws -> [GroupName] {
        try texts(Statements.ofUser, SQLValue(user.rawValue), SQLValue(limit: limit)).map(GroupName.init(kept:))
    }

    public func members(of group: GroupName, _ range: ListRange<UserID>) throws -> [UserID] {
        try texts(
            Statements.members[range], SQLValue(group.rawValue), Statements.members.place(range),
            SQLValue(limit: range.limit)
        ).map(UserID.init(rawValue:))
    }

    private func texts(_ query: SQLStatement, _ parameters: SQLValue...) throws -> [String] {
        var texts: [String] = []
        try connection.query(query, parameters) { columns in
            var reader = RowReader(columns, table: "group_members")
            texts.append(try reader.text())
        }
        return texts
    }

    public func insert(_ group: UserGroup) throws -> Bool {
        locks.noteNew(.groups, group.name.rawValue)
        return try connection.changes(Statements.insertion, group.values)
    }

    public func update(_ group: UserGroup) throws -> Bool {
        try locks.note(.groups, group.name.rawValue)
        return try changes(Statements.update, SQLValue(group.name.rawValue), SQLValue(group.summary))
    }

    public func deleteGroup(_ name: GroupName) throws -> Bool {
        try locks.note(.groups, name.rawValue)
        return try changes(Statements.deletion, SQLValue(name.rawValue))
    }

    public func addMember(_ user: UserID, to group: GroupName, at instant: Date) throws -> Bool {
        try locks.noteReference(to: user)
        locks.noteNew(.groupMembers, "\(group) \(user)")
        return try changes(
            Statements.joining, SQLValue(group.rawValue), SQLValue(user.rawValue), SQLValue(instant))
    }

    public func removeMember(_ user: UserID, from group: GroupName) throws -> Bool {
        try locks.note(.groupMembers, "\(group) \(user)")
        return try changes(Statements.leaving, SQLValue(group.rawValue), SQLValue(user.rawValue))
    }
}
