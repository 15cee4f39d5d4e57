import CountersignCore

// What the console's pages about the server itself do, as commands.

extension SearchAuditEvents: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("audit", "search").option("user", user).options("kind", kinds ?? [])
            .option("application", application).option("source", source).option("since", since)
            .option("until", until).option("before", before).option("after", after).option("limit", limit).words
    }
}

extension ShowAuditEvent: CommandedOperation {
    public var commandLine: [String] { CommandParts("audit", "show").arguments(id) }
}

extension ListLimits: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("limit", "list").option("limit", limit).option("after", after).option("before", before).words
    }
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

extension RetireKey: CommandedOperation {
    public var commandLine: [String] { CommandParts("key", "retire").arguments(id) }
}

extension ShowSettings: CommandedOperation {
    public var commandLine: [String] {
        key.map { CommandParts("config", "show").arguments($0) } ?? CommandParts("config", "show").words
    }
}

extension ChangeSetting: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("config", "set").flag("yes", if: confirmed).arguments(key, value.stringValue ?? "none")
    }
}

extension PreviewSetting: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("config", "set", "--preview").arguments(key, value.stringValue ?? "none")
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

extension ShowFigures: CommandedOperation {
    public var commandLine: [String] { CommandParts("figures").words }
}

extension ListHooks: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("hook", "list").option("limit", limit).option("after", after).option("before", before).words
    }
}

extension ShowHook: CommandedOperation {
    public var commandLine: [String] { CommandParts("hook", "show").arguments(id) }
}

extension AddHook: CommandedOperation {
    /// A secret is not among the words, where every user of the machine could read it: the command makes one.
    public var commandLine: [String] {
        CommandParts("hook", "add").option("events", events.joined(separator: ",")).option("label", label)
            .arguments(url)
    }
}

extension ChangeHook: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("hook", "set").option("url", url).option("events", events.map { $0.joined(separator: ",") })
            .option("label", label).flag("enable", if: isEnabled).flag("disable", if: isEnabled.map { !$0 })
            .flag("skip-missed", if: skipMissed).arguments(id)
    }
}

extension RotateHookSecret: CommandedOperation {
    public var commandLine: [String] { CommandParts("hook", "rotate-secret").arguments(id) }
}

extension RemoveHook: CommandedOperation {
    public var commandLine: [String] { CommandParts("hook", "remove").arguments(id) }
}

extension TestHook: CommandedOperation {
    public var commandLine: [String] { CommandParts("hook", "test").arguments(id) }
}

extension ReplayEvent: CommandedOperation {
    public var commandLine: [String] { CommandParts("hook", "replay").arguments(id, event) }
}

extension SendTestPush: CommandedOperation {
    public var commandLine: [String] { CommandParts("delivery", "test-push").arguments(device) }
}

extension ListMailTemplates: CommandedOperation {
    public var commandLine: [String] { CommandParts("delivery", "templates").words }
}

extension PreviewMail: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("delivery", "preview").option("locale", locale).arguments(template)
    }
}

extension ListExtensions: CommandedOperation {
    public var commandLine: [String] { CommandParts("extension", "list").words }
}

extension ShowExtension: CommandedOperation {
    public var commandLine: [String] { CommandParts("extension", "show").arguments(id) }
}

extension CheckExtension: CommandedOperation {
    public var commandLine: [String] { CommandParts("extension", "check").arguments(id) }
}

extension RemoveExtension: CommandedOperation {
    public var commandLine: [String] { CommandParts("extension", "remove").arguments(id) }
}

extension AcceptAuditFault: CommandedOperation {
    public var commandLine: [String] { CommandParts("audit", "accept").arguments(String(seal)) }
}

extension AddExtension: CommandedOperation {
    public var commandLine: [String] {
        let claims = claims ?? []
        return CommandParts("extension", "add").option("event", event).option("url", targetURL)
            .option("name", displayName).option("resource-id", resourceID).options("app", applications ?? [])
            .option("timeout", timeout).option("retries", retries).option("on-error", onError)
            .options(
                "claim",
                claims.compactMap { claim in
                    claim.id.map { id in claim.renamed.map { "\(id):\($0)" } ?? id }
                }
            )
            .options("constant", claims.compactMap { claim in claim.value.map { "\(claim.jwtClaimType ?? "")=\($0)" } })
            .option("claims-in", tokens.map { $0.joined(separator: ",") }).option("replaces", replaces).words
    }
}
