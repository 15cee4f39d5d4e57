import CountersignCore

/// Something that an administrator does: written once, and done either over HTTP (``AdministrationRoutes``) or by the
/// command line on the realm itself.
///
/// The operation is its own request: its members are the members of the JSON body, and those that are optional may be
/// left out.
public protocol AdministrationOperation: Codable, Sendable {
    associatedtype Answer: Codable & Sendable

    /// What the operation is called in `POST /admin/v1/<name>`: `users:list`. Stable.
    static var name: String { get }
    /// Bytes that its body may have; 64 KiB where it does not say otherwise.
    static var bodyLimit: Int { get }

    /// Does it.
    /// - Parameter client: the caller, for the log.
    /// - Throws: ``AdministrationError`` where it is refused; anything else is an internal error.
    func perform(on realm: Realm, by client: ClientContext) async throws -> Answer
}

extension AdministrationOperation {
    public static var bodyLimit: Int { 65_536 }
}

/// An answer that says what became weaker. The server logs it, the command line prints it.
public protocol WarningAnswer {
    var warnings: [String] { get }
}
