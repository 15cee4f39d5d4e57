/// One look at a list, which makes a page of what a store answers. It knows no store, and what it reads next is in ``next``.
///
/// It reads one row more than it shows, and one on the other side of the page, so that the first page has no page before it and the last
/// none after it, whatever came and went since the caller's place was given.
///
/// A list of which not every row is shown is looked through as far as ``init(_:most:chunk:)`` says. Then a page can be short, or empty, and
/// go on.
public struct ListLook<Row: Sendable, Key: Sendable>: Sendable {
    private enum Stage {
        /// Rows for the page are read.
        case rows
        /// As many were looked through as may be: whether there is one more.
        case rest
        /// Whether there is a row on the other side of the page.
        case behind
        case done
    }

    private static var mostBehind: Int { 1001 }

    private let range: ListRange<Key>
    private let limit: Int
    private let most: Int?
    private let chunk: Int
    private var stage = Stage.rows
    private var found: [(row: Row, key: Key)] = []
    private var first: Key?
    private var last: Key?
    private var seen = 0
    private var isMoreAhead = false
    private var isMoreBehind = false
    private var ahead: ListEdge<Key>?

    /// - Parameters:
    ///   - range: what is asked for; of more than 1,000 rows, 1,000.
    ///   - most: how many rows are looked through at most, for a list of which some are not shown; nil where all are.
    ///   - chunk: how many of them are read at once.
    public init(_ range: ListRange<Key>, most: Int? = nil, chunk: Int = 250) {
        self.range = range
        self.most = most
        self.chunk = chunk
        limit = min(max(range.limit, 1), 1000)
    }

    /// What is read next; nil where the page is complete.
    public var next: ListRange<Key>? {
        switch stage {
        case .rows:
            let wanted = limit + 1 - found.count
            return ListRange(
                last ?? range.key, isBackwards: range.isBackwards,
                limit: most.map { min($0 - seen, max(wanted, chunk)) } ?? wanted)
        case .rest: return ListRange(last, isBackwards: range.isBackwards, limit: 1)
        case .behind:
            // The row beside the page is mostly shown. Beyond it as much is read at once as on the page itself: each part can be a
            // transaction of its own.
            return ListRange(
                last ?? first, isBackwards: !range.isBackwards,
                limit: seen == 0 ? 1 : min(mostBehind - seen, most == nil ? 50 : max(chunk, 50)))
        case .done: return nil
        }
    }

    /// Takes the rows that the store answered to ``next``.
    /// - Parameter show: what is shown of a row; nil where it is not.
    public mutating func take<Read>(_ rows: [Read], key: (Read) -> Key, show: (Read) throws -> Row?) rethrows {
        let asked = next?.limit ?? 0
        switch stage {
        case .rows:
            for row in rows where found.count <= limit {
                let place = key(row)
                first = first ?? place
                last = place
                seen += 1
                if let shown = try show(row) { found.append((shown, place)) }
            }
            if found.count > limit {
                isMoreAhead = true
                lookBehind()
            } else if rows.count < asked {
                lookBehind()
            } else if let most, seen >= most {
                stage = .rest
            }
        case .rest:
            isMoreAhead = !rows.isEmpty
            lookBehind()
        case .behind:
            for row in rows where stage == .behind {
                last = key(row)
                seen += 1
                if try show(row) != nil { finish(isMoreBehind: true) }
            }
            if stage == .behind, rows.count < asked { finish(isMoreBehind: false) }
            if stage == .behind, seen >= mostBehind { finish(isMoreBehind: true) }
        case .done: break
        }
    }

    /// How many rows beside the page are looked through; where none of them is shown there may be more.
    private var mostBehind: Int { most.map { min($0, Self.mostBehind) } ?? 51 }

    private mutating func lookBehind() {
        if isMoreAhead { ahead = (found.count > limit ? found[limit - 1].key : last).map(ListEdge.row) }
        // A page that begins where the list does has nothing behind it.
        guard range.key != nil else { return finish(isMoreBehind: false) }
        (stage, last, seen) = (.behind, nil, 0)
    }

    private mutating func finish(isMoreBehind: Bool) {
        self.isMoreBehind = isMoreBehind
        stage = .done
    }

    /// What the look has come to.
    public var page: ListPage<Row, Key> {
        let rows = found.prefix(limit).map(\.row)
        let behind: ListEdge<Key>? = isMoreBehind ? first.map(ListEdge.row) ?? .end : nil
        return range.isBackwards
            ? ListPage(rows: rows.reversed(), previous: ahead, next: behind)
            : ListPage(rows: rows, previous: behind, next: ahead)
    }
}

extension ListRange {
    /// The page of a list of which every row is shown.
    public func page<Row: Sendable>(
        key: (Row) -> Key, _ read: (ListRange<Key>) throws -> [Row]
    ) rethrows -> ListPage<Row, Key> {
        try page(key: key, read) { $0 }
    }

    /// The page of a list.
    /// - Parameters:
    ///   - most: how many rows are looked through at most; nil where all are shown.
    ///   - chunk: how many of them are read at once.
    ///   - show: what is shown of a row; nil where it is not.
    public func page<Read, Row: Sendable>(
        most: Int? = nil, chunk: Int = 250, key: (Read) -> Key, _ read: (ListRange<Key>) throws -> [Read],
        show: (Read) throws -> Row?
    ) rethrows -> ListPage<Row, Key> {
        var look = ListLook<Row, Key>(self, most: most, chunk: chunk)
        while let part = look.next { try look.take(read(part), key: key, show: show) }
        return look.page
    }
}
