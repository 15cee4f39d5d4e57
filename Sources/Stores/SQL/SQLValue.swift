import CountersignCore
import Foundation

/// What goes into a statement and comes out of a row: the four kinds that every SQL database has.
///
/// Queries make values with the initialisers, which say how each Swift type is kept; drivers take them apart by case.
public enum SQLValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case text(String)
    case blob(Data)

    /// A text, with every U+0000 replaced by U+FFFD (``PlainText/key(_:)``): the last net for texts that the core did not make plain.
    public init(_ text: String?) {
        self = if let text { .text(PlainText.key(text)) } else { .null }
    }

    public init(_ number: Int) {
        self = .integer(Int64(number))
    }

    public init(_ flag: Bool) {
        self = .integer(flag ? 1 : 0)
    }

    /// An instant, in microseconds since 1970.
    public init(_ instant: Date?) {
        self = if let instant { .integer(instant.microseconds) } else { .null }
    }

    public init(_ bytes: Data?) {
        self = if let bytes { .blob(bytes) } else { .null }
    }
}

extension SQLValue {
    /// Whether a database takes these parameters for the same. Two texts of which only one is composed (Unicode's normal forms) are equal
    /// to Swift, and are two keys.
    public static func areSame(_ one: [SQLValue], _ other: [SQLValue]) -> Bool {
        guard one.count == other.count else { return false }
        for index in one.indices {
            switch (one[index], other[index]) {
            case (.null, .null): continue
            case (.integer(let one), .integer(let other)) where one == other: continue
            case (.text(let one), .text(let other)) where areSame(one, other): continue
            case (.blob(let one), .blob(let other)) where one == other: continue
            default: return false
            }
        }
        return true
    }

    private static func areSame(_ one: String, _ other: String) -> Bool {
        var (one, other) = (one, other)
        return one.withUTF8 { one in
            other.withUTF8 { other in
                guard one.count == other.count else { return false }
                guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
                return memcmp(start, otherStart, one.count) == 0
            }
        }
    }
}

/// One row of an answer: the values of its columns, in the order of the statement.
public struct SQLRow: Sendable, Equatable {
    public let values: [SQLValue]

    public init(_ values: [SQLValue]) {
        self.values = values
    }
}
