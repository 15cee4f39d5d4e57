import Foundation
import Synchronization

/// Delivers what waits in the outbox, by one sender.
///
/// A message is taken by compare-and-set and is this server's for ``lease`` seconds: several servers on one store deliver
/// it once, and one that dies leaves it to the next. No transaction is open while it is sent. Taking it counts as an
/// attempt, so that a message which kills its server does so a limited number of times.
public final class OutboxDelivery: Sendable {
    /// Seconds that a message is left to the server that took it.
    public static let lease: TimeInterval = 120

    private let realm: Realm
    private let sender: any MessageSender
    private let statistics: DeliveryStatistics
    private let note: @Sendable (DeliveryNote) -> Void
    private let state = Mutex(State())

    private struct State {
        var underWay = 0
        /// Whether the last look took as many messages as there was room for: then there may be more.
        var isFull = false
        var isStopped = false
    }

    /// A delivery by this sender, which ``run(lookingEvery:)`` begins.
    /// - Parameter note: is told what happened, for the log of the machine.
    public init(
        realm: Realm, sender: any MessageSender, statistics: DeliveryStatistics = DeliveryStatistics(),
        note: @escaping @Sendable (DeliveryNote) -> Void = { _ in }
    ) {
        self.realm = realm
        self.sender = sender
        self.statistics = statistics
        self.note = note
    }

    // MARK: Running

    /// Delivers until ``stop()``, and returns when nothing is under way any more.
    /// - Parameter pause: between two looks for what other servers put there, and for what is to be tried again. Messages
    ///   of this process ring.
    public func run(lookingEvery pause: Duration = .seconds(2)) async {
        await withDiscardingTaskGroup { group in
            while !state.withLock({ $0.isStopped }), !Task.isCancelled {
                let listening = realm.notifier.listen(to: sender.channel.topic)
                let taken = await takeFreely()
                for message in taken {
                    group.addTask {
                        await self.deliver(message)
                        let mayBeMore = self.state.withLock { state in
                            state.underWay -= 1
                            return state.isFull
                        }
                        // There is room for another.
                        if mayBeMore { self.realm.notifier.notify([self.sender.channel.topic]) }
                    }
                }
                if taken.isEmpty { await listening.wait(upTo: pause) } else { listening.stop() }
            }
        }
    }

    /// Takes nothing more.
    public func stop() {
        state.withLock { $0.isStopped = true }
        realm.notifier.notify([sender.channel.topic])
    }

    /// As many as there is room for.
    private func takeFreely() async -> [OutboxMessage] {
        let room = state.withLock { sender.concurrency - $0.underWay }
        guard room > 0 else { return [] }
        do {
            guard try await sender.isReady() else { return [] }
            let taken = try await take(room)
            state.withLock { state in
                state.underWay += taken.count
                state.isFull = taken.count == room
            }
            return taken
        } catch {
            if !Task.isCancelled { note(.trouble(error)) }
            return []
        }
    }

    /// Delivers what is due now, one batch, and answers how many messages that were.
    @discardableResult
    public func deliverDue() async throws -> Int {
        guard try await sender.isReady() else { return 0 }
        let taken = try await take(sender.concurrency)
        await withDiscardingTaskGroup { group in
            for message in taken { group.addTask { await self.deliver(message) } }
        }
        return taken.count
    }

    // MARK: One message

    private func take(_ limit: Int) async throws -> [OutboxMessage] {
        let (now, channel) = (realm.clock.now, sender.channel)
        // Nothing is written where nothing is due.
        guard try await realm.store.read({ try !$0.outboxMessages(by: channel, dueAt: now, limit: 1).isEmpty }) else {
            return []
        }
        return try await realm.store.write { transaction in
            let due = try transaction.outboxMessages(by: channel, dueAt: now, limit: limit)
            var taken: [String: OutboxMessage] = [:]
            // In the order in which all transactions lock rows.
            for message in due.sorted(by: { $0.id < $1.id }) {
                var own = message
                own.attempts += 1
                own.nextAttemptAt = now + Self.lease
                if try transaction.update(own, after: message.attempts) { taken[own.id] = own }
            }
            return due.compactMap { taken[$0.id] }
        }
    }

    private func deliver(_ message: OutboxMessage) async {
        let sealer = realm.sealer
        let opened: OpenedMessage
        do {
            opened = try await sealer.keys.retrying { try OpenedMessage(message, with: sealer) }
        } catch let error as SealingError where error.missingKey != nil {
            return await settle(message, nil, .postponed(reason: "master-key-missing"))
        } catch {
            return await settle(message, nil, .refused(reason: "unreadable"), isGivenUp: true)
        }
        if expiry(of: message, opened.content) <= realm.clock.now {
            // A request that is over needs no push; the device never had to hear of it.
            let isNeedless = message.channel == .push && message.attempts == 1
            return await settle(
                message, opened.content, isNeedless ? .leftToRecipient : .refused(reason: "expired"), isGivenUp: true)
        }
        await settle(message, opened.content, await sender.send(opened))
    }

