import CountersignCore
import Foundation

/// Rows that are read where there are none, so that an attempt at an address without an account takes as long as another. They come
/// from memory, as a statement would be a way to the database more.
enum StandIn {
    private static let user = row(
        User(
            id: UserID(rawValue: String(repeating: "0", count: 28)), email: EmailAddress(kept: "stand.in@example.org"),
            profile: UserProfile(emailVerified: true, providers: ["password"]), createdAt: .distantPast))
    private static let password = row(
        FactorRecord(
            id: FactorID(rawValue: String(repeating: "0", count: 28)), userID: .placeholderWithPassword,
            kind: .password, name: "", createdAt: .distantPast, payload: Data(repeating: 0, count: 160)))

    /// Does what reading the row of a user does, beside the statement.
    static func readUser() { read(User.self, user) }

    /// The same for the row of a password.
    static func readPassword() { read(FactorRecord.self, password) }

    private static func row(_ row: some StoredRow) -> CopiedRow { CopiedRow(SQLRow((try? row.values) ?? [])) }

    private static func read<Row: StoredRow>(_ type: Row.Type, _ row: CopiedRow) {
        var reader = RowReader(row, table: Row.table)
        do { _ = try Row(row: &reader) } catch { assertionFailure("\(Row.table): \(error)") }
    }
}

/// A row whose texts and blobs are made anew at each look, as those of a statement are.
private struct CopiedRow: SQLColumns {
    private let row: SQLRow
    private let bytes: [[UInt8]]

    init(_ row: SQLRow) {
        self.row = row
        bytes = row.values.map { value in
            switch value {
            case .null, .integer: []
            case .text(let text): Array(text.utf8)
            case .blob(let blob): Array(blob)
            }
        }
    }

    var count: Int { row.count }

    func integer(_ column: Int) throws -> Int64? { try row.integer(column) }

    func text(_ column: Int) throws -> String? {
        guard try row.text(column) != nil else { return nil }
        return bytes[column].withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    func blob(_ column: Int) throws -> Data? {
        guard try row.blob(column) != nil else { return nil }
        return Data(bytes[column])
    }

    func value(_ column: Int) throws -> SQLValue { try row.value(column) }
}
