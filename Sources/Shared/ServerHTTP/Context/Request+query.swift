import Foundation
import Hummingbird

extension Request {
    /// The parameters of the query, decoded as `application/x-www-form-urlencoded` (RFC 6749, appendix B; URL Standard, section 5.1):
    /// a plus sign is a space, one that is meant is `%2B`.
    ///
    /// Of a parameter that is there twice the first counts. What is no valid escape, or no UTF-8, stays as it was written.
    public var queryItems: [String: String] {
        var items: [String: String] = [:]
        for pair in (uri.query ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decoded(parts[0])
            if items[name] == nil { items[name] = parts.count == 2 ? Self.decoded(parts[1]) : "" }
        }
        return items
    }

    private static func decoded(_ text: Substring) -> String {
        FormText.decoded(text) ?? String(text).replacing("+", with: " ")
    }
}

/// A name or a value in the encoding of forms.
enum FormText {
    /// The text, with a space for each plus sign; nil where an escape is none or the bytes are not UTF-8.
    static func decoded(_ text: Substring) -> String? {
        // Most texts have neither.
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(text)
        }
        return String(text).replacing("+", with: " ").removingPercentEncoding
    }

    /// The text without its escapes, where a plus sign is one; nil where an escape is none or the bytes are not UTF-8.
    static func unescaped(_ text: Substring) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return text.removingPercentEncoding
    }
}

extension CountersignRequestContext {
    /// The parts of the path that the route names, percent-decoded (RFC 3986, section 2.1); a plus sign is a plus sign there. What is no valid
    /// escape, or no UTF-8, stays as it was written.
    public var pathParameters: [String: String] {
        Dictionary(
            parameters.map { (String($0.key), Self.decoded($0.value)) },
            uniquingKeysWith: { first, _ in first })
    }

    private static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return String(text).removingPercentEncoding ?? String(text)
    }
}
