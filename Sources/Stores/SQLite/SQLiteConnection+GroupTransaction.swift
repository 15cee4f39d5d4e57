import CountersignCore
import GRDB
import StoreSQL

extension SQLiteConnection: GroupTransaction {
    func run<T>(_ body: (any StoreTransaction) throws -> T) throws -> T { try SQLTransaction.run(on: self, body) }

    var isOpen: Bool { database.isInsideTransaction }

    /// Takes the write lock at once. A transaction that reads first and asks for the lock later fails, without waiting,
    /// where another process has written in between.
    func begin() throws {
        try run("BEGIN IMMEDIATE")
    }

    func commit() throws {
        try run("COMMIT")
    }

    func rollBack() throws {
        try translatingErrors { try database.rollback() }
    }

    func setSavepoint() throws {
        try run("SAVEPOINT one_write")
    }

    func releaseSavepoint() throws {
        try run("RELEASE one_write")
    }

    func rollBackToSavepoint() throws {
        try run("ROLLBACK TO one_write")
    }

    private func run(_ statement: String) throws {
        try translatingErrors { try database.cachedStatement(sql: statement).execute() }
    }
}
