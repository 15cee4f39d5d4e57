/// What a hook can ask for: groups of events of the log. The words are stable.
///
/// What delivery itself writes into the log (mails, pushes, hooks) belongs to none, so that no failure makes further messages.
public enum EventCategory: String, Sendable, Codable, CaseIterable {
    /// Accounts: made, changed, disabled, removed, and what was handed out about them.
    case users
    /// Authenticators, devices, passkeys and recovery codes of users.
    case factors
    /// Sessions and grants that ended, and what users allowed applications.
    case sessions
    /// Sign-ins, and what users decided about them on devices.
    case signIns = "sign-ins"
    /// Answers and applications' secrets that were wrong.
    case refusals
    /// Roles, tokens of programs, and hooks themselves.
    case administrators
    /// Groups and who is in them.
    case groups
    /// Applications, APIs, extensions, and installations that registered themselves.
    case applications
    /// Settings, keys, and what is wrong with the sealed log.
    case settings

    /// Nil for what no hook gets.
    init?(of kind: AuditEvent.Kind) {
        let word = kind.rawValue.prefix { $0 != "." }
        switch (word, kind) {
        case (_, .hookEventFailed): return nil
        case (_, .clientRefused): self = .refusals
        case ("user", _), ("users", _), ("account", _): self = .users
        case ("factor", _), ("passkey", _): self = .factors
        case ("session", _), ("consent", _): self = .sessions
        case ("sign-in", _), ("approval", _), ("device-authorization", _), ("security-check", _): self = .signIns
        case ("answer", _): self = .refusals
        case ("administrator", _), ("machine-token", _), ("admin-token", _), ("hook", _): self = .administrators
        case ("group", _): self = .groups
        case ("application", _), ("registration-token", _), ("resource", _), ("extension", _), ("client", _),
            ("client-document", _):
            self = .applications
        case ("settings", _), ("key", _), ("master-key", _), ("log", _): self = .settings
        default: return nil
        }
    }
}
