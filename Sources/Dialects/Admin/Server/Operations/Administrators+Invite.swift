import CountersignCore

/// Makes a link by which the first owner comes: a person opens it, signs in or signs up with two factors, and becomes owner. It is good
/// once, for half an hour. The caller may do what an owner may.
public struct InviteOwner: AdministrationOperation {
    public static let name = "administrators:invite"
    public static let right = AdministrationRight.changeAdministrators

    public init() {}

    public struct Answer: Codable, Sendable {
        /// The link below the server's public address. Its holder can become owner.
        public let path: SecretText
        public let expiresAt: Timestamp
        /// What the link begins with, as far as a server has said that.
        public let server: PublicAddress?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        try permit.requireGiving(AdministratorRole.owner.rights)
        switch try await realm.ownerInvitations.make(by: client) {
        case .success(let (code, end)):
            return Answer(
                path: SecretText("owner?user_code=\(code.reveal())"), expiresAt: Timestamp(end),
                server: try await realm.publicAddress())
        case .failure:
            throw AdministrationError(
                .refused,
                "The realm has an owner, who gives roles to others: countersign admin grant. countersign admin list shows who."
            )
        }
    }
}
