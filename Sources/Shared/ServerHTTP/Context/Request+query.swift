import Foundation
import Hummingbird

extension Request {
    /// The parameters of the query, decoded as `application/x-www-form-urlencoded` (RFC 6749, appendix B; URL Standard, section 5.1):
    /// a plus sign is a space, one that is meant is `%2B`.
    ///
    /// Of a parameter that is there twice the first counts. What is no valid escape, or no UTF-8, stays as it was written.
    public var queryItems: [String: String] {
        var items: [String: String] = [:]
        var reader = queryReader
        while let field = try? reader.next() {
            if items[field.name] == nil { items[field.name] = field.value }
        }
        return items
    }

    /// The name of a parameter that is there twice, for endpoints that refuse it: two readers could take two different values. Nil
    /// where there is none.
    public var repeatedQueryItem: String? {
        var seen: Set<String> = []
        var reader = queryReader
        while let field = try? reader.next() {
            if !seen.insert(field.name).inserted { return field.name }
        }
        return nil
    }

    private var queryReader: FormReader { FormReader(Array((uri.query ?? "").utf8), malformed: .asWritten) }
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
