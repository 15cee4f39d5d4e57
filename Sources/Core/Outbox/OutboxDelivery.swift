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
        /// Whether there was anywhere to send to when the sender was last asked.
        var isReady = true
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
    ///   of this process wake it.
    public func run(lookingEvery pause: Duration = .seconds(2)) async {
        let listening = realm.notifier.listen(to: sender.channel.topic)
        defer { listening.stop() }
        // A stop from here on wakes the loop.
        guard !isStopped else { return }
        // Ends with this function.
        async let _ = look(every: pause)
        await withDiscardingTaskGroup { group in
            for await _ in listening.notifications {
                if isStopped { return }
                for message in await takeFreely() {
                    group.addTask { await self.deliver(onFrom: message) }
                }
            }
        }
    }

    /// Takes nothing more.
    public func stop() {
        state.withLock { $0.isStopped = true }
        wake()
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func wake() { realm.notifier.notify([sender.channel.topic]) }

    /// Wakes the loop where something is due, until it is cancelled. It only reads: where nothing is due, nothing is written. A sender that had
    /// nowhere to send to is asked here again, and not for each message.
    private func look(every pause: Duration) async {
        repeat {
            do {
                if try await isReady(), try await isAnyDue() { wake() }
            } catch {
                if !Task.isCancelled { note(.trouble(error)) }
            }
        } while (try? await Task.sleep(for: pause)) != nil
    }

    private func isReady() async throws -> Bool {
        let isReady = try await sender.isReady()
        state.withLock { $0.isReady = isReady }
        return isReady
    }

    private func isAnyDue() async throws -> Bool {
        let (now, channel) = (realm.clock.now, sender.channel)
        return try await realm.store.read { try !$0.outboxMessages(by: channel, dueAt: now, limit: 1).isEmpty }
    }

    /// As many as there is room for.
    private func takeFreely() async -> [OutboxMessage] {
        let room = state.withLock { $0.isReady ? sender.concurrency - $0.underWay : 0 }
        guard room > 0 else { return [] }
        do {
            guard try await isReady() else { return [] }
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

    /// Delivers a message, and as long as there may be more, each that was taken with the end of the one before.
    private func deliver(onFrom first: OutboxMessage) async {
        var next: OutboxMessage? = first
        while let message = next { next = await deliver(message, takingNext: true) }
        let mayBeMore = state.withLock { state in
            state.underWay -= 1
            return state.isFull
        }
        // There is room for another.
        if mayBeMore { wake() }
    }

    /// Whether a delivery that ends is to take the next message: others wait, and there is somewhere to send to.
    private func takesAnother() async -> Bool {
        guard state.withLock({ $0.isFull && !$0.isStopped }) else { return false }
        return (try? await isReady()) ?? false
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
        return try await realm.store.write { transaction in
            let due = try transaction.outboxMessages(by: channel, dueAt: now, limit: limit)
            var taken: [String: OutboxMessage] = [:]
            // In the order in which all transactions lock rows.
            for message in due.sorted(by: { $0.id < $1.id }) {
                taken[message.id] = try message.taken(at: now, in: transaction)
            }
            return due.compactMap { taken[$0.id] }
        }
    }

    /// - Parameter takesNext: whether the next message is taken with the end of this one, where others wait.
    /// - Returns: the next, taken.
    @discardableResult
    private func deliver(_ message: OutboxMessage, takingNext takesNext: Bool = false) async -> OutboxMessage? {
        let delivered = await send(message)
        let takesAnother = takesNext ? await takesAnother() : false
        return await settle(message, delivered, takingNext: takesAnother)
    }

    /// What became of a message, as far as sending says.
    private struct Delivered {
        /// Nil where it could not be opened.
        var content: OutboxContent?
        var result: DeliveryResult
        /// Whether it is our end of trying, and no refusal of the receiving side.
        var isGivenUp = false
    }

    private func send(_ message: OutboxMessage) async -> Delivered {
        let sealer = realm.sealer
        let opened: OpenedMessage
        do {
            opened = try await sealer.keys.retrying { try OpenedMessage(message, with: sealer) }
        } catch let error as SealingError where error.missingKey != nil {
            return Delivered(result: .postponed(reason: "master-key-missing"))
        } catch {
            return Delivered(result: .refused(reason: "unreadable"), isGivenUp: true)
        }
        if expiry(of: message, opened.content) <= realm.clock.now {
            // A request that is over needs no push; the device never had to hear of it.
            let isNeedless = message.channel == .push && message.attempts == 1
            return Delivered(
                content: opened.content, result: isNeedless ? .leftToRecipient : .refused(reason: "expired"),
                isGivenUp: true)
        }
        return Delivered(content: opened.content, result: await sender.send(opened))
    }

    private func expiry(of message: OutboxMessage, _ content: OutboxContent?) -> Date {
        content?.expiresAt ?? message.createdAt + sender.retries.lifetime
    }

    // MARK: Afterwards

    /// Writes down what became of a message.
    /// - Returns: the next, where one was to be taken and is due.
    private func settle(
        _ message: OutboxMessage, _ delivered: Delivered, takingNext takesNext: Bool
    ) async -> OutboxMessage? {
        let now = realm.clock.now
        var delivered = delivered
        var next = now
        if case .postponed(let reason, let after) = delivered.result {
            let jitter = Double(realm.random.bytes(1)[0]) / 255
            next = now + max(sender.retries.pause(afterAttempts: message.attempts, jitter: jitter), after ?? 0)
            if message.attempts >= sender.retries.maximumAttempts || next >= expiry(of: message, delivered.content) {
                delivered.result = .refused(reason: reason)
                delivered.isGivenUp = true
            }
        }
        let written = await write(
            ending(message, delivered.content, delivered.result, at: now, next: next), takingNext: takesNext, at: now)
        guard written.isOwn else { return written.next }
        switch delivered.result {
        case .delivered:
            statistics.count(message.channel) { $0.delivered += 1 }
            note(.delivered(message))
        case .leftToRecipient: break
        case .postponed(let reason, _):
            statistics.count(message.channel) { $0.postponed += 1 }
            note(.postponed(message, reason: reason, seconds: next.timeIntervalSince(now)))
        case .refused(let reason):
            statistics.count(message.channel) { $0.failed += 1 }
            note(.failed(message, reason: reason, isGivenUp: delivered.isGivenUp))
        }
        return written.next
    }

    /// Times that the result is written, where the store does not answer. Then the message is delivered again.
    private static let settlingTries = 5

    /// What is written of a message that was sent, or could not be.
    private struct Ending: Sendable {
        var message: OutboxMessage
        /// Whether the row goes.
        var isRemoved: Bool
        var event: AuditEvent?

        /// False where another server has taken the message, or its user was deleted.
        func write(in transaction: any StoreTransaction) throws -> Bool {
            isRemoved
                ? try transaction.deleteOutboxMessage(message.id, after: message.attempts)
                : try transaction.update(message, after: message.attempts)
        }
    }

    private func ending(
        _ message: OutboxMessage, _ content: OutboxContent?, _ result: DeliveryResult, at now: Date, next: Date
    ) -> Ending {
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
        return Ending(message: settled, isRemoved: isOver && !isKept, event: event)
    }

    /// - Returns: whether the ending counts, as no other server has taken the message and its user is still there; and the message that was
    ///   taken with it.
    private func write(
        _ ending: Ending, takingNext takesNext: Bool, at now: Date
    ) async -> (isOwn: Bool, next: OutboxMessage?) {
        let channel = sender.channel
        for attempt in 1...Self.settlingTries {
            do {
                return try await realm.store.write { transaction in
                    // The row of this message is not looked at: once its time is up, it would be the next.
                    let due = takesNext ? try transaction.outboxMessages(by: channel, dueAt: now, limit: 2) : []
                    let next = due.first { $0.id != ending.message.id }
                    var taken: OutboxMessage?
                    // In the order in which all transactions lock rows.
                    if let next, next.id < ending.message.id { taken = try next.taken(at: now, in: transaction) }
                    let isOwn = try ending.write(in: transaction)
                    if let next, next.id > ending.message.id { taken = try next.taken(at: now, in: transaction) }
                    if isOwn, let event = ending.event { try transaction.append(event) }
                    return (isOwn, taken)
                }
            } catch {
                note(.trouble(error))
                if attempt < Self.settlingTries { try? await Task.sleep(for: .seconds(attempt)) }
            }
        }
        return (false, nil)
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

extension OutboxMessage {
    /// Takes the message for this server: for a while, and counted as an attempt.
    /// - Returns: nil where another has taken it meanwhile.
    fileprivate func taken(at now: Date, in transaction: any StoreTransaction) throws -> OutboxMessage? {
        var own = self
        own.attempts += 1
        own.nextAttemptAt = now + OutboxDelivery.lease
        return try transaction.update(own, after: attempts) ? own : nil
    }
}
