import CountersignCore
import OAuthHTTP
import ServerHTTP

/// The parameters of an authorization request, each with all of its values: to see one that is there twice (RFC 6749, section 3.1).
struct QueryParameters: Sendable, Equatable {
    private(set) var values: [String: [String]]
    /// A parameter whose value has a zero byte: it is refused by its name, and not in ``values``.
    private(set) var withZeroByte: String?
    /// The first parameter of a text that is there more than once and must not be, be it without a value.
    private var sentTwice: String?

    /// What may be there more than once (RFC 8707, section 2).
    static let repeatable: Set<String> = ["resource"]

    init(_ values: [String: [String]]) {
        self.values = values
    }

    /// Reads a query or the body of a form; nil where an escape is none, or what it means is no UTF-8.
    init?(_ text: String) {
        values = [:]
        var names: Set<String> = []
        var reader = FormReader(Array(text.utf8))
        do {
            while let field = try reader.next() {
                guard PlainText(field.name, bytes: 0...) != nil, PlainText(field.value, bytes: 0...) != nil else {
                    withZeroByte = withZeroByte ?? field.name
                    continue
                }
                if !names.insert(field.name).inserted, !Self.repeatable.contains(field.name) {
                    sentTwice = sentTwice ?? field.name
                }
                // One without a value counts as left out (RFC 6749, section 3.1), and is there all the same.
                if !field.value.isEmpty { values[field.name, default: []].append(field.value) }
            }
        } catch {
            return nil
        }
    }

    subscript(_ name: String) -> String? { values[name]?.first }

    func all(_ name: String) -> [String] { values[name] ?? [] }

    func words(_ name: String) -> [String] { self[name]?.spaceSeparated ?? [] }

    /// A parameter that cannot be taken, whatever it means: its name, and a sentence about it without its end; nil where there is none.
    var fault: (name: String, sentence: String)? {
        if let name = withZeroByte.map(ParameterName.shown) { return (name, "\(name) has a zero byte (U+0000)") }
        return repeated.map(ParameterName.shown).map { ($0, "\($0) is there twice") }
    }

    /// A parameter that is there more than once and must not be.
    var repeated: String? {
        sentTwice ?? values.first { $0.value.count > 1 && !Self.repeatable.contains($0.key) }?.key
    }
}
