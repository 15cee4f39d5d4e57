import CountersignCore
import SecurityChecks

/// Who asks for an operation, as the door that the request came through knows them.
public enum AdministrationCaller: Sendable {
    /// Someone who can read and write the data itself.
    case commandLine
    /// A holder of the first token, the one of the data directory.
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
        case .commandLine: nil
        case .adminToken: AdministratorToken.actor
        case .machine(let token): token.actor
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

    /// What a caller gives others – a role, a token, the scopes of an application – opens no more than the caller may do
    /// (`docs/decisions/0559`).
    /// - Throws: ``AdministrationError`` of code `forbidden`, which names the first right that the caller does not have.
    func requireGiving(_ given: Set<AdministrationRight>) throws {
        for right in AdministrationRight.allCases where given.contains(right) { try require(right) }
    }

    /// The roles that the caller may give.
    var givenRoles: Set<AdministratorRole> {
        guard rights.contains(.changeAdministrators) else { return [] }
        return Set(AdministratorRole.allCases.filter { $0.rights.isSubset(of: rights) })
    }

    /// Changes a user. One with a role is changed only by those who may give and take roles: otherwise a new password for an owner would be
    /// a way to everything. Each write of the change judges it again.
    /// - Throws: ``AdministrationError`` of code `forbidden`, what the change throws, ``StoreError``.
    func changing<Value>(
        _ user: User, of realm: Realm, _ change: () async throws -> Value
    ) async throws -> Value {
        try await changing(
            .user(user.id), of: realm,
            "The user administers this realm. Changing such a user takes the right administrators:write.", change)
    }

    /// Changes a group as a whole. What applications are told of those who administer is changed by those alone who may give and take roles.
    /// - Throws: ``AdministrationError`` of code `forbidden`, what the change throws, ``StoreError``.
    func changing<Value>(
        membersOf group: GroupName, of realm: Realm, _ change: () async throws -> Value
    ) async throws -> Value {
        try await changing(
            .members(of: group), of: realm,
            "Someone in the group administers this realm. That takes the right administrators:write.", change)
    }

    private func changing<Value>(
        _ target: AdministratorsTarget, of realm: Realm, _ refusal: String, _ change: () async throws -> Value
    ) async throws -> Value {
        if rights.contains(.changeAdministrators) { return try await change() }
        do {
            return try await realm.administrators.sparing(target, change)
        } catch is Administrators.IsAdministrator {
            throw AdministrationError(.forbidden, refusal)
        }
    }

    /// An application with a scope that opens administration, or changes its users' accounts, is changed by the same alone: an owner who
    /// follows one link would otherwise hand the owner's account to those who change the application. That holds of third parties too,
    /// since their users were asked once, and are not asked again. One that manages installations with its own secret is changed by those
    /// alone who may do that themselves: its secret is theirs to set.
    ///
    /// It is judged of what a transaction is about to change.
    /// - Throws: ``AdministrationError`` of code `forbidden`.
    func requireChanging(_ registration: ApplicationRegistration) throws {
        let opens = registration.scopes.contains {
            $0 == AdministrationRoutes.scope || AdministrationRoutes.accountScopes.contains($0)
        }
        if opens { try require(.changeAdministrators) }
        try requireGiving(registration.rightsOverClients)
    }

    /// The same of a change. Users of a first-party application are not asked, and owners are users: to make an application first-party, or to put
    /// a first-party application into other hands, takes the same right, whatever scopes it has (`docs/decisions/0487`).
    /// - Parameter before: nil where the application is added.
    /// - Throws: ``AdministrationError`` of code `forbidden`.
    func requireChanging(_ before: ApplicationRegistration?, to after: ApplicationRegistration) throws {
        if let before { try requireChanging(before) }
        try requireChanging(after)
        guard after.oauth.isFirstParty else { return }
        let asksNoMore = before.map { !$0.oauth.isFirstParty || after.isInOtherHands(than: $0) } ?? true
        if asksNoMore { try require(.changeAdministrators) }
    }
}

extension ApplicationRegistration {
    /// What the application may do to installations as a confidential client of security checks.
    fileprivate var rightsOverClients: Set<AdministrationRight> {
        let patterns = Set(scopes)
        let words: [(String, AdministrationRight)] = [
            (ConfidentialScope.readClients, .readClients), (ConfidentialScope.changeClients, .changeClients),
            (ConfidentialScope.removeClients, .changeClients),
        ]
        return Set(words.filter { ConfidentialScope.covers(patterns, [$0.0]) }.map(\.1))
    }
}

extension AdministrationOperation {
    /// - Throws: ``AdministrationError`` of code `forbidden`.
    static func requireRight(of caller: AdministrationCaller) throws {
        if rights.isDisjoint(with: caller.rights) { throw AdministrationError.forbidden(right) }
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
