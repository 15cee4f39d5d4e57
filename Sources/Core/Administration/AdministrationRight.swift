/// What an operation of administration needs, and what a token of a machine may be limited to. The words are stable.
///
/// This list and ``AdministratorRole/rights`` are the one table of who may do what; each operation names its right
/// (`docs/decisions/0270`).
public enum AdministrationRight: String, Sendable, Codable, CaseIterable {
    /// To look at users, their factors, sessions and data.
    case readUsers = "users:read"
    /// To make, change, disable and remove users, and to give them new passwords.
    case changeUsers = "users:write"
    /// To have a user mailed a link to a new password.
    case mailResets = "users:reset"
    /// To end the sessions of users, with all that applications got of them.
    case endSessions = "users:sessions"
    /// To move users in and out, with password hashes and secrets of authenticators.
    case transferUsers = "users:transfer"
    /// To see groups and who is in them.
    case readGroups = "groups:read"
    /// To make, change and remove groups, and to move users in and out of them.
    case changeGroups = "groups:write"
    /// Applications and APIs.
    case readApplications = "applications:read"
    /// To register, change and remove applications and APIs, and to set their secrets.
    case changeApplications = "applications:write"
    /// Installations of mobile applications that registered themselves.
    case readClients = "clients:read"
    /// To put installations away, take them back, and make the server forget them.
    case changeClients = "clients:write"
    /// To see custom authentication extensions.
    case readExtensions = "extensions:read"
    /// To register, try and remove custom authentication extensions.
    case changeExtensions = "extensions:write"
    /// What waits to be delivered, and what was not.
    case readDelivery = "delivery:read"
    /// To have messages that wait tried again at once, and to send trials.
    case changeDelivery = "delivery:write"
    /// To see which keys sign tokens, without their private halves.
    case readKeys = "keys:read"
    /// To make other keys sign tokens, and to take keys out of use.
    case rotateKeys = "keys:write"
    /// To read the log of all users.
    case readLog = "audit:read"
    /// To see how often something happened, without who it was.
    case readFigures = "figures:read"
    /// Services that are told what happens.
    case readHooks = "hooks:read"
    /// To register, change and remove services that are told what happens.
    case changeHooks = "hooks:write"
    /// What is refused because of too many attempts.
    case readLimits = "limits:read"
    /// To take such a limit away before its time.
    case liftLimits = "limits:write"
    /// To see the realm's settings.
    case readSettings = "settings:read"
    /// To change the realm's settings.
    case changeSettings = "settings:write"
    /// To see who administers, and the tokens of machines without what is secret of them.
    case readAdministrators = "administrators:read"
    /// To give and take roles and tokens, and to change users who have a role.
    case changeAdministrators = "administrators:write"

    /// Whether it changes nothing.
    public var isReading: Bool { rawValue.hasSuffix(":read") }
}

/// What a user is to the realm, beside being a user.
public enum AdministratorRole: String, Sendable, Codable, CaseIterable {
    /// May do everything.
    case owner
    /// Looks after users and applications.
    case `operator`
    /// Helps users who cannot sign in. Never sees or sets a secret.
    case support
    /// Reads everything and changes nothing.
    case auditor

    /// What a user of this role may do; a machine's token has scopes instead.
    public var rights: Set<AdministrationRight> {
        switch self {
        case .owner: Set(AdministrationRight.allCases)
        case .operator:
            [
                .readUsers, .changeUsers, .mailResets, .endSessions, .readGroups, .changeGroups, .readApplications,
                .changeApplications, .readClients, .changeClients, .readLog, .readFigures, .readLimits, .liftLimits,
                .readDelivery,
                .changeDelivery,
            ]
        case .support: [.readUsers, .mailResets, .endSessions, .readGroups, .readFigures, .readLimits]
        case .auditor: Set(AdministrationRight.allCases.filter(\.isReading))
        }
    }
}

/// What a machine's token opens: one right, or everything (`*`).
public enum AdministrationScope: Sendable, Hashable, CustomStringConvertible {
    /// Everything that an owner may do, also rights of later versions: `*`.
    case all
    /// One right, by its word.
    case right(AdministrationRight)

    /// Nil where the word is none.
    public init?(_ word: String) {
        if word == "*" {
            self = .all
        } else if let right = AdministrationRight(rawValue: word) {
            self = .right(right)
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .all: "*"
        case .right(let right): right.rawValue
        }
    }

    /// The rights that this scope opens.
    public var rights: Set<AdministrationRight> {
        switch self {
        case .all: Set(AdministrationRight.allCases)
        case .right(let right): [right]
        }
    }
}
