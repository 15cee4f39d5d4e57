import CPostgres
import Foundation
import StoreSQL

/// What the server answered to one statement. It frees what libpq holds when it goes.
final class PostgresResult {
    private let pointer: OpaquePointer

    /// Nil where there is no answer, for lack of memory or of a connection.
    init?(_ pointer: OpaquePointer?) {
        guard let pointer else { return nil }
        self.pointer = pointer
    }

    deinit {
        PQclear(pointer)
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

    /// The rows, from the binary format.
    /// - Throws: a failure for a column of a type that the schema does not use.
    func rows(of statement: String) throws -> [SQLRow] {
        let columns = PQnfields(pointer)
        return try (0..<PQntuples(pointer)).map { row in
            SQLRow(try (0..<columns).map { try value(row: row, column: $0, of: statement) })
        }
    }

    private func value(row: CInt, column: CInt, of statement: String) throws -> SQLValue {
        if PQgetisnull(pointer, row, column) != 0 { return .null }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(pointer, row, column), count: Int(PQgetlength(pointer, row, column)))
        // The numbers of types are fixed in the server's catalogue, pg_type.dat.
        switch PQftype(pointer, column) {
        case 17: return .blob(Data(bytes))
        // name, text, varchar
        case 19, 25, 1043: return .text(String(decoding: bytes, as: UTF8.self))
        // int8, int2, int4
        case 20, 21, 23: return .integer(integer(bytes))
        // bool
        case 16: return .integer(bytes.first == 0 ? 0 : 1)
        case let type:
            throw PostgresFailure(.giveUp, "PostgreSQL: column \(column + 1) has the type \(type) in \(statement)")
        }
    }

    private func integer(_ bytes: UnsafeRawBufferPointer) -> Int64 {
        let unsigned = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let unused = 64 - 8 * bytes.count
        return Int64(bitPattern: unsigned << unused) >> unused
    }
}
