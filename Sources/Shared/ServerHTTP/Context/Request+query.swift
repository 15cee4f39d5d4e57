import Foundation
import Hummingbird

extension Request {
    /// The parameters of the query, decoded as `application/x-www-form-urlencoded` (RFC 6749, appendix B; URL Standard, section 5.1):
    /// a plus sign is a space, one that is meant is `%2B`.
    ///
    /// Of a parameter that is there twice the first counts. What is no valid escape, or no UTF-8, stays as it was written.
    public var queryItems: [String: String] {
        var items: [String: String] = [:]
        for pair in Array((uri.query ?? "").utf8).split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let name = Self.decoded(pair[..<equals])
            if items[name] == nil { items[name] = Self.decoded(pair[equals...].dropFirst()) }
        }
        return items
    }

    /// The name of a parameter that is there twice, for endpoints that refuse it: two readers could take two different values. Nil
    /// where there is none.
    public var repeatedQueryItem: String? {
        var seen: Set<String> = []
        return Array((uri.query ?? "").utf8).split(separator: UInt8(ascii: "&"))
            .map { Self.decoded($0.prefix { $0 != UInt8(ascii: "=") }) }
            .first { !seen.insert($0).inserted }
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.contains(where: FormText.isEncoded) else { return text }
        return FormText.decoded(text[...]) ?? text.replacing("+", with: " ")
    }
}

/// A name or a value in the encoding of forms.
enum FormText {
    /// Whether a byte of it does not stand for itself. Most texts have none.
    static func isEncoded(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "%") || byte == UInt8(ascii: "+") }

    /// The text, with a space for each plus sign; nil where an escape is none or the bytes are not UTF-8.
    static func decoded(_ text: Substring) -> String? {
        guard text.utf8.contains(where: isEncoded) else { return String(text) }
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
