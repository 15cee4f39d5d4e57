/// One step of the schema, from the version before to its own.
///
/// A migration that a released program has applied is never edited; a fault in it is corrected by the next.
public struct Migration: Sendable {
    /// Counts from 1, without gaps.
    public let version: Int
    /// For the operator who reads the table `schema_migrations`.
    public let name: String
    /// Statements without parameters, in the order in which they run.
    public let statements: @Sendable (ColumnTypes) -> [String]

    public init(version: Int, name: String, statements: @escaping @Sendable (ColumnTypes) -> [String]) {
        self.version = version
        self.name = name
        self.statements = statements
    }
}

/// How a database spells what the others spell differently. Everything else of the schema is the same text for all.
public struct ColumnTypes: Sendable {
    /// Integers of 64 bits: `BIGINT` in PostgreSQL.
    public let integer: String
    /// Text that compares and sorts by its bytes, whatever the locale: `TEXT COLLATE "C"` in PostgreSQL.
    public let text: String
    /// Bytes: `BYTEA` in PostgreSQL.
    public let blob: String
    /// What follows the columns of `CREATE TABLE`; SQLite checks the types of values only where it says `STRICT`.
    public let tableOptions: String
    /// The function that says where a text has another, counted from 1, and 0 where it has none: `strpos` in PostgreSQL.
    public let position: String
    /// The number that a column of JSON has at a path of names and places, or null: by `json` in PostgreSQL.
    public let number: @Sendable (_ column: String, _ path: [String]) -> String

    public init(
        integer: String, text: String, blob: String, tableOptions: String = "", position: String = "strpos",
        number: @escaping @Sendable (_ column: String, _ path: [String]) -> String = { column, path in
            "CAST(CAST(\(column) AS json) #>> '{\(path.joined(separator: ","))}' AS double precision)"
        }
    ) {
        self.integer = integer
        self.text = text
        self.blob = blob
        self.tableOptions = tableOptions
        self.position = position
        self.number = number
    }
}
