import Foundation

extension RememberingTransaction {
    func insert(_ message: OutboxMessage) throws -> Bool {
        guard try base.insert(message) else { return false }
        notes.inserted(message)
        return true
    }

    func outboxMessages(limit: Int) throws -> [OutboxMessage] { try base.outboxMessages(limit: limit) }

    func outboxMessages(
        to recipient: String, by channel: OutboxMessage.Channel, createdSince instant: Date, limit: Int
    ) throws -> [OutboxMessage] {
        try base.outboxMessages(to: recipient, by: channel, createdSince: instant, limit: limit)
    }

    func outboxArrivals(
        by channel: OutboxMessage.Channel, createdSince instant: Date, limit: Int
    ) throws -> [OutboxArrival] {
        try base.outboxArrivals(by: channel, createdSince: instant, limit: limit)
    }

    func outboxMessages(
        by channel: OutboxMessage.Channel, dueAt instant: Date, limit: Int
    ) throws -> [OutboxMessage] {
        try base.outboxMessages(by: channel, dueAt: instant, limit: limit)
    }

    func countOutboxMessages(waitingFor channel: OutboxMessage.Channel) throws -> Int {
        try base.countOutboxMessages(waitingFor: channel)
    }

    func update(_ message: OutboxMessage, after attempts: Int) throws -> Bool {
        try base.update(message, after: attempts)
    }

    func deleteOutboxMessage(_ id: String, after attempts: Int) throws -> Bool {
        try base.deleteOutboxMessage(id, after: attempts)
    }

    func outboxMessages(of user: UserID, recipient: String?, limit: Int) throws -> [OutboxMessage] {
        try base.outboxMessages(of: user, recipient: recipient, limit: limit)
    }

    func assignOutboxMessages(to recipient: String, of user: UserID) throws {
        try base.assignOutboxMessages(to: recipient, of: user)
    }

    func deleteOutboxMessages(of user: UserID, recipient: String?) throws {
        try base.deleteOutboxMessages(of: user, recipient: recipient)
    }

    func deleteOutboxMessages(createdBefore instant: Date, limit: Int) throws -> Int {
        try base.deleteOutboxMessages(createdBefore: instant, limit: limit)
    }

    func deleteOutboxMessages(
        by channel: OutboxMessage.Channel, createdBefore instant: Date, limit: Int
    ) throws -> Int {
        try base.deleteOutboxMessages(by: channel, createdBefore: instant, limit: limit)
    }
}
