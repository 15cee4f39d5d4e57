import CountersignCore
import Foundation

private let arrivals = SQLStatement(
    """
    SELECT id, recipient FROM outbox_messages WHERE channel = $1 AND created_at >= $2 \
    ORDER BY created_at DESC LIMIT $3
    """)

extension SQLTransaction {
    public func outboxArrivals(
        by channel: OutboxMessage.Channel, createdSince instant: Date, limit: Int
    ) throws -> [OutboxArrival] {
        var found: [OutboxArrival] = []
        try connection.query(
            arrivals, [SQLValue(channel.rawValue), SQLValue(instant), SQLValue(limit: limit)]
        ) { columns in
            var reader = RowReader(columns, table: OutboxMessage.table)
            found.append(OutboxArrival(id: try reader.text(), recipient: try reader.text()))
        }
        return found
    }
}
