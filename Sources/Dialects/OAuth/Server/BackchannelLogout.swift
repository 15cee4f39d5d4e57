import CountersignCore
import Foundation

/// What applications are told when a session of theirs ended (OpenID Connect Back-Channel Logout 1.0).
extension OAuth {
    /// Seconds that a logout token counts (section 2.4 recommends two minutes at most).
    static let logoutTokenLifetime = 120
    static let logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

    /// What an application is told, and where.
    public struct LogoutNotice: Sendable {
        /// The application's address for them.
        public let uri: String
        /// The token.
        public let token: Secret<String>
        /// Whether no administrator checked the application, and so the address.
        public let isStrangers: Bool
    }

    /// Where a message goes, with a token made now.
    /// - Returns: nil where the application is gone, or does not want to be told any more.
    public func logoutNotice(_ message: OpenedMessage) async throws -> LogoutNotice? {
        guard let ended = message.content.endedSession,
            let application = try await realm.applications.application(
                ClientID(rawValue: message.message.recipient)),
            let uri = application.registration.oauth.backchannelLogoutURI
        else { return nil }
        // Without a session it is of all that the user has (section 2.4).
        var spelling: [String: JSONValue] = ["events": .object([Self.logoutEvent: .object([:])])]
        spelling["sid"] = ended.session.map { .string($0.rawValue) }
        let draft = TokenDraft(
            type: .logout, issuer: issuer(for: application), audience: application.id.rawValue,
            subject: ended.user.rawValue, issuedAt: realm.clock.now, lifetime: Self.logoutTokenLifetime,
            parts: [.identifier(name: "jti")],
            spelling: spelling)
        let token = try await realm.tokens.issue(draft, with: tokens.identityAlgorithm(of: application))
        return LogoutNotice(
            uri: uri, token: Secret(token), isStrangers: application.registration.oauth.isUnchecked)
    }
}
