import Foundation
import GRDBSQLite
import StoreSQL

/// A statement that SQLite has prepared, with its parameters and, while it runs, the row at hand.
final class PreparedStatement {
    let pointer: OpaquePointer
    private(set) var isRunning = true
    /// Where texts and blobs lie while the statement runs: SQLite is told where, and copies none.
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// Memory beyond this is given back after each run.
    private static let keptMemory = 16 << 10

    /// - Parameter pointer: of a statement that nothing else finalizes. It counts as running.
    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        sqlite3_finalize(pointer)
        memory.deallocate()
    }

    func started() -> PreparedStatement {
        isRunning = true
        return self
    }

    /// Ends the run, whether or not all rows were read. Nothing of the parameters remains.
    func finish() {
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
        if memory.count > Self.keptMemory { takeMemory(0) }
        isRunning = false
    }

    /// - Returns: SQLite's result code; `SQLITE_RANGE` where the statement has another number of parameters.
    func bind(_ values: [SQLValue]) -> CInt {
        guard Int(sqlite3_bind_parameter_count(pointer)) == values.count else { return SQLITE_RANGE }
        let size = values.reduce(0) { $0 + $1.size }
        // An empty blob without an address would be NULL.
        if size >= memory.count { takeMemory(max(size + 1, 256)) }
        var used = 0
        var place: CInt = 0
        for value in values {
            place += 1
            let code =
                switch value {
                case .null: SQLITE_OK
                case .integer(let number): sqlite3_bind_int64(pointer, place, number)
                case .text(let text): bind(text, at: place, &used)
                case .blob(let bytes): bind(bytes, at: place, &used)
                }
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }

    private func bind(_ text: String, at place: CInt, _ used: inout Int) -> CInt {
        var text = text
        return text.withUTF8 { bytes in
            let copy = keep(UnsafeRawBufferPointer(bytes), &used)
            return sqlite3_bind_text(
                pointer, place, copy?.assumingMemoryBound(to: CChar.self), CInt(clamping: bytes.count), nil)
        }
    }

    private func bind(_ blob: Data, at place: CInt, _ used: inout Int) -> CInt {
        blob.withUnsafeBytes { bytes in
            sqlite3_bind_blob(pointer, place, keep(bytes, &used), CInt(clamping: bytes.count), nil)
        }
    }

    /// Copies bytes behind those that are in use.
    /// - Returns: where they lie, also where they are none. Nil only without memory, which ``bind(_:)`` takes before.
    private func keep(_ bytes: UnsafeRawBufferPointer, _ used: inout Int) -> UnsafeMutableRawPointer? {
        precondition(used + bytes.count <= memory.count, "more memory is needed than the values have bytes")
        let copy = memory.baseAddress.map { $0 + used }
        if let start = bytes.baseAddress { copy?.copyMemory(from: start, byteCount: bytes.count) }
        used += bytes.count
        return copy
    }

    private func takeMemory(_ size: Int) {
        memory.deallocate()
        memory = size == 0 ? .init(start: nil, count: 0) : .allocate(byteCount: size, alignment: 1)
    }
}

extension PreparedStatement: SQLColumns {
    var count: Int { Int(sqlite3_column_count(pointer)) }

    func integer(_ column: Int) throws -> Int64? {
        switch sqlite3_column_type(pointer, CInt(column)) {
        case SQLITE_INTEGER: sqlite3_column_int64(pointer, CInt(column))
        case SQLITE_NULL: nil
        default: throw SQLKindMismatch()
        }
    }

    func text(_ column: Int) throws -> String? {
        switch sqlite3_column_type(pointer, CInt(column)) {
        case SQLITE_TEXT: text(at: CInt(column))
        case SQLITE_NULL: nil
        default: throw SQLKindMismatch()
        }
    }

    func blob(_ column: Int) throws -> Data? {
        switch sqlite3_column_type(pointer, CInt(column)) {
        case SQLITE_BLOB: blob(at: CInt(column))
        case SQLITE_NULL: nil
        default: throw SQLKindMismatch()
        }
    }

    func value(_ column: Int) throws -> SQLValue {
        let column = CInt(column)
        return switch sqlite3_column_type(pointer, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(pointer, column))
        case SQLITE_BLOB: .blob(blob(at: column))
        // No column holds real numbers, and STRICT tables keep them out; as a text a reader will say that it is no integer.
        default: .text(text(at: column))
        }
    }

    // The address comes before the length: asking for the text may convert it.
    private func text(at column: CInt) -> String {
        let start = sqlite3_column_text(pointer, column)
        return String(
            decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column))),
            as: UTF8.self)
    }

    private func blob(at column: CInt) -> Data {
        guard let start = sqlite3_column_blob(pointer, column) else { return Data() }
        return Data(bytes: start, count: Int(sqlite3_column_bytes(pointer, column)))
    }
}

extension SQLValue {
    /// Bytes of a text or blob.
    fileprivate var size: Int {
        switch self {
        case .null, .integer: 0
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        }
    }
}
