import CountersignCore
import Foundation

extension SQLTransaction {
    public func presentTime() throws -> Date? {
        guard let query = connection.timeQuery else { return nil }
        return try first(of: "the database's clock", query, []) { try $0.date() }
    }

    public func takesWrites() throws -> Bool { try connection.takesWrites() }
}
