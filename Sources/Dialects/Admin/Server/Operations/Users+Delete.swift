import CountersignCore
import Foundation

/// Removes a user with factors, attempts and sessions, at once or after days in which the account is disabled and can be enabled again. The
/// log keeps what it says of them.
public struct DeleteUser: AdministrationOperation {
    public static let name = "users:delete"
    public static let right = AdministrationRight.changeUsers

    /// Id or address.
    public var user: String
    /// Days until it is removed: 0 to 365; at once where it is left out.
    public var graceDays: Int?

    public init(user: String, graceDays: Int? = nil) {
        self.user = user
        self.graceDays = graceDays
    }

    public struct Answer: Codable, Sendable {
        /// As it was.
        public let user: UserSummary
        /// When it is removed; nil where it is gone.
        public let dueAt: Timestamp?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await permit.user(user, of: realm)
        return try await permit.changing(found, of: realm) {
            let days = graceDays ?? 0
            guard (0...365).contains(days) else { throw AdministrationError(.invalid, "graceDays is 0 to 365.") }
            let due = days > 0 ? realm.clock.now + TimeInterval(days) * 86_400 : nil
            let outcome =
                if let due { try await realm.accounts.scheduleDeletion(of: found.id, at: due, by: client) } else {
                    try await realm.accounts.delete([found.id], by: client).first
                }
            switch outcome {
            case .deleted: return Answer(user: UserSummary(found), dueAt: due.map(Timestamp.init))
            case .lastOwner: throw AdministrationError.lastOwner
            default: throw AdministrationError.noUser(user)
            }
        }
    }
}
