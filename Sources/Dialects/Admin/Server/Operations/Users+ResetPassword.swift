import CountersignCore

/// Helps a user who forgot the password.
public struct ResetPassword: AdministrationOperation {
    public static let name = "users:reset-password"
    public static let right = AdministrationRight.mailResets

    /// How the user comes to a new password.
    public enum Method: String, Codable, Sendable, CaseIterable {
        /// A link is mailed to the user's address. The password stays until it is used.
        case mail
        /// The link is given back, to be passed on by another way. Its holder can set the password.
        case link
        /// A random password is set and given back; all sessions end.
        case generate
    }

    /// Id or address.
    public var user: String
    /// `mail` where it is left out.
    public var method: Method?

    public init(user: String, method: Method = .mail) {
        self.user = user
        self.method = method
    }

    public struct Answer: Codable, Sendable {
        public let user: UserSummary
        /// The link below the server's public address; with `link`.
        public let path: SecretText?
        /// What the link begins with, as far as a server has said that; with `link`.
        public let server: PublicAddress?
        /// With `generate`; it is nowhere else.
        public let password: SecretText?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let found = try await permit.user(user, of: realm)
        switch method ?? .mail {
        case .mail: return try await send(to: found, on: realm, by: client)
        case .link, .generate:
            // These hand out what opens the account.
            try permit.require(.changeUsers)
            return try await permit.changing(found, of: realm) {
                method == .generate
                    ? try await generate(for: found, on: realm, by: client)
                    : try await send(to: found, on: realm, by: client)
            }
        }
    }

    /// Sends the link, or gives it back.
    private func send(to found: User, on realm: Realm, by client: ClientContext) async throws -> Answer {
        guard let email = found.email else {
            throw AdministrationError(.refused, "The user has no address to send a link to. Set a generated password.")
        }
        guard !found.isDisabled else { throw AdministrationError.userDisabled }
        let outcome = try await realm.mailings.sendLink(
            .resetPassword(email), options: Mailings.LinkOptions(delivers: method != .link), by: client)
        switch outcome {
        case .sent(_, let handle?):
            let path =
                method == .link
                ? SecretText(realm.linkFormat.path(of: ActionLink(.resetPassword, code: handle.token))) : nil
            let server = path == nil ? nil : try await realm.publicAddress()
            return Answer(user: UserSummary(found), path: path, server: server, password: nil)
        case .refused(let refusal) where refusal.retryAt != nil:
            throw AdministrationError.tooManyMails(until: refusal.retryAt)
        case .sent, .refused: throw AdministrationError.noUser(user)
        }
    }

    private func generate(for user: User, on realm: Realm, by client: ClientContext) async throws -> Answer {
        let password = SecretText.password(for: try await realm.settings().passwords, random: realm.random)
        var change = AccountChange()
        change.password = password.secret
        switch try await realm.accounts.change(user.id, change, by: client) {
        case .changed(let user, _): return Answer(user: UserSummary(user), path: nil, server: nil, password: password)
        case .refused(let refusal): throw AdministrationError(refusal, id: user.id)
        }
    }
}
