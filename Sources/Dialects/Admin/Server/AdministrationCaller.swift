import CountersignCore

/// Who asks for an operation, as the door that the request came through knows them.
public enum AdministrationCaller: Sendable {
    /// Someone who can read and write the data itself.
    case commandLine
    /// A holder of the administrator's token of the data directory.
    case adminToken
    case machine(MachineToken)
    /// A user with a role, as of this request.
    case user(UserID, AdministratorRole)

    /// What the caller may do.
    public var rights: Set<AdministrationRight> {
        switch self {
        case .commandLine, .adminToken: Set(AdministrationRight.allCases)
        case .machine(let token): token.rights
        case .user(_, let role): role.rights
        }
    }

    /// What the log calls the caller (`ClientContext.administrator`).
    var name: String? {
        switch self {
        case .commandLine, .adminToken: nil
        case .machine(let token): "token:\(token.id)"
        case .user(let id, _): "user:\(id)"
        }
    }
}

/// Shows an operation that its caller's right was looked at. Only ``AdministrationOperation/perform(on:as:by:)`` makes one, so that no
/// door can leave the look out.
public struct AdministrationPermit: Sendable {
    private let rights: Set<AdministrationRight>

    fileprivate init(_ caller: AdministrationCaller) { rights = caller.rights }

    /// Whether the caller has another right than the operation's own.
    func has(_ right: AdministrationRight) -> Bool { rights.contains(right) }

    /// For operations whose members decide what they need.
    /// - Throws: ``AdministrationError`` of code `forbidden`.
    func require(_ right: AdministrationRight) throws {
        guard rights.contains(right) else { throw AdministrationError.forbidden(right) }
    }

    /// A user with a role is changed only by those who may give and take roles: otherwise a new password for an owner would be a way to
    /// everything.
    /// - Throws: ``AdministrationError`` of code `forbidden`, ``StoreError``.
    func requireChanging(_ user: User, of realm: Realm) async throws {
        guard !rights.contains(.changeAdministrators), try await realm.administrators.isAdministrator(user.id) else {
            return
        }
        throw AdministrationError(
            .forbidden, "The user administers this realm. Changing such a user takes the right administrators:write.")
    }

    /// An application that acts in its users' names without their word is changed by the same alone: an owner who follows one link would
    /// otherwise hand the owner's account to those who change the application.
    /// - Throws: ``AdministrationError`` of code `forbidden`.
    func requireChanging(_ registration: ApplicationRegistration) throws {
        let acts =
            registration.scopes.contains(AdministrationRoutes.scope)
            || registration.oauth.isFirstParty
                && registration.scopes.contains { AdministrationRoutes.accountScopes.contains($0) }
        if acts { try require(.changeAdministrators) }
    }
}

extension AdministrationOperation {
    /// - Throws: ``AdministrationError`` of code `forbidden`.
    static func requireRight(of caller: AdministrationCaller) throws {
        try AdministrationPermit(caller).require(right)
    }

    /// Does the operation, where the caller has its right.
    /// - Parameter client: where the request comes from, for the log.
    /// - Throws: ``AdministrationError``: `forbidden` without the right, others where the operation is refused; anything else is an
    ///   internal error.
    public func perform(
        on realm: Realm, as caller: AdministrationCaller, by client: ClientContext
    ) async throws -> Answer {
        let permit = AdministrationPermit(caller)
        try Self.requireRight(of: caller)
        var client = client
        client.administrator = caller.name
        return try await perform(permit, on: realm, by: client)
    }
}

extension AdministrationError {
    static func forbidden(_ right: AdministrationRight) -> AdministrationError {
        AdministrationError(.forbidden, "This takes the right \(right.rawValue), which you do not have.")
    }

    static let lastOwner = AdministrationError(
        .refused, "The user is the last owner of the realm. Give another user the role first: countersign admin grant.")
}
