import CountersignCore
import Foundation
import GRDB
import GRDBSQLite
import StoreSQL

/// The driver: statements of the one schema, run by SQLite's own C functions on a connection that GRDB has opened.
///
/// A statement is prepared once a connection and kept under its number. Parameters go into it, and columns come out of it,
/// without a box between (``PreparedStatement``).
///
/// It is used only on the queue of its connection, and must be gone before that is closed.
final class SQLiteConnection: SQLConnection {
    private let handle: OpaquePointer
    /// Whether the file is not to be written; that this connection only reads does not say so.
    private let isReadOnly: Bool
    /// Statements of transactions that were run since they were last taken.
    private var statements = 0
    /// By the statements' numbers.
    private var kept: [PreparedStatement?] = []
    private var keptRows = KeptRows()
    /// Whether commits wait for the disk (`synchronous`); nil where it is not known.
    private var waitsForDisk: Bool?

    init(_ database: Database, isReadOnly: Bool = false) throws {
        guard let handle = database.sqliteConnection else { throw StoreError.closedStore }
        self.handle = handle
        self.isReadOnly = isReadOnly
    }

    func query(_ statement: SQLStatement, _ parameters: [SQLValue], _ read: (any SQLColumns) throws -> Void) throws {
        if keptRows.isInUse(for: statement), let number = statement.number {
            return try query(statement, number, parameters, read)
        }
        if statement.mayChangeStanding { keptRows.change() }
        try run(statement, parameters) { prepared in
            while try step(prepared) { try read(prepared) }
        }
        if keptRows.awaitsVersion { keptRows.see(dataVersion) }
    }

    /// The same by what is kept; what is not is kept from now on.
    private func query(
        _ statement: SQLStatement, _ number: Int, _ parameters: [SQLValue], _ read: (any SQLColumns) throws -> Void
    ) throws {
        if let rows = keptRows.rows(number, parameters) {
            try requireOpen()
            statements += 1
            for row in rows { try read(row) }
            return
        }
        var rows: [SQLRow] = []
        var size = 0
        // A reader of the rows may run a statement that changes them.
        let changes = keptRows.changes
        try run(statement, parameters) { prepared in
            while try step(prepared) {
                guard size <= KeptRows.largestAnswer else {
                    try read(prepared)
                    continue
                }
                let row = SQLRow(try (0..<prepared.count).map(prepared.value))
                size += KeptRows.size(of: row.values)
                rows.append(row)
                try read(row)
            }
        }
        if size <= KeptRows.largestAnswer, keptRows.changes == changes { keptRows.keep(rows, number, parameters) }
    }

    /// SQLite's number for what the open transaction sees: another one after each commit (sqlite.org, SQLITE_FCNTL_DATA_VERSION).
    private var dataVersion: UInt32? {
        var version: UInt32 = 0
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return code == SQLITE_OK ? version : nil
    }

    func execute(_ statement: SQLStatement, _ parameters: [SQLValue]) throws -> Int {
        if statement.mayChangeStanding { keptRows.change() }
        try run(statement, parameters) { prepared in
            while try step(prepared) {}
        }
        return Int(sqlite3_changes(handle))
    }

    func insertsReferring(
        _ statement: SQLStatement, _ parameters: [SQLValue], refusing columns: [String]
    ) throws -> Bool? {
        if statement.mayChangeStanding { keptRows.change() }
        var isInserted = false
        try run(statement, parameters) { prepared in
            switch sqlite3_step(prepared.pointer) {
            case SQLITE_DONE: isInserted = sqlite3_changes(handle) > 0
            // A statement that inserts one row has changed nothing by then, and the transaction goes on.
            case Self.missingRow: break
            case Self.missingValue where isMissing(in: columns): break
            case let code: throw failure(code, in: prepared)
            }
        }
        return isInserted
    }

    /// Whether the last failure was about one of the columns: "NOT NULL constraint failed: grants.session_id".
    private func isMissing(in columns: [String]) -> Bool {
        let message = String(cString: sqlite3_errmsg(handle))
        return columns.contains { message.hasSuffix(" \($0)") }
    }

    private static let missingRow = ResultCode.SQLITE_CONSTRAINT_FOREIGNKEY.rawValue
    private static let missingValue = ResultCode.SQLITE_CONSTRAINT_NOTNULL.rawValue

    func takesWrites() throws -> Bool { !isReadOnly }

    /// Whether a transaction is open: false when SQLite has ended it by itself.
    var isOpen: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// How many rows were ever changed on this connection, also by what was undone.
    var totalChanges: Int { Int(sqlite3_total_changes(handle)) }

    /// How many statements were run, or answered from what is kept, since this was asked last, without those that begin and end transactions.
    func takeStatements() -> Int {
        defer { statements = 0 }
        return statements
    }

    /// Runs a command that begins or ends a transaction or a part of one.
    func command(_ statement: SQLStatement) throws {
        let prepared = try prepared(statement)
        defer { prepared.finish() }
        while try step(prepared) {}
    }

    /// Forgets all prepared statements, so that the connection can be closed.
    func forgetStatements() {
        kept = []
    }

    private func requireOpen() throws {
        guard isOpen else { throw StoreError(.unavailable, "the transaction was rolled back by SQLite") }
    }

    /// SQLite ends a transaction by itself when the disk is full or fails. What the body did next would be committed
    /// statement by statement, so nothing runs outside a transaction.
    private func run(
        _ statement: SQLStatement, _ parameters: [SQLValue], _ steps: (PreparedStatement) throws -> Void
    ) throws {
        try requireOpen()
        statements += 1
        let prepared = try prepared(statement)
        defer { prepared.finish() }
        let code = prepared.bind(parameters)
        guard code == SQLITE_OK else { throw failure(code, in: prepared) }
        try steps(prepared)
    }

