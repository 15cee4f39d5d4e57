@testable import CountersignCore
@testable import StoreSQL

/// The transaction of the database below a realm's, for tests that look at tables.
package func sql(_ transaction: any StoreTransaction) throws -> SQLTransaction {
    let base = (transaction as? RememberingTransaction)?.base ?? transaction
    guard let base = base as? SQLTransaction else { throw TestFailure() }
    return base
}
