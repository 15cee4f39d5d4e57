import CountersignCore
import Foundation

@testable import StoreSQL

func user(_ id: String, email: String? = nil) -> User {
    User(
        id: UserID(rawValue: id), email: email.map(EmailAddress.init(kept:)), createdAt: Date(microseconds: 1_000_000))
}

/// Runs a statement that the port does not offer, to put into a database what the store itself never would.
@discardableResult
func raw(_ transaction: any StoreTransaction, _ statement: String) throws -> [SQLRow] {
    guard let transaction = transaction as? SQLTransaction else { throw NotSQL() }
    return try transaction.connection.rows(statement, [])
}

struct NotSQL: Error {}
