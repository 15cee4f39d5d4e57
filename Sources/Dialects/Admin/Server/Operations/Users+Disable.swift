import CountersignCore

/// Keeps a user out: no sign-in, no refresh, until enabled again. Nothing is lost.
public struct DisableUser: AdministrationOperation {
    public static let name = "users:disable"
    public static let right = AdministrationRight.changeUsers

    /// Id or address.
    public var user: String

    public init(user: String) {
        self.user = user
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        Answer(user: try await realm.setDisabled(true, user, permit, by: client))
    }
}

/// Lets a disabled user in again. What was issued before stays over; the tokens of programs that the user answers for end, unless they are kept.
public struct EnableUser: AdministrationOperation {
    public static let name = "users:enable"
    public static let right = AdministrationRight.changeUsers

    /// Id or address.
    public var user: String
    /// Whether the tokens of programs that the user answers for open again; false where it is left out.
    public var keepTokens: Bool?

    public init(user: String, keepTokens: Bool? = nil) {
        self.user = user
        self.keepTokens = keepTokens
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
        /// How many tokens of programs the user answers for now: 0 where none was kept. Nil where the caller may not list tokens.
        public let tokens: Int?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let enabled = try await realm.setDisabled(false, user, permit, keepsTokens: keepTokens == true, by: client)
        guard permit.has(ListMachineTokens.right) else { return Answer(user: enabled, tokens: nil) }
        return Answer(
            user: enabled, tokens: try await realm.machineTokens.count(of: UserID(rawValue: enabled.id)))
    }
}

extension Realm {
    /// A user who is disabled already stays so, without a second log entry.
    fileprivate func setDisabled(
        _ isDisabled: Bool, _ reference: String, _ permit: AdministrationPermit, keepsTokens: Bool = false,
        by client: ClientContext
    ) async throws -> UserSummary {
        let user = try await permit.user(reference, of: self)
        return try await permit.changing(user, of: self) {
            // An account that its owner wants removed is as disabled, and an administrator's word outlives that wish.
            guard isDisabled ? !user.isSuspended : user.isDisabled else { return UserSummary(user) }
            var change = AccountChange()
            change.isDisabled = isDisabled
            change.keepsMachineTokens = keepsTokens
            switch try await accounts.change(user.id, change, by: client) {
            case .changed(let user, _): return UserSummary(user)
            case .refused(let refusal): throw AdministrationError(refusal, id: user.id)
            }
        }
    }
}
