import Synchronization

/// The text of one statement, with an identity.
///
/// Statements that the program runs all the time are made once, as `static let`, and numbered: a driver keeps what it has
/// prepared of each in an array, and neither compares nor hashes texts. What is made up while the program runs – the steps
/// of a migration, a look at the schema – has no number, and is prepared each time.
///
/// Parameters are `$1`, `$2`, …; `$` means nothing else. A driver whose database spells them otherwise translates when it
/// prepares. The text never holds data.
public final class SQLStatement: Sendable {
    public let text: String
    /// Counts from 0 without gaps over the whole program; nil for a statement that is not kept.
    public let number: Int?
    /// Whether it reads or changes rows by their keys, and nothing of what is decided by it is about other rows: what a
    /// transaction may run that is isolated by rows (`docs/decisions/0192`).
    public let isByRow: Bool
    /// Whether it reads applications and documents alone: what most writes ask for first and few change, so that a driver may run it
    /// once for several writes that it commits together (`docs/decisions/0565`).
    public let isStanding: Bool
    /// Whether it may change what such statements read. False only where the text says so by its beginning.
    public let mayChangeStanding: Bool

    private static let numbers = Atomic(0)

    /// A statement that is kept, made once for the life of the program.
    /// - Parameters:
    ///   - isByRow: see ``isByRow``. False unless it was thought about.
    ///   - isStanding: see ``isStanding``.
    public init(_ text: String, isByRow: Bool = false, isStanding: Bool = false) {
        self.text = text
        self.isByRow = isByRow
        self.isStanding = isStanding
        mayChangeStanding = !Self.leavesStanding(text)
        number = Self.numbers.wrappingAdd(1, ordering: .relaxed).oldValue
    }

    private init(passing text: String) {
        self.text = text
        isByRow = false
        isStanding = false
        mayChangeStanding = !Self.leavesStanding(text)
        number = nil
    }

    /// Beginnings of statements that change neither applications nor documents: they read, or change a table whose rows take none of
    /// those with them. Any other may.
    private static let leaving: [String] = {
        var beginnings = ["SELECT "]
        for table in ["users", "factors", "flows", "sessions", "grants", "attempt_counters", "audit_events"] {
            beginnings += ["INSERT INTO \(table) ", "UPDATE \(table) ", "DELETE FROM \(table) "]
        }
        return beginnings
    }()

    private static func leavesStanding(_ text: String) -> Bool { leaving.contains { text.hasPrefix($0) } }

    /// A statement that is not kept.
    public static func once(_ text: String) -> SQLStatement { SQLStatement(passing: text) }
}
