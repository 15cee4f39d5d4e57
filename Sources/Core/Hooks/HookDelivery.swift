import Foundation
import Synchronization

/// Carries the log to the hooks (`docs/decisions/0352`).
///
/// The log is the outbox: a hook has a cursor in it, and nothing is written when something happens. One server at a time works for a
/// hook, which it takes by compare-and-set for ``lease`` seconds; one that dies leaves it to the next. So each event comes at least once,
/// with the same id each time, and the events of one user come in the order of the log.
public final class HookDelivery: Sendable {
    /// Seconds that a hook is left to the server that took it.
    public static let lease: TimeInterval = 120
    /// Seconds of a round after which no further call begins.
    static let roundTime: TimeInterval = 60
    /// Users whose events go out at the same time.
    static let lanes = 8
    /// Rows of the log that are read at a time, and how often in a round.
    static let (page, pages) = (500, 4)
    /// Seconds after which a cursor is moved on although nothing came.
    static let idle: TimeInterval = 600
    static let topic = "hooks"

    /// What happened, for the log of the machine.
    public enum Note: Sendable {
        /// Something failed, and is tried again in so many seconds.
        case postponed(hook: String, reason: String, seconds: Double)
        /// An event was refused again and again, and the hook is not told of it.
        case givenUp(hook: String, event: String, reason: String)
        /// The server disabled a hook; the reason is ``HookProgress/disabledBecause``.
        case disabled(hook: String, reason: String)
        /// The store did not answer; delivery goes on later.
        case trouble(any Error)
    }

    /// How the hooks fare, as of the last look.
    public struct Standing: Sendable, Equatable {
        /// Hooks that are enabled.
        public var enabled = 0
        /// Those that nothing can be delivered to.
        public var failing = 0
        /// Those that the server disabled.
        public var disabled = 0
        /// Seconds of the log that the slowest enabled hook has still to come.
        public var lag: TimeInterval = 0
    }

    private struct State {
        var underWay: Set<String> = []
        var isStopped = false
        var counts = DeliveryStatistics.Counts()
        var standing = Standing()
    }

    private let realm: Realm
    private let note: @Sendable (Note) -> Void
    private let state = Mutex(State())

    /// A delivery that ``run(lookingEvery:)`` begins.
    /// - Parameter note: is told what happened, for the log of the machine.
    public init(realm: Realm, note: @escaping @Sendable (Note) -> Void = { _ in }) {
        self.realm = realm
        self.note = note
    }

    /// What became of events since this process began.
    public var counts: DeliveryStatistics.Counts { state.withLock { $0.counts } }
    /// How the hooks fare, as of this process's last look.
    public var standing: Standing { state.withLock { $0.standing } }

    // MARK: Running

    /// Delivers until ``stop()``, and returns when nothing is under way any more.
    ///
    /// No write wakes it: an event waits until what is a moment earlier has come before it (`HookRound.pause`).
    /// - Parameter pause: between two looks for what has happened. A round that was full wakes it before.
    public func run(lookingEvery pause: Duration = .seconds(2)) async {
        let listening = realm.notifier.listen(to: Self.topic)
        defer { listening.stop() }
        // A stop from here on wakes the loop.
        guard !isStopped else { return }
        // Ends with this function.
        async let _ = wake(every: pause)
        await withDiscardingTaskGroup { group in
            for await _ in listening.notifications {
                if isStopped { return }
                for hook in await look() {
                    group.addTask {
                        let mayBeMore = await self.carry(hook)
                        self.state.withLock { _ = $0.underWay.remove(hook.id) }
                        if mayBeMore { self.wake() }
                    }
                }
            }
        }
    }

