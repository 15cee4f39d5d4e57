import Foundation

/// A mailed link, taken apart. Source: Firebase API reference for Swift, `ActionCodeURL`.
public final class ActionCodeURL: NSObject, Sendable {
    /// The API key (`apiKey`) of the application that asked for the mail; nil where an administrator did.
    public let apiKey: String?
    /// What the code does (`mode`).
    public let operation: ActionCodeOperation
    /// The code (`oobCode`), a secret until it is used.
    public let code: String?
    /// Where to lead the user afterwards (`continueUrl`): ``ActionCodeSettings/url``. Nil where the mail was asked for
    /// without.
    public let continueURL: URL?
    /// The language of the mail (`lang`, or `languageCode`), as a BCP 47 tag.
    public let languageCode: String?

    /// Nil where the text is no link with a code, neither by itself nor in its item `link` or `deep_link_id`.
    public init?(link: String) {
        guard let items = Self.items(of: link, depth: 0) else { return nil }
        apiKey = items["apiKey"]
        operation = ActionCodeOperation(mode: items["mode"])
        code = items["oobCode"]
        continueURL = items["continueUrl"].flatMap { URL(string: $0) }
        languageCode = items["lang"] ?? items["languageCode"]
    }

    private static func items(of link: String, depth: Int) -> [String: String]? {
        guard depth < 3, let parts = URLComponents(string: link) else { return nil }
        let pairs = (parts.queryItems ?? []).compactMap { item in item.value.map { (item.name, $0) } }
        let items = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        if items["oobCode"]?.isEmpty == false { return items }
        return (items["link"] ?? items["deep_link_id"]).flatMap { Self.items(of: $0, depth: depth + 1) }
    }

    /// The code of a link that signs in. Throws `invalidActionCode` for anything else.
    static func code(ofSignInLink link: String) throws -> String {
        guard let url = ActionCodeURL(link: link), url.operation == .emailLink, let code = url.code else {
            throw AuthErrorCode.refused(.invalidActionCode, because: "This is no link that signs in.")
        }
        return code
    }
}
