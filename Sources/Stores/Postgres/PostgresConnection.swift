import CountersignCore
import StoreSQL

/// The driver: statements of the one schema, run by PostgreSQL in one open transaction.
///
/// A statement that fails ends the transaction on the server, which then refuses all others and commits nothing. The
/// first failure is kept here, so that a body that swallows it is not taken for done.
final class PostgresConnection: SQLConnection {
    private let link: PostgresLink
    private(set) var failure: PostgresFailure?

    init(_ link: PostgresLink) {
        self.link = link
    }

    func rows(_ statement: String, _ parameters: [SQLValue]) throws -> [SQLRow] {
        try noting { try link.run(statement, parameters).rows(of: statement) }
    }

    func execute(_ statement: String, _ parameters: [SQLValue]) throws -> Int {
        try noting { try link.run(statement, parameters).changedRows }
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
