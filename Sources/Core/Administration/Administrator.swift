import Foundation

/// A user with a role.
public struct Administrator: Sendable, Equatable {
    /// The user who has the role. A user has one role at most.
    public let userID: UserID
    /// What the user may do, by ``AdministratorRole/rights``.
    public let role: AdministratorRole
    /// Who gave the role, as the log names them (``ClientContext/administrator``); nil for the command line.
    public let grantedBy: String?
    /// When the user got this role.
    public let createdAt: Date

    /// The row as stores read and write it. ``Administrators`` gives roles, and notes that in the log.
    public init(userID: UserID, role: AdministratorRole, grantedBy: String?, createdAt: Date) {
        self.userID = userID
        self.role = role
        self.grantedBy = grantedBy
        self.createdAt = createdAt
    }
}

/// Who administers the realm.
///
/// **How the files of this folder meet.** `AdministrationRight` is the table of rights and roles; `Administrator` is a user with a role,
/// kept by this file's type; `AdministratorDemand` is what such a user has to have proven, and `Administrators+Sparing`
/// what guards such users from others, `StoreTransaction+HandedOut` what ends with a role; `OwnerInvitation` is how the first one comes; `MachineToken` is a program's way in, kept by `MachineTokens`. The operations
/// themselves, in a module above the core, ask what their callers may do.
public struct Administrators: Sendable {
    let realm: Realm

    /// Why a role was not given or taken.
    public enum Refusal: Error, Sendable, Equatable {
        /// There is no user of that id.
        case userNotFound
        /// The user is disabled, and gets no role.
        case userDisabled
        /// Without this user there would be no owner who can sign in.
        case lastOwner
    }

    /// Nil for a user without a role, and for one who is disabled.
    public func role(of user: UserID) async throws -> AdministratorRole? {
        try await realm.store.read { transaction in
            guard let administrator = try transaction.administrator(user),
                let user = try transaction.user(user), !user.isDisabled
            else { return nil }
            return administrator.role
        }
    }

    /// With their users, ordered by id.
    public func list(
        _ range: ListRange<UserID>
    ) async throws -> ListPage<(administrator: Administrator, user: User), UserID> {
        try await realm.store.read { transaction in
            try range.page(key: \.row.userID) {
                try transaction.administrators($0).withUsers(in: transaction) { $0.userID }
            } show: { found in
                found.user.map { (administrator: found.row, user: $0) }
            }
        }
    }

    /// Gives a user a role, in place of the one that the user has. Links and codes that would open the account, and were handed out before, end.
    public func grant(
        _ role: AdministratorRole, to id: UserID, by client: ClientContext
    ) async throws -> Result<Administrator, Refusal> {
        let now = realm.clock.now
        let event = AuditEvent.freshID(at: now, random: realm.random)
        let realm = realm
        return try await realm.store.write { transaction in
            guard let user = try transaction.user(id) else { return .failure(.userNotFound) }
            guard !user.isDisabled else { return .failure(.userDisabled) }
            let former = try transaction.administrator(id)
            if let former, former.role == role { return .success(former) }
            if role != .owner, try transaction.isLastOwner(user) { return .failure(.lastOwner) }
            try transaction.endHandedOut(of: id, at: now, realm.proofs, realm.sealer)
            let made = Administrator(userID: id, role: role, grantedBy: client.administrator, createdAt: now)
            guard try transaction.put(made) else { return .failure(.userNotFound) }
            var details: [String: JSONValue] = ["role": .string(role.rawValue)]
            if let former {
                details["formerRole"] = .string(former.role.rawValue)
                if !former.role.rights.isSubset(of: role.rights) {
                    details["tokens"] = try transaction.idsOfMachineTokens(of: id, at: now)
                }
            }
            try transaction.append(
                AuditEvent(
                    id: event, at: now, kind: .administratorGranted, userID: id, context: client, details: details))
            try transaction.notify(
                AccountNotice(.roleGranted, role: role), user, by: client, id: event, at: now, sealer: realm.sealer)
            return .success(made)
        }
    }

    /// Takes a user's role away.
    /// - Returns: the role that the user had; nil where there was none.
    public func revoke(_ id: UserID, by client: ClientContext) async throws -> Result<AdministratorRole?, Refusal> {
        let now = realm.clock.now
        let event = AuditEvent.freshID(at: now, random: realm.random)
        let realm = realm
        return try await realm.store.write { transaction in
            guard let user = try transaction.user(id) else { return .failure(.userNotFound) }
            if try transaction.isLastOwner(user) { return .failure(.lastOwner) }
            guard let former = try transaction.administrator(id) else { return .success(nil) }
            _ = try transaction.deleteAdministrator(id)
            var details: [String: JSONValue] = ["formerRole": .string(former.role.rawValue)]
            details["tokens"] = try transaction.idsOfMachineTokens(of: id, at: now)
            try transaction.append(
                AuditEvent(
                    id: event, at: now, kind: .administratorRevoked, userID: id, context: client, details: details))
            try transaction.notify(
                AccountNotice(.roleRevoked, role: former.role), user, by: client, id: event, at: now,
                sealer: realm.sealer)
            return .success(former.role)
        }
    }

    /// What ``revoke(_:by:)`` would answer. Nothing is changed.
    public func rehearseRevoking(_ id: UserID) async throws -> Result<AdministratorRole?, Refusal> {
        try await realm.store.read { transaction in
            guard let user = try transaction.user(id) else { return .failure(.userNotFound) }
            if try transaction.isLastOwner(user) { return .failure(.lastOwner) }
            return .success(try transaction.administrator(id)?.role)
        }
    }
}

extension StoreTransaction {
    /// What the log says of the tokens that open less as a user may do less; nil where there are none.
    fileprivate func idsOfMachineTokens(of user: UserID, at now: Date) throws -> JSONValue? {
        let tokens = try machineTokens(of: user, at: now)
        return tokens.isEmpty ? nil : .array(tokens.map { .string($0.id) })
    }

    /// Whether the user is an owner who can sign in, and no other is. A user of whom this is true is neither disabled nor
    /// removed, and keeps the role.
    /// - Parameter leaving: owners who do not count: they are about to be none, or disabled.
    func isLastOwner(_ user: User, without leaving: Set<UserID> = []) throws -> Bool {
        guard !user.isDisabled, try administrator(user.id)?.role == .owner else { return false }
        if leaving.isEmpty { return try administrator(with: .owner, beside: user.id) == nil }
        // Administrators are few.
        var after: UserID?
        while true {
            let some = try administrators(ListRange(after, limit: 100))
            for one in some where one.role == .owner && one.userID != user.id && !leaving.contains(one.userID) {
                if try self.user(one.userID)?.isDisabled == false { return false }
            }
            guard some.count == 100, let last = some.last else { return true }
            after = last.userID
        }
    }
}

extension AuditEvent.Kind {
    /// A user got a role.
    public static let administratorGranted = Self(rawValue: "administrator.granted")
    /// A user's role was taken away.
    public static let administratorRevoked = Self(rawValue: "administrator.revoked")
    /// A machine's token was made.
    public static let machineTokenAdded = Self(rawValue: "machine-token.added")
    /// A machine's token was ended before its time.
    public static let machineTokenRevoked = Self(rawValue: "machine-token.revoked")
}

extension Realm {
    /// Who administers.
    public var administrators: Administrators { Administrators(realm: self) }
}
