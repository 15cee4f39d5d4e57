/// The terms of use that users agree to before applications get what they ask for in a browser. The operator writes them elsewhere and
/// names them here; with another version each user is asked once more.
public struct TermsSettings: Sendable, Equatable, Codable {
    /// What the operator calls the version that holds: `2026-11`. Nil asks for nothing.
    public var version: String?
    /// Where the terms are read.
    public var url: String?
    /// The same by language (`en`, `de`, `ja`), where they are written in it.
    public var urls: [String: String] = [:]

    /// No terms: users are asked for nothing.
    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        version = try members.decodeIfPresent(String.self, forKey: .version)
        url = try members.decodeIfPresent(String.self, forKey: .url)
        try members.assign(&urls, .urls)
    }

    /// Whether a text can be a version: 1 to 64 printable characters of ASCII.
    public static func isVersion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Whether a text can be the address of terms: an absolute `https` URL that all readers read alike.
    public static func isAddress(_ text: String) -> Bool {
        text.lowercased().hasPrefix("https://") && LinkTargets.host(of: text) != nil
    }

    /// The address in a language where there is one for it.
    public func address(in language: String) -> String? { urls[language] ?? url }

    /// The version that a user has still to agree to; nil where nothing is asked for.
    public func asked(of profile: UserProfile) -> String? {
        guard let version, !profile.acceptedTerms.contains(where: { $0.version == version }) else { return nil }
        return version
    }
}
