import CountersignCore
import Foundation

extension SQLTransaction {
    public func outboxArrivals(
        by channel: OutboxMessage.Channel, createdSince instant: Date, limit: Int
    ) throws -> [OutboxArrival] {
        try connection.rows(
            """
            SELECT id, recipient FROM outbox_messages WHERE channel = $1 AND created_at >= $2 \
            ORDER BY created_at DESC LIMIT $3
            """, [SQLValue(channel.rawValue), SQLValue(instant), SQLValue(limit: limit)]
        ).map { row in
            var reader = RowReader(row, table: OutboxMessage.table)
            return OutboxArrival(id: try reader.text(), recipient: try reader.text())
        }
    }
}
