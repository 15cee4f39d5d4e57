import CountersignCore
import Foundation

/// Reads the columns of one row, from left to right.
///
/// A value of another kind than asked for is a `StoreError` of code `corrupt` that names the table and the row, never a
/// trap: rows outlive the program that wrote them.
struct RowReader {
    let table: String
    private let columns: any SQLColumns
    private var position: Int

    /// - Parameter first: the column that it begins with.
    init(_ columns: any SQLColumns, table: String, from first: Int = 0) {
        position = first
        self.table = table
        self.columns = columns
    }

    mutating func text() throws -> String {
        try optionalText() ?? missing()
    }

    mutating func optionalText() throws -> String? {
        try next(or: "is no text") { try $0.text($1) }
    }

    mutating func integer() throws -> Int {
        guard let number = try optionalInteger() else { return try missing() }
        guard let result = Int(exactly: number) else { throw corrupt("is beyond the range of integers") }
        return result
    }

    mutating func flag() throws -> Bool {
        try integer() != 0
    }

    mutating func date() throws -> Date {
        try optionalDate() ?? missing()
    }

    mutating func optionalDate() throws -> Date? {
        try optionalInteger().map(Date.init(microseconds:))
    }

    mutating func blob() throws -> Data {
        try optionalBlob() ?? missing()
    }

    mutating func optionalBlob() throws -> Data? {
        try next(or: "is no blob") { try $0.blob($1) }
    }

    /// Passes over a column.
    mutating func skip() {
        position += 1
    }

    mutating func document<T: StoredJSON>(_ type: T.Type = T.self) throws -> T {
        try optionalDocument() ?? missing()
    }

    mutating func optionalDocument<T: StoredJSON>(_ type: T.Type = T.self) throws -> T? {
        guard let text = try optionalText() else { return nil }
        do {
            return try Document.decode(type, from: text)
        } catch {
            throw corrupt("is no readable document: \(error)")
        }
    }

    /// A document of a type of which there are few, that are read often.
    mutating func document<T: StoredJSON>(
        of id: String, knownFrom known: DecodedDocuments<T>
    ) throws -> OneReference<T> {
        let text = try text()
        do {
            return try known.decoded(text, of: id)
        } catch {
            throw corrupt("is no readable document: \(error)")
        }
    }

    /// What to throw about the column read last.
    func corrupt(_ what: String) -> StoreError {
        StoreError(.corrupt, "\(table) \(id): column \(position) \(what)")
    }

    /// The key of a row is its first column.
    private var id: String {
        switch columns.count > 0 ? try? columns.value(0) : nil {
        case .text(let text): text
        case .blob(let bytes): bytes.hex
        case .integer(let number): String(number)
        case .null, nil: "without a key"
        }
    }

    mutating func optionalInteger() throws -> Int64? {
        try next(or: "is no integer") { try $0.integer($1) }
    }

    private mutating func next<T>(or complaint: String, _ read: (any SQLColumns, Int) throws -> T?) throws -> T? {
        guard position < columns.count else { throw corrupt("is followed by none") }
        position += 1
        do {
            return try read(columns, position - 1)
        } catch is SQLKindMismatch {
            throw corrupt(complaint)
        }
    }

    private func missing<T>() throws -> T {
        throw corrupt("is null")
    }
}
