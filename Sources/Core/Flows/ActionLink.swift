import Foundation

/// A link that a mail carries or an administrator passes on. It leads to a page, which sends the code back.
public struct ActionLink: Sendable {
    /// What the page does with the code.
    public enum Action: String, Sendable, CaseIterable {
        /// Marks the account's address as read by its user.
        case verifyEmail = "verify-email"
        /// Lets the user set a new password.
        case resetPassword = "reset-password"
        /// Signs the user in.
        case signIn = "sign-in"
        /// Puts a new address in the place of the account's.
        case changeEmail = "change-email"
        /// Gives the account its former address back.
        case restoreEmail = "restore-email"
        /// Withdraws the wish to have the account removed.
        case keepAccount = "keep-account"
    }

    /// What following the link does.
    public var action: Action
    /// The handle of the flow that the link completes; good once.
    public var code: Secret<String>
    /// Query items for the page.
    public var items: [(name: String, value: String)]
    /// The language of the page (BCP 47).
    public var locale: String?

    /// A link to the page for this action.
    public init(
        _ action: Action, code: Secret<String>, items: [(name: String, value: String)] = [], locale: String? = nil
    ) {
        self.action = action
        self.code = code
        self.items = items
        self.locale = locale
    }
}

/// How links of mails are spelled.
public protocol LinkFormat: Sendable {
    /// The link's path and query below the server's public address, percent-encoded.
    func path(of link: ActionLink) -> String
}

/// Links in the core's own words, for realms without pages.
public struct PlainLinkFormat: LinkFormat {
    /// A format that spells `link?action=…&code=…`.
    public init() {}

    public func path(of link: ActionLink) -> String {
        var query = [("action", link.action.rawValue), ("code", link.code.reveal())]
        query += link.items.map { ($0.name, $0.value) }
        if let locale = link.locale { query.append(("lang", locale)) }
        return "link?" + query.map { "\($0.0.percentEncoded)=\($0.1.percentEncoded)" }.joined(separator: "&")
    }
}
