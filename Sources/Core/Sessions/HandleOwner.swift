/// Whose handles and sessions a caller may use: those that one protocol gave out, to one application where the protocol
/// binds them to applications (RFC 6749, section 10.4).
///
/// Dialects name their owner with every handle, refresh token and session that they look up. What belongs to another
/// owner is as unknown as a made-up value.
public struct HandleOwner: Sendable, Hashable {
    /// The protocol that gave the handle or session out.
    public let dialect: Dialect
    /// Nil where the protocol does not bind to applications.
    public let application: ClientID?

    private init(dialect: Dialect, application: ClientID?) {
        self.dialect = dialect
        self.application = application
    }

    /// What a protocol gave out to this application.
    public static func application(_ id: ClientID, of dialect: Dialect) -> HandleOwner {
        HandleOwner(dialect: dialect, application: id)
    }

    /// What a protocol gave out, to whichever of its applications. For Identity Toolkit, where a web app may begin and
    /// a phone finish, and for endpoints whose requests do not say which application asks.
    public static func dialect(_ dialect: Dialect) -> HandleOwner {
        HandleOwner(dialect: dialect, application: nil)
    }

    func owns(_ client: ClientID, in dialect: Dialect) -> Bool {
        self.dialect == dialect && (application == nil || application == client)
    }

    func owns(_ grant: Grant) -> Bool { owns(grant.clientID, in: grant.dialect) }
}
