import CountersignCore

/// Something that an administrator does: written once, and done either over HTTP (``AdministrationRoutes``) or by the
/// command line on the realm itself. The operation itself checks the right of its caller (``AdministrationCaller``).
///
/// The operation is its own request: its members are the members of the JSON body, and those that are optional may be
/// left out.
public protocol AdministrationOperation: Codable, Sendable {
    associatedtype Answer: Codable & Sendable

    /// What the operation is called in `POST /admin/v1/<name>`: `users:list`. Stable.
    static var name: String { get }
    /// Bytes that its body may have; 64 KiB where it does not say otherwise.
    static var bodyLimit: Int { get }

    /// What its callers need; a caller without it is refused before the operation begins.
    static var right: AdministrationRight { get }
    /// Rights of which its callers need one: ``right`` alone, where it does not say otherwise. An operation with several asks for the one
    /// that its request takes.
    static var rights: Set<AdministrationRight> { get }

    /// Does it. Called by ``perform(on:as:by:)`` alone, which makes the permit.
    /// - Parameters:
    ///   - permit: for operations that need another right for some of what they do.
    ///   - client: the caller, for the log.
    /// - Throws: ``AdministrationError`` where it is refused; anything else is an internal error.
    func perform(_ permit: AdministrationPermit, on realm: Realm, by client: ClientContext) async throws -> Answer
}

extension AdministrationOperation {
    public static var bodyLimit: Int { 65_536 }
    public static var rights: Set<AdministrationRight> { [right] }
}

/// An operation that can be judged alone.
public protocol RehearsedOperation: AdministrationOperation {
    /// Whether it is judged alone, by the same rules, and nothing is changed.
    var dryRun: Bool? { get set }
}

extension RehearsedOperation {
    /// The same, judged alone.
    public var rehearsal: Self {
        var trial = self
        trial.dryRun = true
        return trial
    }
}

/// An answer that says what became weaker. The server logs it, the command line prints it.
public protocol WarningAnswer {
    var warnings: [String] { get }
}
