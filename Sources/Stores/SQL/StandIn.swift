import CountersignCore
import Foundation

/// Rows that are read where there are none, so that an attempt at an address without an account takes as long as another. They come
/// from memory, as a statement would be a way to the database more.
enum StandIn {
    private static let user = row(
        User(
            id: UserID(rawValue: String(repeating: "0", count: 28)), email: EmailAddress(kept: "stand.in@example.org"),
            profile: UserProfile(), createdAt: .distantPast))
    private static let password = row(
        FactorRecord(
            id: FactorID(rawValue: String(repeating: "0", count: 28)), userID: .placeholderWithPassword,
            kind: .password, name: "", createdAt: .distantPast, payload: Data(repeating: 0, count: 160)))

    /// Does what reading the row of a user does, beside the statement.
    static func readUser() { read(User.self, user) }

    /// The same for the row of a password.
    static func readPassword() { read(FactorRecord.self, password) }

    private static func row(_ row: some StoredRow) -> SQLRow { SQLRow((try? row.values) ?? []) }

    private static func read<Row: StoredRow>(_ type: Row.Type, _ row: SQLRow) {
        var reader = RowReader(row, table: Row.table)
        _ = try? Row(row: &reader)
    }
}