    private func expiry(of message: OutboxMessage, _ content: OutboxContent?) -> Date {
        content?.expiresAt ?? message.createdAt + sender.retries.lifetime
    }

    // MARK: Afterwards

    private func settle(
        _ message: OutboxMessage, _ content: OutboxContent?, _ result: DeliveryResult, isGivenUp: Bool = false
    ) async {
        let now = realm.clock.now
        var (result, isGivenUp) = (result, isGivenUp)
        var next = now
        if case .postponed(let reason, let after) = result {
            let jitter = Double(realm.random.bytes(1)[0]) / 255
            next = now + max(sender.retries.pause(afterAttempts: message.attempts, jitter: jitter), after ?? 0)
            if message.attempts >= sender.retries.maximumAttempts || next >= expiry(of: message, content) {
                (result, isGivenUp) = (.refused(reason: reason), true)
            }
        }
        guard await write(message, content, result, now: now, next: next) else { return }
        switch result {
        case .delivered:
            statistics.count(message.channel) { $0.delivered += 1 }
            note(.delivered(message))
        case .leftToRecipient: break
        case .postponed(let reason, _):
            statistics.count(message.channel) { $0.postponed += 1 }
            note(.postponed(message, reason: reason, seconds: next.timeIntervalSince(now)))
        case .refused(let reason):
            statistics.count(message.channel) { $0.failed += 1 }
            note(.failed(message, reason: reason, isGivenUp: isGivenUp))
        }
    }

    /// Times that the result is written, where the store does not answer. Then the message is delivered again.
    private static let settlingTries = 5

    /// False where another server has taken the message, or its user was deleted.
    private func write(
        _ message: OutboxMessage, _ content: OutboxContent?, _ result: DeliveryResult, now: Date, next: Date
    ) async -> Bool {
        var settled = message
        var event: AuditEvent?
        var isOver = true
        switch result {
        case .delivered:
            settled.deliveredAt = now
            if message.channel == .logout { event = self.event(.logoutSent, message, content, reason: nil, at: now) }
        case .leftToRecipient: settled.deliveredAt = now
        case .postponed:
            settled.nextAttemptAt = next
            isOver = false
        case .refused(let reason):
            settled.deliveredAt = now
            event = self.event(Self.failure(of: message.channel), message, content, reason: reason, at: now)
        }
        // A device may still ask for what was pushed; a mail is needed no more, and holds links and codes.
        let isKept =
            message.channel == .push || message.channel != .logout && realm.mode.keepsDeliveredMessages
        let isRemoved = isOver && !isKept
        let (final, failure) = (settled, event)
        for attempt in 1...Self.settlingTries {
            do {
                return try await realm.store.write { transaction in
                    guard try transaction.update(final, after: final.attempts) else { return false }
                    if isRemoved { _ = try transaction.deleteOutboxMessage(final.id) }
                    if let failure { try transaction.append(failure) }
                    return true
                }
            } catch {
                note(.trouble(error))
                if attempt < Self.settlingTries { try? await Task.sleep(for: .seconds(attempt)) }
            }
        }
        return false
    }

    private static func failure(of channel: OutboxMessage.Channel) -> AuditEvent.Kind {
        channel == .push ? .pushFailed : channel == .logout ? .logoutFailed : .mailFailed
    }

    private func event(
        _ kind: AuditEvent.Kind, _ message: OutboxMessage, _ content: OutboxContent?, reason: String?, at now: Date
    ) -> AuditEvent {
        var details: [String: JSONValue] = [
            "message": .string(message.id), "attempts": .integer(Int64(message.attempts)),
        ]
        details["template"] = content.map { .string($0.template) }
        let ended = content?.endedSession
        if message.channel == .push { details["factor"] = .string(message.recipient) }
        if message.channel == .logout {
            details["application"] = .string(message.recipient)
            details["session"] = ended?.session.map { .string($0.rawValue) }
        }
        return AuditEvent(
            id: AuditEvent.freshID(at: now, random: realm.random), at: now, kind: kind,
            userID: message.userID ?? ended?.user, clientID: nil, dialect: nil, source: nil, reason: reason,
            details: details)
    }
}

extension AuditEvent.Kind {
    /// An application was told that a session ended.
    public static let logoutSent = Self(rawValue: "backchannel-logout.sent")
    /// An application could not be told.
    public static let logoutFailed = Self(rawValue: "backchannel-logout.failed")
}

extension OutboxMessage.Channel {
    /// Rings when a message was committed.
    var topic: String { "outbox/\(rawValue)" }
}

extension Realm {
    /// A write that may put messages into the outbox: the delivery is notified after the commit.
    func writeSending<T: Sendable>(
        by channels: OutboxMessage.Channel..., body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        let result = try await store.write(body)
        notifier.notify(Set((channels.isEmpty ? [.email] : channels).map(\.topic)))
        return result
    }
}
