import CountersignCore
import Foundation

extension OutboxMessage: StoredRow {
    static let table = "outbox_messages"
    static let columns =
        "id, channel, recipient, created_at, attempts, next_attempt_at, delivered_at, sealed_content, user_id"

    init(row: inout RowReader) throws {
        let id = try row.text()
        let name = try row.text()
        guard let channel = Channel(rawValue: name) else { throw row.corrupt("names the unknown channel \(name)") }
        self.init(
            id: id, channel: channel, recipient: try row.text(), createdAt: try row.date(),
            attempts: try row.integer(), nextAttemptAt: try row.date(), deliveredAt: try row.optionalDate(),
            sealedContent: try row.blob(), userID: try row.optionalText().map(UserID.init(rawValue:)))
    }

    var values: [SQLValue] {
        [
            SQLValue(id), SQLValue(channel.rawValue), SQLValue(recipient), SQLValue(createdAt), SQLValue(attempts),
            SQLValue(nextAttemptAt), SQLValue(deliveredAt), SQLValue(sealedContent), SQLValue(userID?.rawValue),
        ]
    }
}

extension SQLTransaction {
    public func insert(_ message: OutboxMessage) throws -> Bool {
        try insert(message, where: nil)
    }

    public func outboxMessages(limit: Int) throws -> [OutboxMessage] {
        let newestFirst: [OutboxMessage] = try select("ORDER BY id DESC LIMIT $1", SQLValue(limit: limit))
        return newestFirst.reversed()
    }

    public func outboxMessages(
        to recipient: String, by channel: OutboxMessage.Channel, createdSince instant: Date, limit: Int
    ) throws -> [OutboxMessage] {
        let newestFirst: [OutboxMessage] = try select(
            "WHERE recipient = $1 AND channel = $2 AND created_at >= $3 ORDER BY created_at DESC, id DESC LIMIT $4",
            SQLValue(recipient), SQLValue(channel.rawValue), SQLValue(instant), SQLValue(limit: limit))
        return newestFirst.reversed()
    }

    public func outboxMessages(
        by channel: OutboxMessage.Channel, dueAt instant: Date, limit: Int
    ) throws -> [OutboxMessage] {
        try select(
            """
            WHERE channel = $1 AND delivered_at IS NULL AND next_attempt_at <= $2 \
            ORDER BY next_attempt_at, id LIMIT $3
            """, SQLValue(channel.rawValue), SQLValue(instant), SQLValue(limit: limit))
    }

    public func countOutboxMessages(waitingFor channel: OutboxMessage.Channel) throws -> Int {
        let statement = "SELECT COUNT(*) FROM outbox_messages WHERE channel = $1 AND delivered_at IS NULL"
        guard let row = try connection.rows(statement, [SQLValue(channel.rawValue)]).first else { return 0 }
        var reader = RowReader(row, table: OutboxMessage.table)
        return try reader.integer()
    }

    public func update(_ message: OutboxMessage, after attempts: Int) throws -> Bool {
        try locks.note(.outbox, message.id)
        return try changes(
            """
            UPDATE outbox_messages SET attempts = $2, next_attempt_at = $3, delivered_at = $4 \
            WHERE id = $1 AND attempts = $5 AND delivered_at IS NULL
            """, SQLValue(message.id), SQLValue(message.attempts), SQLValue(message.nextAttemptAt),
            SQLValue(message.deliveredAt), SQLValue(attempts))
    }

    public func deleteOutboxMessage(_ id: String) throws -> Bool {
        try locks.note(.outbox, id)
        return try changes("DELETE FROM outbox_messages WHERE id = $1", SQLValue(id))
    }

    // Two statements, so that each goes by its own index.
    public func outboxMessages(of user: UserID, recipient: String?, limit: Int) throws -> [OutboxMessage] {
        var messages: [OutboxMessage] = try select(
            "WHERE user_id = $1 ORDER BY id DESC LIMIT $2", SQLValue(user.rawValue), SQLValue(limit: limit))
        if let recipient {
            messages += try select(
                "WHERE recipient = $1 AND user_id IS NULL ORDER BY id DESC LIMIT $2", SQLValue(recipient),
                SQLValue(limit: limit))
        }
        return Array(messages.sorted { $0.id > $1.id }.prefix(max(0, limit)))
    }

    public func assignOutboxMessages(to recipient: String, of user: UserID) throws {
        _ = try changes(
            "UPDATE outbox_messages SET user_id = $2 WHERE recipient = $1 AND user_id IS NULL", SQLValue(recipient),
            SQLValue(user.rawValue))
    }

    public func deleteOutboxMessages(of user: UserID, recipient: String?) throws {
        _ = try changes("DELETE FROM outbox_messages WHERE user_id = $1", SQLValue(user.rawValue))
        guard let recipient else { return }
        _ = try changes(
            "DELETE FROM outbox_messages WHERE recipient = $1 AND user_id IS NULL", SQLValue(recipient))
    }

    public func deleteOutboxMessages(createdBefore instant: Date, limit: Int) throws -> Int {
        try delete(
            OutboxMessage.self, key: "id", "WHERE created_at < $1 ORDER BY created_at", instant, limit: limit)
    }

    public func deleteOutboxMessages(
        by channel: OutboxMessage.Channel, createdBefore instant: Date, limit: Int
    ) throws -> Int {
        try connection.execute(
            """
            DELETE FROM outbox_messages WHERE id IN (SELECT id FROM outbox_messages \
            WHERE channel = $1 AND created_at < $2 ORDER BY created_at LIMIT $3)
            """, [SQLValue(channel.rawValue), SQLValue(instant), SQLValue(limit: limit)])
    }
}
