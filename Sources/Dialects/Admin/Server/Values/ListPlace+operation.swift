import CountersignCore

/// An operation that answers a list, page by page, forwards and backwards.
///
/// A page costs the same wherever it is, and rows that come and go meanwhile move no other from page to page.
public protocol PagedOperation: AdministrationOperation {
    /// Where the page begins: the `next` of the page before.
    var after: String? { get }
    /// Where the page ends: the `previous` of the page after.
    var before: String? { get }
}

extension PagedOperation {
    /// What is read of the list.
    /// - Parameter key: nil where the text is no key of the list.
    /// - Throws: ``ListPlace/unknown``, and where both places are given.
    func range<Key: Sendable>(limit: Int, _ key: (String) -> Key?) throws -> ListRange<Key> {
        guard after == nil || before == nil else { throw ListPlace.both }
        guard let text = after ?? before else { return ListRange(limit: limit) }
        guard let place = ListPlace(parsing: text, in: Self.name) else { throw ListPlace.unknown }
        let found = place.key.map(key)
        if case .some(nil) = found { throw ListPlace.unknown }
        return ListRange(found ?? nil, isBackwards: before != nil, limit: limit)
    }

    func range<Key: StringName>(limit: Int) throws -> ListRange<Key> {
        try range(limit: limit) { Key(rawValue: $0) }
    }

    /// What an answer gives as `previous` or `next`.
    func place<Key: Sendable>(_ edge: ListEdge<Key>?, _ key: (Key) -> String) -> String? {
        switch edge {
        case .row(let row): ListPlace(key(row), in: Self.name).text
        case .end: ListPlace(nil, in: Self.name).text
        case nil: nil
        }
    }

    func place<Key: StringName>(_ edge: ListEdge<Key>?) -> String? { place(edge, \.rawValue) }

    /// What is read of what a text finds.
    func found<Key: StringName>(limit: Int) throws -> ListRange<FoundPlace<Key>> {
        try range(limit: limit) { FoundPlace<Key>(text: $0) }
    }

    func place<Key: StringName>(_ edge: ListEdge<FoundPlace<Key>>?) -> String? { place(edge) { $0.text } }
}

extension FoundPlace {
    private static var ofKey: String { "id:" }
    private static var ofWords: String { "name:" }

    fileprivate var text: String {
        switch self {
        case .key(let key): Self.ofKey + key.rawValue
        case .words(let key): Self.ofWords + key.rawValue
        }
    }

    /// Nil where the text is none.
    fileprivate init?(text: String) {
        if text.hasPrefix(Self.ofKey) {
            self = .key(Key(rawValue: String(text.dropFirst(Self.ofKey.count))))
        } else if text.hasPrefix(Self.ofWords) {
            self = .words(Key(rawValue: String(text.dropFirst(Self.ofWords.count))))
        } else {
            return nil
        }
    }
}

extension ListPage {
    /// Whether so little was found that the look ended at its bound: more may follow, although the page is not full.
    func isPartial<Asked: Sendable>(of range: ListRange<Asked>) -> Bool {
        (range.isBackwards ? previous : next) != nil && rows.count < range.limit
    }
}

extension ListPlace {
    /// How every list refuses what it did not give.
    static var unknown: AdministrationError {
        AdministrationError(.invalid, "This is no place in the list: give what a page of it gave as next or previous.")
    }

    /// How every list refuses two places.
    static var both: AdministrationError {
        AdministrationError(.invalid, "Give after or before, not both.")
    }
}
