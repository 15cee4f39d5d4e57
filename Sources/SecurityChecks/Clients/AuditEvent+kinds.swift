import CountersignCore

extension AuditEvent.Kind {
    /// An installation of an application registered itself. `details` has `application`.
    public static let clientRegistered = Self(rawValue: "client.registered")
    /// A device was put away, or taken back.
    public static let clientStatusChanged = Self(rawValue: "client.status-changed")
    /// An administrator made the server forget a client.
    public static let clientRemoved = Self(rawValue: "client.removed")
    /// A client's credentials were right for a check.
    public static let securityCheckPassed = Self(rawValue: "security-check.passed")
    /// An administrator let a blocked client answer a check again. `details` has `check` and `application`.
    public static let securityCheckUnblocked = Self(rawValue: "security-check.unblocked")
    /// A client logged out of a check. `details` has `check`.
    public static let securityCheckLeft = Self(rawValue: "security-check.left")

    /// All of the above.
    public static let ofSecurityChecks: [Self] = [
        .clientRegistered, .clientStatusChanged, .clientRemoved, .securityCheckPassed, .securityCheckUnblocked,
        .securityCheckLeft,
    ]
}
