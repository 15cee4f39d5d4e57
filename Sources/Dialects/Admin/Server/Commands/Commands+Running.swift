import CountersignCore

// What the console's pages about the server itself do, as commands.

extension SearchAuditEvents: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("audit", "search").option("user", user).options("kind", kinds ?? [])
            .option("application", application).option("source", source).option("since", since)
            .option("until", until).option("before", before).option("limit", limit).words
    }
}

extension ShowAuditEvent: CommandedOperation {
    public var commandLine: [String] { CommandParts("audit", "show").arguments(id) }
}

extension ListLimits: CommandedOperation {
    public var commandLine: [String] { CommandParts("limit", "list").option("after", after).words }
}

extension LiftLimit: CommandedOperation {
    public var commandLine: [String] { CommandParts("limit", "lift").arguments(kind, subject) }
}

extension ListKeys: CommandedOperation {
    public var commandLine: [String] { CommandParts("key", "list").words }
}

extension RotateKeys: CommandedOperation {
    public var commandLine: [String] { CommandParts("key", "rotate").words }
}

extension ShowSettings: CommandedOperation {
    public var commandLine: [String] {
        key.map { CommandParts("config", "show").arguments($0) } ?? CommandParts("config", "show").words
    }
}

extension ChangeSetting: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("config", "set").arguments(key, value.stringValue ?? "none")
    }
}

extension RunDoctor: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("doctor").option("level", level).option("assurance", assurance).options("except", except ?? [])
            .words
    }
}

extension ShowDelivery: CommandedOperation {
    public var commandLine: [String] { CommandParts("delivery", "show").words }
}

extension RetryDelivery: CommandedOperation {
    public var commandLine: [String] { CommandParts("delivery", "retry").arguments(channel) }
}

extension SendTestMail: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("delivery", "test-mail").option("locale", locale).arguments(address)
    }
}
