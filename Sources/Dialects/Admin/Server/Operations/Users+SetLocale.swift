import CountersignCore

/// Sets the language of a user: pages and mails are in it where they have it, and applications are told of it.
public struct SetUserLocale: AdministrationOperation {
    public static let name = "users:set-locale"
    public static let right = AdministrationRight.changeUsers

    /// Id or address.
    public var user: String
    /// A language tag (BCP 47); nil takes it away.
    public var locale: String?

    public init(user: String, locale: String?) {
        self.user = user
        self.locale = locale
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        if let locale { try AdministrationError.check(locale: locale) }
        let found = try await permit.user(user, of: realm)
        return try await permit.changing(found, of: realm) {
            var change = AccountChange()
            change.locale = .some(locale)
            switch try await realm.accounts.change(found.id, change, by: client) {
            case .changed(let user, _): return Answer(user: UserSummary(user))
            case .refused(let refusal): throw AdministrationError(refusal, id: found.id)
            }
        }
    }
}
