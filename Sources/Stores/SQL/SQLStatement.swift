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

    private static let numbers = Atomic(0)

    /// A statement that is kept, made once for the life of the program.
    public init(_ text: String) {
        self.text = text
        number = Self.numbers.wrappingAdd(1, ordering: .relaxed).oldValue
    }

    private init(passing text: String) {
        self.text = text
        number = nil
    }

    /// A statement that is not kept.
    public static func once(_ text: String) -> SQLStatement { SQLStatement(passing: text) }
}
