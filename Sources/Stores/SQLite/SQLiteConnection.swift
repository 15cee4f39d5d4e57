import CountersignCore
import Foundation
import GRDB
import StoreSQL

/// The driver: statements of the one schema, run by SQLite.
///
/// It lives for one access to the database and is used only on that access's queue.
struct SQLiteConnection: SQLConnection {
    let database: Database
    /// Whether the file is not to be written; that this connection only reads does not say so.
    var isReadOnly = false

    func rows(_ statement: String, _ parameters: [SQLValue]) throws -> [SQLRow] {
        try prepared(statement) { prepared in
            let cursor = try Row.fetchCursor(prepared, arguments: arguments(parameters))
            var rows: [SQLRow] = []
            while let row = try cursor.next() {
                rows.append(SQLRow(row.databaseValues.map(SQLValue.init(kept:))))
            }
            return rows
        }
    }

    func execute(_ statement: String, _ parameters: [SQLValue]) throws -> Int {
        try prepared(statement) { prepared in
            try prepared.execute(arguments: arguments(parameters))
            return database.changesCount
        }
    }

    func takesWrites() throws -> Bool { !isReadOnly }

    /// SQLite ends a transaction by itself when the disk is full or fails. What the body did next would be committed
    /// statement by statement, so nothing runs outside a transaction.
    private func prepared<T>(_ statement: String, _ run: (Statement) throws -> T) throws -> T {
        guard database.isInsideTransaction else {
            throw StoreError(.unavailable, "the transaction was rolled back by SQLite")
        }
        return try translatingErrors {
            try run(try database.cachedStatement(sql: numbered(statement)))
        }
    }

    /// `$1` becomes `?1`: to SQLite the former is a name, and names count from left to right.
    private func numbered(_ statement: String) -> String {
        let dollar = UInt8(ascii: "$")
        let mark = UInt8(ascii: "?")
        return String(decoding: statement.utf8.map { $0 == dollar ? mark : $0 }, as: UTF8.self)
    }

    private func arguments(_ parameters: [SQLValue]) -> StatementArguments {
        StatementArguments(parameters.map(\.databaseValue))
    }
}

extension SQLValue {
    fileprivate init(kept value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .integer(number)
        case .string(let text): self = .text(text)
        case .blob(let bytes): self = .blob(bytes)
        // No column is of this kind, and STRICT tables keep it out; a reader of the row will say that it is no integer.
        case .double(let number): self = .text(String(number))
        }
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let bytes): bytes.databaseValue
        }
    }
}
