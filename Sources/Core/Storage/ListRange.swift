/// A part of a list, in the direction in which it is read: rows after a key, or rows before it, from the nearest on.
///
/// Stores answer it by an index, so that a part costs the same wherever it is. ``ListLook`` makes a page of what they answer.
public struct ListRange<Key: Sendable>: Sendable {
    /// Only rows after this one, or before it where ``isBackwards``; nil: from the end of the list where reading begins.
    public var key: Key?
    /// Whether the list is read towards its beginning: the last row of the answer is then the first of the list.
    public var isBackwards: Bool
    /// Rows at most.
    public var limit: Int

    /// A part of a list; without a key, the rows at one end of it.
    public init(_ key: Key? = nil, isBackwards: Bool = false, limit: Int) {
        self.key = key
        self.isBackwards = isBackwards
        self.limit = limit
    }

    /// The same part by another sort of key.
    public func map<Other: Sendable>(_ other: (Key) throws -> Other) rethrows -> ListRange<Other> {
        ListRange<Other>(try key.map(other), isBackwards: isBackwards, limit: limit)
    }
}

/// Where a neighbour of a page begins.
public enum ListEdge<Key: Sendable>: Sendable {
    /// Behind this row, in the direction of that neighbour.
    case row(Key)
    /// At the end of the list that is nearer to the page: the page is empty, and has no row to go on from.
    case end
}

extension ListEdge: Equatable where Key: Equatable {}

/// A page of a list.
public struct ListPage<Row: Sendable, Key: Sendable>: Sendable {
    /// In the list's order, in whichever direction the page was read.
    public let rows: [Row]
    /// Where the page before ends; nil on the first.
    public let previous: ListEdge<Key>?
    /// Where the page after begins; nil on the last.
    public let next: ListEdge<Key>?
}
