import CPostgres
import Foundation
import StoreSQL

/// What the server answered to one statement. It frees what libpq holds when it goes.
final class PostgresResult {
    private let pointer: OpaquePointer
    /// The row at hand.
    private var row: CInt = 0

    /// Nil where there is no answer, for lack of memory or of a connection.
    init?(_ pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        self.pointer = pointer
    }

    deinit {
        PQclear(pointer)
    }

    /// Whether it is the mark behind the answers of what was sent together.
    var endsBatch: Bool { PQresultStatus(pointer) == PGRES_PIPELINE_SYNC }

    /// Whether the server has said in words of its own that it does not do the command. Class 08 is no such word: with it a pooler answers
    /// in place of a server that it has lost, whatever that server has done by then.
    var isRefusal: Bool {
        guard PQresultStatus(pointer) == PGRES_FATAL_ERROR, let state = countersign_pg_sqlstate(pointer) else {
            return false
        }
        return !String(cString: state).hasPrefix("08")
    }

    /// What failed; nil where nothing did.
    func failure(in statement: String?) -> PostgresFailure? {
        switch PQresultStatus(pointer) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return nil
        default: break
        }
        // libpq's own failures – a lost connection – have no code of the server's.
        guard let state = countersign_pg_sqlstate(pointer).map({ String(cString: $0) }) else {
            return PostgresFailure(lost: PQresultErrorMessage(pointer).map { String(cString: $0) } ?? "no answer")
        }
        return PostgresFailure(
            state: state,
            message: countersign_pg_primary_message(pointer).map { String(cString: $0) } ?? "no message",
            statement: statement)
    }

    /// The command as it was done: `COMMIT`, or `ROLLBACK` in its place.
    var tag: String { PQcmdStatus(pointer).map { String(cString: $0) } ?? "" }

    /// How many rows the statement inserted, changed or deleted.
    var changedRows: Int { PQcmdTuples(pointer).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// Calls the reader with each row.
    func read(_ read: (any SQLColumns) throws -> Void) throws {
        for row in 0..<PQntuples(pointer) {
            self.row = row
            try read(self)
        }
    }

    /// What is in the first column of the first row.
    var firstValue: SQLValue? {
        get throws {
            guard PQntuples(pointer) > 0, PQnfields(pointer) > 0 else { return nil }
            row = 0
            return try value(0)
        }
    }

    private func bytes(_ column: CInt) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: PQgetvalue(pointer, row, column), count: Int(PQgetlength(pointer, row, column)))
    }

    private func integer(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        let unsigned = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let unused = 64 - 8 * bytes.count
        return Int64(bitPattern: unsigned << unused) >> unused
    }
}

/// The columns of the row at hand, from the binary format. The numbers of types are fixed in the server's catalogue,
/// `pg_type.dat`.
extension PostgresResult: SQLColumns {
    var count: Int { Int(PQnfields(pointer)) }

    func integer(_ column: Int) throws -> Int64? {
        let column = CInt(column)
        if PQgetisnull(pointer, row, column) != 0 { return nil }
        switch PQftype(pointer, column) {
        // int8, int2, int4
        case 20, 21, 23: return integer(bytes(column))
        // bool
        case 16: return bytes(column).first == 0 ? 0 : 1
        default: throw SQLKindMismatch()
        }
    }

    func text(_ column: Int) throws -> String? {
        let column = CInt(column)
        if PQgetisnull(pointer, row, column) != 0 { return nil }
        switch PQftype(pointer, column) {
        // name, text, varchar
        case 19, 25, 1043: return String(decoding: bytes(column), as: UTF8.self)
        default: throw SQLKindMismatch()
        }
    }

    func blob(_ column: Int) throws -> Data? {
        let column = CInt(column)
        if PQgetisnull(pointer, row, column) != 0 { return nil }
        guard PQftype(pointer, column) == 17 else { throw SQLKindMismatch() }
        return Data(bytes(column))
    }

    /// - Throws: a failure for a column of a type that the schema does not use.
    func value(_ column: Int) throws -> SQLValue {
        switch PQftype(pointer, CInt(column)) {
        case 17: try blob(column).map(SQLValue.blob) ?? .null
        case 19, 25, 1043: try text(column).map(SQLValue.text) ?? .null
        case 16, 20, 21, 23: try integer(column).map(SQLValue.integer) ?? .null
        case let type: throw PostgresFailure(.giveUp, "PostgreSQL: column \(column + 1) has the type \(type)")
        }
    }
}
