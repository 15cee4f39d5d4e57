import Foundation

extension UserProfile {
    /// Bytes that the address of a picture has at most: what Identity Toolkit takes, too.
    public static let longestPictureAddress = 2048

    /// Whether a text may be set as the address of a picture: https, a host, and no credentials. What is behind it is not asked.
    public static func isPictureAddress(_ text: String) -> Bool {
        guard text.utf8.count <= longestPictureAddress, URLText.isPlain(text), URLText.hasUsablePort(text),
            let parts = URLComponents(string: text), parts.scheme == "https", let host = parts.encodedHost,
            !host.isEmpty, URLText.isPlainHost(host), parts.user == nil, parts.password == nil
        else { return false }
        return true
    }

    /// The picture as OpenID Connect and native authentication tell it (`picture`). Nil where the account has none, or one that is no https
    /// address: Identity Toolkit and imports take any text, and applications put what they are told into their pages.
    public var pictureClaim: String? { photoURL.flatMap { Self.isPictureAddress($0) ? $0 : nil } }
}
