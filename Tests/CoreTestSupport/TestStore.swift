import CountersignCore
import Foundation
import StorePostgres
import StoreSQLite
import TestSupport
import Testing

/// The stores that races are run on.
package enum TestStore: CaseIterable, CustomTestStringConvertible {
    case sqlite
    case postgres

    /// Both, where PostgreSQL is installed or must be.
    package static let available: [TestStore] = PostgresCluster.isWanted ? allCases : [.sqlite]

    package var testDescription: String {
        switch self {
        case .sqlite: "SQLite"
        case .postgres: "PostgreSQL"
        }
    }

    /// An empty one.
    package func open() async throws -> any Store {
        switch self {
        case .sqlite: try await SQLiteStore.temporary(in: TestRun.directory())
        case .postgres: try await PostgresCluster.shared().emptyDatabase().open(Self.options)
        }
    }

    /// Two on one empty file, or on one empty database, as two servers have them.
    package func openTwo() async throws -> (any Store, any Store) {
        switch self {
        case .sqlite:
            let path = try TestRun.place(for: "shared").path
            let first = try await SQLiteStore.open(path: path)
            return (first, try await SQLiteStore.open(path: path))
        case .postgres:
            let database = try await PostgresCluster.shared().emptyDatabase()
            let first = try await database.open(Self.options)
            return (first, try await database.open(Self.options))
        }
    }

    private static var options: PostgresStore.Options {
        // Fifty racers for one row are to be judged by who wins, not by how long the others wait.
        var options = PostgresStore.Options()
        options.patience = .seconds(120)
        options.attempts = 1000
        options.statementTimeout = .seconds(120)
        options.transactionTimeout = .seconds(120)
        options.connections = 4
        return options
    }
}
