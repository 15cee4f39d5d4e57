import CountersignCore
import GRDB
import GRDBSQLite

/// One connection to the database, with the queue that it is used on.
///
/// GRDB opens and closes the connection and owns the queue. What is not `Sendable` here, the driver with its prepared
/// statements, is reached on that queue alone.
final class SQLiteAccess: @unchecked Sendable {
    private let queue: DatabaseQueue
    private let connection: SQLiteConnection

    /// - Parameters:
    ///   - isReadOnly: whether the file is not to be written, by this connection or another.
    ///   - prepare: what to do first with the connection.
    init(
        path: String, configuration: Configuration, isReadOnly: Bool, prepare: (Database) throws -> Void = { _ in }
    ) throws {
        queue = try DatabaseQueue(path: path, configuration: configuration)
        do {
            connection = try queue.inDatabase { database in
                try prepare(database)
                // GRDB has SQLite tell it each table and column of every statement, and notes them. Statements are not GRDB's here.
                sqlite3_set_authorizer(database.sqliteConnection, nil, nil)
                return try SQLiteConnection(database, isReadOnly: isReadOnly)
            }
        } catch {
            try? queue.close()
            throw error
        }
    }

    /// Runs something on the queue, later.
    func async(_ work: @escaping @Sendable (SQLiteConnection) -> Void) {
        queue.asyncWriteWithoutTransaction { [self] _ in work(connection) }
    }

    /// Runs something on the queue, and waits for it.
    func wait<T>(for work: (Database) throws -> T) throws -> T { try queue.inDatabase(work) }

    /// Copies the database, as it is at one instant.
    func backup(to copy: DatabaseQueue) throws { try queue.backup(to: copy) }

    /// Waits for what runs, and closes the connection.
    func close() throws {
        queue.inDatabase { _ in connection.forgetStatements() }
        try queue.close()
    }
}
