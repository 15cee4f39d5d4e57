import CountersignCore

extension AuditEvent.Kind {
    public static let clientRegistered = Self(rawValue: "client.registered")
    /// A device was put away, or taken back.
    public static let clientStatusChanged = Self(rawValue: "client.status-changed")
    /// An administrator made the server forget a client.
    public static let clientRemoved = Self(rawValue: "client.removed")
    public static let securityCheckPassed = Self(rawValue: "security-check.passed")
    public static let securityCheckLeft = Self(rawValue: "security-check.left")
}
