import CountersignCore
import Foundation

extension SQLTransaction {
    public func presentTime() throws -> Date? {
        guard let query = connection.timeQuery, let row = try connection.rows(query, []).first else { return nil }
        var reader = RowReader(row, table: "the database's clock")
        return try reader.date()
    }

    public func takesWrites() throws -> Bool { try connection.takesWrites() }
}
