import CountersignCore

/// Keeps a user out: no sign-in, no refresh, until enabled again. Nothing is lost.
public struct DisableUser: AdministrationOperation {
    public static let name = "users:disable"

    /// Id or address.
    public var user: String

    public init(user: String) {
        self.user = user
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
    }

    public func perform(on realm: Realm, by client: ClientContext) async throws -> Answer {
        Answer(user: try await realm.setDisabled(true, user, by: client))
    }
}

/// Lets a disabled user in again.
public struct EnableUser: AdministrationOperation {
    public static let name = "users:enable"

    /// Id or address.
    public var user: String

    public init(user: String) {
        self.user = user
    }

    public typealias Answer = DisableUser.Answer

    public func perform(on realm: Realm, by client: ClientContext) async throws -> Answer {
        Answer(user: try await realm.setDisabled(false, user, by: client))
    }
}

extension Realm {
    /// A user who is disabled already stays so, without a second log entry.
    fileprivate func setDisabled(
        _ isDisabled: Bool, _ reference: String, by client: ClientContext
    ) async throws -> UserSummary {
        let user = try await user(reference)
        guard user.isDisabled != isDisabled else { return UserSummary(user) }
        var change = AccountChange()
        change.isDisabled = isDisabled
        switch try await accounts.change(user.id, change, by: client) {
        case .changed(let user, _): return UserSummary(user)
        case .refused(let refusal): throw AdministrationError(refusal, id: user.id)
        }
    }
}
