import Foundation

/// Where a row stands in a list that is ordered by creation, then by id: as it is for short lists that are read as a whole (hooks, tokens that
/// let applications register), and the text of others' places (``SessionPlace``, ``GrantPlace``).
public struct CreationPlace: Sendable, Equatable, Comparable {
    /// When the row was made.
    public let createdAt: Date
    /// The row, which orders those of one instant.
    public let id: String

    /// The place of the row with that time and id.
    public init(createdAt: Date, id: String) {
        (self.createdAt, self.id) = (createdAt, id)
    }

    /// As pages and commands write it: digits, a dot, and characters of Base64 for URLs.
    public var text: String { "\(createdAt.microseconds).\(Array(id.utf8).base64URL)" }

    /// Nil where the text is no place.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 512, parts.count == 2, let instant = Int64(parts[0]),
            let bytes = [UInt8](base64URL: String(parts[1])), !bytes.isEmpty,
            let id = String(validating: bytes, as: UTF8.self)
        else { return nil }
        self.init(createdAt: Date(microseconds: instant), id: id)
    }

    /// To the microsecond, as stores keep instants and texts of places have them.
    private var key: (Int64, String) { (createdAt.microseconds, id) }

    public static func == (left: CreationPlace, right: CreationPlace) -> Bool { left.key == right.key }
    public static func < (left: CreationPlace, right: CreationPlace) -> Bool { left.key < right.key }
}

extension ListRange where Key: Comparable {
    /// The page of a list that is in memory as a whole, in any order.
    func page<Row: Sendable>(of rows: [Row], key: (Row) -> Key) -> ListPage<Row, Key> {
        let sorted = rows.sorted { key($0) < key($1) }
        return page(key: key) { part in
            let inOrder = part.isBackwards ? sorted.reversed() : sorted
            let rest = inOrder.filter { row in
                part.key.map { part.isBackwards ? key(row) < $0 : $0 < key(row) } ?? true
            }
            return Array(rest.prefix(part.limit))
        }
    }
}
