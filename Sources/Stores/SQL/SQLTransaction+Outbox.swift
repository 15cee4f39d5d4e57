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

private enum Statements {
    static let insertion = OutboxMessage.insertion()
    static let newest = OutboxMessage.selection("ORDER BY id DESC LIMIT $1")
    static let newestTo = OutboxMessage.selection(
        // By the index of the recipient: the one of the channel has the messages to all others, and reads no expression.
        """
        WHERE recipient = $1 AND channel || '' = $2 AND created_at >= $3 \
        ORDER BY created_at DESC, id DESC LIMIT $4
        """)
    static let due = OutboxMessage.selection(
        """
        WHERE channel = $1 AND delivered_at IS NULL AND next_attempt_at <= $2 \
        ORDER BY next_attempt_at, id LIMIT $3
        """)
    static let countWaiting = SQLStatement(
        "SELECT COUNT(*) FROM outbox_messages WHERE channel = $1 AND delivered_at IS NULL")
    static let update = SQLStatement(
        """
        UPDATE outbox_messages SET attempts = $2, next_attempt_at = $3, delivered_at = $4 \
        WHERE id = $1 AND attempts = $5 AND delivered_at IS NULL
        """)
    static let deletion = SQLStatement(
        "DELETE FROM outbox_messages WHERE id = $1 AND attempts = $2 AND delivered_at IS NULL")
    // Two statements, so that each goes by its own index.
    static let ofUser = OutboxMessage.selection("WHERE user_id = $1 ORDER BY id DESC LIMIT $2")
    static let unassigned = OutboxMessage.selection(
        "WHERE recipient = $1 AND user_id IS NULL ORDER BY id DESC LIMIT $2")
    static let assignment = SQLStatement(
        "UPDATE outbox_messages SET user_id = $2 WHERE recipient = $1 AND user_id IS NULL")
    static let deletionOfUser = SQLStatement("DELETE FROM outbox_messages WHERE user_id = $1")
    static let deletionOfUnassigned = SQLStatement(
        "DELETE FROM outbox_messages WHERE recipient = $1 AND user_id IS NULL")
    static let old = OutboxMessage.deletion(key: "id", "WHERE created_at < $1 ORDER BY created_at")
    static let oldOfChannel = SQLStatement(
        """
        DELETE FROM outbox_messages WHERE id IN (SELECT id FROM outbox_messages \
        WHERE channel = $1 AND created_at < $2 ORDER BY created_at LIMIT $3)
        """)
}

extension SQLTransaction {
    public func insert(_ message: OutboxMessage) throws -> Bool {
        try connection.changes(Statements.insertion, message.values)
    }

    public func outboxMessages(limit: Int) throws -> [OutboxMessage] {
        let newestFirst: [OutboxMessage] = try select(Statements.newest, SQLValue(limit: limit))
        return newestFirst.reversed()
    }

    public func outboxMessages(
        to recipient: String, by channel: OutboxMessage.Channel, createdSince instant: Date, limit: Int
    ) throws -> [OutboxMessage] {
        let newestFirst: [OutboxMessage] = try select(
            Statements.newestTo, SQLValue(recipient), SQLValue(channel.rawValue), SQLValue(instant),
            SQLValue(limit: limit))
        return newestFirst.reversed()
    }

    public func outboxMessages(
        by channel: OutboxMessage.Channel, dueAt instant: Date, limit: Int
    ) throws -> [OutboxMessage] {
        try select(Statements.due, SQLValue(channel.rawValue), SQLValue(instant), SQLValue(limit: limit))
    }

    public func countOutboxMessages(waitingFor channel: OutboxMessage.Channel) throws -> Int {
        try first(of: OutboxMessage.table, Statements.countWaiting, [SQLValue(channel.rawValue)]) {
            try $0.integer()
        } ?? 0
    }

    public func update(_ message: OutboxMessage, after attempts: Int) throws -> Bool {
        try locks.note(.outbox, message.id)
        return try changes(
            Statements.update, SQLValue(message.id), SQLValue(message.attempts), SQLValue(message.nextAttemptAt),
            SQLValue(message.deliveredAt), SQLValue(attempts))
    }

    public func deleteOutboxMessage(_ id: String, after attempts: Int) throws -> Bool {
        try locks.note(.outbox, id)
        return try changes(Statements.deletion, SQLValue(id), SQLValue(attempts))
    }

    public func outboxMessages(of user: UserID, recipient: String?, limit: Int) throws -> [OutboxMessage] {
        var messages: [OutboxMessage] = try select(
            Statements.ofUser, SQLValue(user.rawValue), SQLValue(limit: limit))
        if let recipient {
            messages += try select(Statements.unassigned, SQLValue(recipient), SQLValue(limit: limit))
        }
        return Array(messages.sorted { $0.id > $1.id }.prefix(max(0, limit)))
    }

    public func assignOutboxMessages(to recipient: String, of user: UserID) throws {
        try send(Statements.assignment, SQLValue(recipient), SQLValue(user.rawValue))
    }

    public func deleteOutboxMessages(of user: UserID, recipient: String?) throws {
        try send(Statements.deletionOfUser, SQLValue(user.rawValue))
        if let recipient { try send(Statements.deletionOfUnassigned, SQLValue(recipient)) }
    }

    public func deleteOutboxMessages(createdBefore instant: Date, limit: Int) throws -> Int {
        try delete(Statements.old, SQLValue(instant), SQLValue(limit: limit))
    }

    public func deleteOutboxMessages(
        by channel: OutboxMessage.Channel, createdBefore instant: Date, limit: Int
    ) throws -> Int {
        try delete(
            Statements.oldOfChannel, SQLValue(channel.rawValue), SQLValue(instant), SQLValue(limit: limit))
    }
}
