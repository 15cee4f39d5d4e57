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

/// One row of an answer: the values of its columns, in the order of the statement.
public struct SQLRow: Sendable, Equatable {
    public let values: [SQLValue]

    public init(_ values: [SQLValue]) {
        self.values = values
    }
}
