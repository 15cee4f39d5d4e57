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

/// Lets a disabled user in again.
public struct EnableUser: AdministrationOperation {
    public static let name = "users:enable"
    public static let right = AdministrationRight.changeUsers

    /// Id or address.
    public var user: String

    public init(user: String) {
        self.user = user
    }

    public typealias Answer = DisableUser.Answer

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        Answer(user: try await realm.setDisabled(false, user, permit, by: client))
    }
}

extension Realm {
    /// A user who is disabled already stays so, without a second log entry.
    fileprivate func setDisabled(
        _ isDisabled: Bool, _ reference: String, _ permit: AdministrationPermit, by client: ClientContext
    ) async throws -> UserSummary {
        let user = try await permit.user(reference, of: self)
        return try await permit.changing(user, of: self) {
            // An account that its owner wants removed is as disabled, and an administrator's word outlives that wish.
            guard isDisabled ? !user.isSuspended : user.isDisabled else { return UserSummary(user) }
            var change = AccountChange()
            change.isDisabled = isDisabled
            switch try await accounts.change(user.id, change, by: client) {
            case .changed(let user, _): return UserSummary(user)
            case .refused(let refusal): throw AdministrationError(refusal, id: user.id)
            }
        }
    }
}
