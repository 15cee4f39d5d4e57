extension AddGroup: CommandedOperation {
    public var commandLine: [String] { CommandParts("group", "add").option("summary", summary).arguments(group) }
}

extension ListGroups: CommandedOperation {
    public var commandLine: [String] {
        let command = CommandParts("group", "list").option("user", user).option("limit", limit).option("after", after)
            .option("before", before)
        return text.map { command.arguments($0) } ?? command.words
    }
}

extension ShowGroup: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("group", "show").option("limit", limit).option("after", after).option("before", before).arguments(
            group)
    }
}

extension ChangeGroup: CommandedOperation {
    public var commandLine: [String] { CommandParts("group", "set").option("summary", summary).arguments(group) }
}

extension RemoveGroup: CommandedOperation {
    public var commandLine: [String] { CommandParts("group", "remove").arguments(group) }
}

extension AddGroupMember: CommandedOperation {
    public var commandLine: [String] { CommandParts("group", "add-member").arguments(group, user) }
}

extension RemoveGroupMember: CommandedOperation {
    /// The page has asked.
    public var commandLine: [String] { CommandParts("group", "remove-member", "--yes").arguments(group, user) }
}

extension GrantRole: CommandedOperation {
    public var commandLine: [String] { CommandParts("admin", "grant").arguments(user, role) }
}

extension RevokeRole: CommandedOperation {
    public var commandLine: [String] { CommandParts("admin", "revoke").arguments(user) }
}

extension ListAdministrators: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("admin", "list").option("limit", limit).option("after", after).option("before", before).arguments()
    }
}

extension AddMachineToken: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("admin", "token", "add").options("scope", scopes).option("expires", Self.span(lifetime))
            .option("label", label).arguments()
    }

    /// A lifetime in the largest unit that it is a multiple of, as commands take it.
    static func span(_ lifetime: Int) -> String {
        if lifetime % 86_400 == 0 { return "\(lifetime / 86_400)d" }
        if lifetime % 3600 == 0 { return "\(lifetime / 3600)h" }
        return "\(lifetime / 60)m"
    }
}

extension ListMachineTokens: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("admin", "token", "list").option("limit", limit).option("after", after).option("before", before)
            .words
    }
}

extension RevokeMachineToken: CommandedOperation {
    public var commandLine: [String] { CommandParts("admin", "token", "revoke").arguments(id) }
}