    /// - Returns: whether there is a row.
    private func step(_ prepared: PreparedStatement) throws -> Bool {
        switch sqlite3_step(prepared.pointer) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        case let code: throw failure(code, in: prepared)
        }
    }

    /// The kept one, unless it is being run: a reader of its rows runs the statement again.
    private func prepared(_ statement: SQLStatement) throws -> PreparedStatement {
        guard let number = statement.number else { return try prepare(statement, flags: 0) }
        if number < kept.count, let known = kept[number] {
            return known.isRunning ? try prepare(statement, flags: 0) : known.started()
        }
        let fresh = try prepare(statement, flags: CUnsignedInt(SQLITE_PREPARE_PERSISTENT))
        if number >= kept.count {
            kept += Array(repeating: nil, count: number + 1 - kept.count)
        }
        kept[number] = fresh
        return fresh
    }

    private func prepare(_ statement: SQLStatement, flags: CUnsignedInt) throws -> PreparedStatement {
        let text = Self.numbered(statement.text)
        var pointer: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, text, -1, flags, &pointer, nil)
        guard code == SQLITE_OK, let pointer else { throw failure(code, in: text) }
        return PreparedStatement(pointer)
    }

    /// The statement with `?1` for `$1`, which to SQLite is a name, and names count from left to right. A `$` without a number behind it is
    /// none of ours: paths into JSON begin with one.
    static func numbered(_ text: String) -> String {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        var bytes = Array(text.utf8)
        for index in bytes.indices.dropLast() where bytes[index] == UInt8(ascii: "$") && digits ~= bytes[index + 1] {
            bytes[index] = UInt8(ascii: "?")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func failure(_ code: CInt, in prepared: PreparedStatement) -> StoreError {
        failure(code, in: sqlite3_sql(prepared.pointer).map { String(cString: $0) })
    }

    private func failure(_ code: CInt, in text: String?) -> StoreError {
        StoreError(
            DatabaseError(
                resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(handle)), sql: text))
    }
}

extension SQLiteConnection: GroupTransaction {
    private static let begin = SQLStatement("BEGIN IMMEDIATE")
    private static let beginRead = SQLStatement("BEGIN DEFERRED")
    /// Gives no row. It opens the snapshot that all further statements of the transaction read.
    private static let snapshot = SQLStatement("SELECT 1 FROM sqlite_master WHERE 0")
    private static let full = SQLStatement.once("PRAGMA synchronous = FULL")
    private static let normal = SQLStatement.once("PRAGMA synchronous = NORMAL")
    private static let synchronous = SQLStatement.once("PRAGMA synchronous")
    private static let commit = SQLStatement("COMMIT")
    private static let rollBack = SQLStatement("ROLLBACK")
    private static let savepoint = SQLStatement("SAVEPOINT one_write")
    private static let release = SQLStatement("RELEASE one_write")
    private static let rollBackToSavepoint = SQLStatement("ROLLBACK TO one_write")

    func run<T>(_ body: (any StoreTransaction) throws -> T) throws -> T {
        keptRows.beginWrite()
        return try SQLTransaction.run(on: self, body)
    }

    /// Takes the write lock at once. A transaction that reads first and asks for the lock later fails, without waiting,
    /// where another process has written in between.
    func begin(isDurable: Bool) throws {
        try setWaitsForDisk(isDurable)
        try command(Self.begin)
        keptRows.beginGroup()
    }

    /// With `NORMAL` a commit is in the log and not waited for; the next one with `FULL` syncs the whole log. The database is as whole
    /// after a power cut with the one as with the other (sqlite.org, PRAGMA synchronous).
    private func setWaitsForDisk(_ waits: Bool) throws {
        guard waitsForDisk != waits else { return }
        waitsForDisk = nil
        // SQLite acts on the pragma while it prepares it, so that none is kept.
        try command(waits ? Self.full : Self.normal)
        let level = try synchronous()
        guard level == (waits ? 2 : 1) else {
            throw StoreError(.unavailable, "PRAGMA synchronous is \(level), not what was set")
        }
        waitsForDisk = waits
    }

    /// SQLite's number for how commits wait for the disk: 1 for `NORMAL`, 2 for `FULL`.
    func synchronous() throws -> Int64 {
        let prepared = try prepare(Self.synchronous, flags: 0)
        defer { prepared.finish() }
        guard try step(prepared), let level = try prepared.integer(0) else {
            throw StoreError(.unavailable, "PRAGMA synchronous says nothing")
        }
        return level
    }

    func commit() throws {
        keptRows.endGroup()
        try command(Self.commit)
    }

    func rollBack() throws {
        keptRows.endGroup()
        if isOpen { try command(Self.rollBack) }
    }

    func setSavepoint() throws { try command(Self.savepoint) }

    func releaseSavepoint() throws { try command(Self.release) }

    func rollBackToSavepoint() throws {
        keptRows.change()
        try command(Self.rollBackToSavepoint)
    }

    /// Reads from one snapshot.
    func read<T>(_ body: (any StoreTransaction) throws -> T) throws -> T {
        try command(Self.beginRead)
        // There is nothing to lose, however it ends.
        defer {
            keptRows.end()
            try? isOpen ? command(Self.commit) : ()
        }
        if keptRows.begin() {
            try command(Self.snapshot)
            keptRows.see(dataVersion)
        }
        return try run(body)
    }
}