    /// Begins no call any more.
    public func stop() {
        state.withLock { $0.isStopped = true }
        wake()
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func wake() { realm.notifier.notify([Self.topic]) }

    /// Wakes the loop until it is cancelled. A look is a read, and takes what is due alone.
    private func wake(every pause: Duration) async {
        repeat { wake() } while (try? await Task.sleep(for: pause)) != nil
    }

    /// One round for every hook. Answers how many events were delivered.
    @discardableResult
    public func deliverDue() async -> Int {
        let before = counts.delivered
        for hook in await look() {
            _ = await carry(hook)
            state.withLock { _ = $0.underWay.remove(hook.id) }
        }
        return counts.delivered - before
    }

    /// The hooks whose round is due and that this process does not work for at the moment.
    private func look() async -> [EventHook] {
        do {
            let (hooks, now) = try await realm.store.read { [clock = realm.clock] transaction in
                let hooks = try transaction.eventHooks()
                return (hooks, hooks.isEmpty ? clock.now : try transaction.sharedTime(clock))
            }
            return state.withLock { state in
                state.standing = Standing(hooks, at: now)
                let due = hooks.filter { $0.isDue(at: now) && !state.underWay.contains($0.id) }
                state.underWay.formUnion(due.map(\.id))
                return due
            }
        } catch {
            if !Task.isCancelled { note(.trouble(error)) }
            return []
        }
    }

    // MARK: One round

    /// - Returns: whether there may be more to deliver at once.
    private func carry(_ hook: EventHook) async -> Bool {
        do {
            let holder = realm.random.string(16, of: .alphanumeric)
            guard let round = try await take(hook, for: holder) else { return false }
            let secrets = try await realm.hookSecrets(of: hook.id)
            let replies = await deliver(round, to: hook, secrets: secrets)
            return try await settle(round, replies, of: hook.id, holder)
        } catch is CancellationError {
            return false
        } catch {
            note(.trouble(error))
            return false
        }
    }

    /// Takes a hook that has something to deliver; nil where there is nothing, or another server has it.
    private func take(_ hook: EventHook, for holder: String) async throws -> HookRound? {
        let clock = realm.clock
        let (round, now) = try await realm.store.read { transaction in
            let now = try transaction.sharedTime(clock)
            var log: [AuditEvent] = []
            for _ in 0..<Self.pages {
                let next = try transaction.auditEvents(
                    after: log.last?.id ?? hook.progress.cursor, before: HookRound.end(at: now), limit: Self.page)
                log += next
                if next.count < Self.page { break }
            }
            return (HookRound(log, limit: Self.page * Self.pages, of: hook, at: now), now)
        }
        let isBehind = !round.isWhole || hook.progress.cursor < AuditBound.bound(now - Self.idle).id
        guard !round.events.isEmpty || isBehind else { return nil }
        let isTaken = try await realm.store.write { transaction in
            var own = hook
            own.progress.holder = holder
            own.progress.leasedUntil = now + Self.lease
            return try transaction.update(own)
        }
        return isTaken ? round : nil
    }

    /// Calls the service: some users' events side by side, one user's one after the other. What follows a failure waits.
    private func deliver(
        _ round: HookRound, to hook: EventHook, secrets: [HookSecret]
    ) async -> [String: HookReply] {
        let (clock, caller, url) = (realm.clock, realm.hookCaller, hook.registration.url)
        let end = ContinuousClock.now + .seconds(Self.roundTime)
        let isOver = { @Sendable [self] in ContinuousClock.now >= end || isStopped }
        return await withTaskGroup(of: [String: HookReply].self) { group in
            var waiting = round.lanes[...]
            var replies: [String: HookReply] = [:]
            func begin() {
                guard let lane = waiting.popFirst() else { return }
                group.addTask {
                    var replies: [String: HookReply] = [:]
                    for event in lane where !isOver() {
                        let message = HookMessage(event)
                        // Nothing goes out unsigned.
                        let reply =
                            secrets.isEmpty
                            ? .failed("no-secret")
                            : await caller.post(
                                HookCall(
                                    url: url, body: message.body,
                                    headers: message.headers(at: clock.now, secrets: secrets)))
                        replies[event.id] = reply
                        if !reply.isDelivered { break }
                    }
                    return replies
                }
            }
            for _ in 0..<Self.lanes { begin() }
            while let next = await group.next() {
                replies.merge(next) { $1 }
                begin()
            }
            return replies
        }
    }

    /// Times that the result is written, where the store does not answer. Then the events are delivered again.
    private static let settlingTries = 5

    private func settle(
        _ round: HookRound, _ replies: [String: HookReply], of id: String, _ holder: String
    ) async throws -> Bool {
        let clock = realm.clock
        let jitter = Double(realm.random.bytes(1)[0]) / 255
        let eventIDs = (0...round.events.count).map { _ in AuditEvent.freshID(at: clock.now, random: realm.random) }
        for attempt in 1...Self.settlingTries {
            do {
                let settled = try await realm.store.write { transaction -> (HookRound.Outcome, EventHook)? in
                    let now = try transaction.sharedTime(clock)
                    // Another server has taken it, or it is gone.
                    guard var hook = try transaction.eventHook(id), hook.progress.holder == holder else { return nil }
                    let outcome = round.outcome(of: replies, for: hook.progress, at: now, jitter: jitter)
                    hook.progress = outcome.progress
                    hook.progress.holder = nil
                    hook.progress.leasedUntil = nil
                    if let reason = outcome.disabledBecause {
                        hook.registration.isEnabled = false
                        hook.progress.disabledBecause = reason
                    }
                    guard try transaction.update(hook) else { return nil }
                    for (eventID, given) in zip(eventIDs, outcome.givenUp) {
                        try transaction.append(hook.failure(of: given.event, given.reason, id: eventID, at: now))
                    }
                    if let reason = outcome.disabledBecause, let eventID = eventIDs.last {
                        try transaction.append(hook.disabling(reason, id: eventID, at: now))
                    }
                    return (outcome, hook)
                }
                guard let (outcome, hook) = settled else { return false }
                count(outcome, replies, of: hook)
                return hook.progress.nextAttemptAt == nil
                    && (!round.isWhole || round.events.count == HookRound.most)
            } catch {
                note(.trouble(error))
                if attempt < Self.settlingTries { try await Task.sleep(for: .seconds(attempt)) }
            }
        }
        return false
    }

    private func count(_ outcome: HookRound.Outcome, _ replies: [String: HookReply], of hook: EventHook) {
        let delivered = replies.values.count { $0.isDelivered }
        state.withLock { state in
            state.counts.delivered += delivered
            state.counts.failed += outcome.givenUp.count
            state.counts.postponed += replies.count - delivered - outcome.givenUp.count
        }
        for given in outcome.givenUp { note(.givenUp(hook: hook.id, event: given.event, reason: given.reason)) }
        if let reason = outcome.disabledBecause {
            note(.disabled(hook: hook.id, reason: reason))
        } else if let next = hook.progress.nextAttemptAt, let reason = hook.progress.lastError {
            note(.postponed(hook: hook.id, reason: reason, seconds: max(0, next.timeIntervalSince(realm.clock.now))))
        }
    }
}

extension EventHook {
    /// Whether a round may begin.
    func isDue(at now: Date) -> Bool {
        registration.isEnabled && progress.nextAttemptAt.map { $0 <= now } ?? true
            && progress.leasedUntil.map { $0 <= now } ?? true
    }

    fileprivate func failure(of event: String, _ reason: String, id: String, at now: Date) -> AuditEvent {
        AuditEvent(
            id: id, at: now, kind: .hookEventFailed, userID: nil, clientID: nil, dialect: nil, source: nil,
            reason: reason, details: ["hook": .string(self.id), "event": .string(event)])
    }

    fileprivate func disabling(_ reason: String, id: String, at now: Date) -> AuditEvent {
        AuditEvent(
            id: id, at: now, kind: .hookDisabled, userID: nil, clientID: nil, dialect: nil, source: nil,
            reason: reason, details: ["hook": .string(self.id)])
    }
}

extension HookDelivery.Standing {
    fileprivate init(_ hooks: [EventHook], at now: Date) {
        let enabled = hooks.filter(\.registration.isEnabled)
        self.enabled = enabled.count
        failing = enabled.count { $0.progress.failingSince != nil }
        disabled = hooks.count { $0.progress.disabledBecause != nil }
        lag = enabled.compactMap { AuditEvent.date(ofID: $0.progress.cursor) }.map(now.timeIntervalSince).max() ?? 0
    }
}
