import CountersignCore
import Foundation

/// Invites a person to make an account, also where sign-up is not open.
public struct InviteUser: AdministrationOperation {
    public static let name = "users:invite"
    public static let right = AdministrationRight.changeUsers

    /// The address that the account will have.
    public var email: String
    /// The language of the mail and of its page (BCP 47).
    public var locale: String?
    /// Whether the link is given back, to be passed on by another way, instead of being mailed.
    public var givesLink: Bool?

    public init(email: String, locale: String? = nil, givesLink: Bool = false) {
        self.email = email
        self.locale = locale
        self.givesLink = givesLink
    }

    public struct Answer: Codable, Sendable {
        public let email: String
        public let expiresAt: Timestamp
        /// The link below the server's public address, where it was not mailed.
        public let path: SecretText?
        /// What the link begins with, as far as a server has said that.
        public let server: PublicAddress?
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        guard let address = EmailAddress(email) else {
            throw AdministrationError(.invalid, "\"\(email)\" is no e-mail address.")
        }
        if let locale { try AdministrationError.check(locale: locale) }
        let locale = locale
        let link: @Sendable (FlowHandle) -> String = { handle in
            "sign-up?invitation=\(handle.token.reveal().percentEncoded)"
                + (locale.map { "&lang=\($0.percentEncoded)" } ?? "")
        }
        let isPassedOn = givesLink == true
        switch try await realm.invitations.invite(
            address, locale: locale, delivers: !isPassedOn, link: link, by: client)
        {
        case .invited(let handle, let until):
            return Answer(
                email: address.canonical, expiresAt: Timestamp(until),
                path: isPassedOn ? SecretText(link(handle)) : nil,
                server: isPassedOn ? try await realm.publicAddress() : nil)
        case .addressTaken: throw AdministrationError(.addressTaken, email: address)
        case .off:
            throw AdministrationError(.refused, "No invitations are taken here: signUp.takesInvitations is false.")
        case .limited(let until): throw AdministrationError.tooManyMails(until: until)
        }
    }
}
