extension AddUser: CommandedOperation {
    /// A password is not among the words, where every user of the machine could read it.
    public var commandLine: [String] {
        CommandParts("user", "add").option("name", displayName).option("id", id)
            .flag("verified", if: emailVerified).flag("generate-password", if: generatesPassword)
            .flag("password-stdin", if: password != nil).arguments(email)
    }
}

extension InviteUser: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("user", "invite").option("locale", locale).flag("print-link", if: givesLink).arguments(email)
    }
}

extension DisableUser: CommandedOperation {
    public var commandLine: [String] { CommandParts("user", "disable").arguments(user) }
}

extension EnableUser: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("user", "enable").flag("keep-tokens", if: keepTokens).arguments(user)
    }
}

extension ShowUser: CommandedOperation {
    public var commandLine: [String] { CommandParts("user", "show").arguments(user) }
}

extension DeleteUser: CommandedOperation {
    /// The page has asked.
    public var commandLine: [String] {
        CommandParts("user", "delete", "--yes").option("grace", graceDays).arguments(user)
    }
}

extension ResetPassword: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("user", "reset-password").flag("print-link", if: method == .link)
            .flag("generate", if: method == .generate).arguments(user)
    }
}

extension ResetSecondFactors: CommandedOperation {
    public var commandLine: [String] { CommandParts("user", "reset-mfa").arguments(user) }
}

extension ShowUserData: CommandedOperation {
    public var commandLine: [String] { CommandParts("user", "data").arguments(user) }
}

extension ListSessions: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("user", "sessions").flag("living", if: living).option("limit", limit).option("after", after)
            .option("before", before)
            .arguments(user)
    }
}

extension ListUserApplications: CommandedOperation {
    public var commandLine: [String] { CommandParts("user", "applications").arguments(user) }
}

extension RevokeUserApplication: CommandedOperation {
    public var commandLine: [String] { CommandParts("user", "revoke-application").arguments(user, application) }
}

extension EndSession: CommandedOperation {
    public var commandLine: [String] {
        CommandParts("user", "end-session").option("app", application).arguments(user, session)
    }
}
