import Foundation

/// Where a row stands in what was found: those that are found by their key come first, then those that are found by their words, each of
/// them ordered by key.
public enum FoundPlace<Key: StringName>: Sendable, Equatable {
    /// Among those whose key begins with the text.
    case key(Key)
    /// Among all rows, which are looked through for words.
    case words(Key)
}

/// What a search in a list costs at most.
public enum ListSearch {
    /// Rows that one look goes through for words, which have no index.
    public static let mostLookedThrough = 1000
}

extension ListRange {
    /// The page of the rows whose key begins with a text, and behind them of those of which one of the words does (without regard to case, as
    /// names of users).
    ///
    /// Keys are found by their index. Words have none, so that a look goes through ``ListSearch/mostLookedThrough`` rows at most, and
    /// a page can be short, or empty, and go on (docs/decisions/0571).
    /// - Parameters:
    ///   - text: one with no letters finds nothing.
    ///   - beginning: reads rows whose key begins with a text, which is not empty.
    ///   - all: reads rows of the whole list.
    func found<Row: Sendable, Name: StringName>(
        _ text: String, key: (Row) -> Name, words: (Row) -> [String?],
        beginning: (String, ListRange<Name>) throws -> [Row], all: (ListRange<Name>) throws -> [Row]
    ) throws -> ListPage<Row, FoundPlace<Name>> where Key == FoundPlace<Name> {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let (start, folded) = (PlainText.key(text), UserNameKey.key(of: text))
        guard !start.isEmpty else { return ListPage(rows: [], previous: nil, next: nil) }
        return try page(most: ListSearch.mostLookedThrough, key: { (found: LookedAt<Row, Name>) in found.place }) {
            part in
            try part.looked(key: key, beginning: { try beginning(start, $0) }, all: all)
        } show: { (found: LookedAt<Row, Name>) -> Row? in
            let isByKey = key(found.row).rawValue.utf8.starts(with: start.utf8)
            switch found.place {
            case .key: return isByKey ? found.row : nil
            case .words:
                guard !isByKey, !folded.isEmpty else { return nil }
                return words(found.row).contains { UserNameKey.key(of: $0).utf8.starts(with: folded.utf8) }
                    ? found.row : nil
            }
        }
    }

    /// A part of the list that is looked through: the rows whose key begins with the text, and behind them all of them.
    private func looked<Row: Sendable, Name: StringName>(
        key name: (Row) -> Name, beginning: (ListRange<Name>) throws -> [Row], all: (ListRange<Name>) throws -> [Row]
    ) throws -> [LookedAt<Row, Name>] where Key == FoundPlace<Name> {
        var looked: [LookedAt<Row, Name>] = []
        for isByKey in isBackwards ? [false, true] : [true, false] where looked.count < limit {
            let place: Name?
            switch key {
            case .key(let key)? where isByKey: place = key
            case .words(let key)? where !isByKey: place = key
            // This half of the list lies behind the place.
            case .key? where isBackwards: continue
            case .words? where !isBackwards: continue
            case .key?, .words?, nil: place = nil
            }
            let range = ListRange<Name>(place, isBackwards: isBackwards, limit: limit - looked.count)
            looked += try (isByKey ? beginning(range) : all(range)).map { row in
                LookedAt(place: isByKey ? .key(name(row)) : .words(name(row)), row: row)
            }
        }
        return looked
    }
}

/// A row of the list that is looked through.
private struct LookedAt<Row: Sendable, Name: StringName>: Sendable {
    let place: FoundPlace<Name>
    let row: Row
}
