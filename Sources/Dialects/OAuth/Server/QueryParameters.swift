import CountersignCore
import Foundation

/// The parameters of an authorization request, each with all of its values: to see one that is there twice (RFC 6749, section 3.1).
struct QueryParameters: Sendable, Equatable {
    private(set) var values: [String: [String]]

    /// What may be there more than once (RFC 8707, section 2).
    static let repeatable: Set<String> = ["resource"]

    init(_ values: [String: [String]]) {
        self.values = values
    }

    /// Reads a query or the body of a form; nil where an escape is none, or what it means is no UTF-8 or has a zero byte.
    init?(_ text: String) {
        values = [:]
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false).map {
                Substring($0)
            }
            guard let name = Self.decoded(parts[0]), let value = Self.decoded(parts.count == 2 ? parts[1] : "") else {
                return nil
            }
            // One without a value counts as left out (RFC 6749, section 3.1).
            if !value.isEmpty { values[name, default: []].append(value) }
        }
    }

    private static func decoded(_ text: Substring) -> String? {
        PlainText(String(text).replacing("+", with: " ").removingPercentEncoding, bytes: 0...)?.text
    }

    subscript(_ name: String) -> String? { values[name]?.first }

    func all(_ name: String) -> [String] { values[name] ?? [] }

    func words(_ name: String) -> [String] { self[name]?.split(separator: " ").map(String.init) ?? [] }

    /// A parameter that is there more than once and must not be.
    var repeated: String? {
        values.first { $0.value.count > 1 && !Self.repeatable.contains($0.key) }?.key
    }
}
