import Foundation
import WebPages

/// Paths of the console.
enum ConsolePath {
    /// - Parameter parts: below `/console`, not encoded.
    static func to(_ parts: String...) -> String {
        "/console/" + parts.map { $0.addingPercentEncoding(withAllowedCharacters: plain) ?? "" }.joined(separator: "/")
    }

    /// Unreserved characters (RFC 3986, section 2.3).
    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
