import CountersignCore
import StoreSQL

/// The driver: statements of the one schema, run by PostgreSQL in one open transaction.
///
/// A statement that fails ends the transaction on the server, which then refuses all others and commits nothing. The
/// first failure is kept here, so that a body that swallows it is not taken for done.
final class PostgresConnection: SQLConnection {
    private let link: PostgresLink
    private let isBounded: Bool
    private(set) var failure: PostgresFailure?
    let locksRows = true

    /// - Parameter isBounded: false for what may take its time, such as a migration.
    init(_ link: PostgresLink, isBounded: Bool = true) {
        self.link = link
        self.isBounded = isBounded
    }

    func query(_ statement: SQLStatement, _ parameters: [SQLValue], _ read: (any SQLColumns) throws -> Void) throws {
        try noting { try link.run(statement, parameters, isBounded: isBounded).read(read) }
    }

    func execute(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Int {
        try noting { try link.run(statement, parameters, isBounded: isBounded).changedRows }
    }

    private static let clock = SQLStatement("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")
    var timeQuery: SQLStatement? { Self.clock }

    func takesWrites() throws -> Bool {
        // Of the transaction itself it says nothing: one that only reads is read-only everywhere.
        try rows(
            "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean", []
        ).first?.values.first != .integer(1)
    }

    private func noting<T>(_ run: () throws -> T) throws -> T {
        if let failure { throw failure.storeError }
        do {
            return try run()
        } catch let failure as PostgresFailure {
            self.failure = failure
            throw failure.storeError
        }
    }
}
