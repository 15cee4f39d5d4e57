import Foundation

/// A link that a mail carries or an administrator passes on. It leads to a page, which sends the code back.
public struct ActionLink: Sendable {
    /// What the page does with the code.
    public enum Action: String, Sendable, CaseIterable {
        case verifyEmail = "verify-email"
        case resetPassword = "reset-password"
        case signIn = "sign-in"
        case changeEmail = "change-email"
        case restoreEmail = "restore-email"
        case keepAccount = "keep-account"
    }

    public var action: Action
    public var code: Secret<String>
    /// Query items for the page.
    public var items: [(name: String, value: String)]
    /// The language of the page (BCP 47).
    public var locale: String?

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
    public init() {}

    public func path(of link: ActionLink) -> String {
        var query = [("action", link.action.rawValue), ("code", link.code.reveal())]
        query += link.items.map { ($0.name, $0.value) }
        if let locale = link.locale { query.append(("lang", locale)) }
        return "link?" + query.map { "\($0.0.queryEncoded)=\($0.1.queryEncoded)" }.joined(separator: "&")
    }
}

extension String {
    /// Percent-encoded but for unreserved characters (RFC 3986, section 2.3): fit for a query item.
    public var queryEncoded: String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
