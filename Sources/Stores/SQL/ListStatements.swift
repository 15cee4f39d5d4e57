import CountersignCore
import Foundation

/// A list as two statements, which read one index in its two directions.
struct ListStatements: Sendable {
    private let forwards: SQLStatement
    private let backwards: SQLStatement
    private let isDescending: Bool

    /// - Parameters:
    ///   - isDescending: whether the list begins with the greatest key.
    ///   - statement: makes a statement of the comparison of the row's key with the place's, and of what is said behind each column that
    ///     the rows are ordered by.
    init(isDescending: Bool = false, _ statement: (_ comparison: String, _ order: String) -> SQLStatement) {
        let (ascending, descending) = (statement(">", ""), statement("<", " DESC"))
        forwards = isDescending ? descending : ascending
        backwards = isDescending ? ascending : descending
        self.isDescending = isDescending
    }

    subscript<Key: Sendable>(_ range: ListRange<Key>) -> SQLStatement { range.isBackwards ? backwards : forwards }

    /// The least or the greatest value, from which a list is read that has no place.
    private func isGreatest<Key: Sendable>(_ range: ListRange<Key>) -> Bool { range.isBackwards != isDescending }

    func place<Key: StringName>(_ range: ListRange<Key>) -> SQLValue { place(range.map(\.rawValue)) }

    /// The ends of the rows whose key begins with a text, and lies behind the place: the first of them included, the last not.
    ///
    /// One bound at each end: of two, SQLite takes one for the index and goes through all rows up to the other.
    static func bounds<Key: StringName>(
        beginningWith text: String, _ range: ListRange<Key>
    ) -> (start: SQLValue, end: SQLValue) {
        let key = range.key?.rawValue
        // The least text behind a key, as none has a zero byte; and what sorts behind every text that begins so.
        let (start, end) = (key.map { $0 + "\u{1}" } ?? text, text + "\u{10FFFF}")
        return range.isBackwards ? (SQLValue(text), SQLValue(key ?? end)) : (SQLValue(start), SQLValue(end))
    }

    /// The last scalar of Unicode is no character, and no key begins with it.
    func place(_ range: ListRange<String>) -> SQLValue {
        SQLValue(range.key ?? (isGreatest(range) ? "\u{10FFFF}" : ""))
    }

    /// No digest has as many bytes.
    func place(_ range: ListRange<Data>) -> SQLValue {
        SQLValue(range.key ?? (isGreatest(range) ? Data(repeating: 0xFF, count: 129) : Data()))
    }

    /// The two values of a place by instant, then by id.
    func place<Key: Sendable>(
        _ range: ListRange<Key>, _ parts: (Key) -> (createdAt: Date, id: String)
    ) -> (instant: SQLValue, id: SQLValue) {
        guard let (createdAt, id) = range.key.map(parts) else {
            return (.integer(isGreatest(range) ? .max : .min), SQLValue(""))
        }
        return (SQLValue(createdAt), SQLValue(id))
    }
}
