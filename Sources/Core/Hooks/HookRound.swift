import Foundation

/// What one round has to deliver to a hook, and what follows from what came of it: a rule without a clock, a store or a network.
struct HookRound: Sendable {
    /// Events of one round at most.
    static let most = 32
    /// Events after the settled part of the log that are remembered as done.
    static let mostDone = 500
    /// Seconds after which an event has surely come into the log: ids are drawn before the transaction that writes them is committed.
    static let settling: TimeInterval = 30
    /// Seconds that an event waits, so that one that is a moment earlier comes before it.
    static let pause: TimeInterval = 1
    /// Attempts for an event that the service itself refuses.
    static let mostRefusals = 5
    /// Attempts for an event that fails while others are delivered.
    static let mostFailures = 12
    /// Seconds without a delivery after which a hook is disabled.
    static let patience: TimeInterval = 5 * 86_400

    static let retries = RetryPolicy(
        firstPause: 5, longestPause: 3600, maximumAttempts: .max, lifetime: patience)

    /// What to deliver, in order.
    let events: [AuditEvent]
    /// All events of the part of the log that was read, in order, with what the hook does not want or has had.
    private let scanned: [(id: String, isOpen: Bool)]
    /// Whether the part reaches the end of what may be read now.
    let isWhole: Bool
    private let settled: String

    /// - Parameters:
    ///   - log: events after the cursor and before `end(at:)`, in order.
    ///   - limit: how many were asked for.
    init(_ log: [AuditEvent], limit: Int, of hook: EventHook, at now: Date) {
        let settled = AuditBound.bound(now - Self.settling).id
        let progress = hook.progress
        var (events, scanned): ([AuditEvent], [(id: String, isOpen: Bool)]) = ([], [])
        var room = Self.mostDone - progress.done.count
        for event in log {
            let isWanted = EventCategory(of: event.kind).map(hook.registration.events.contains) ?? false
            let isOpen = isWanted && !progress.done.contains(event.id)
            scanned.append((event.id, isOpen))
            guard isOpen, events.count < Self.most else { continue }
            // What has to be remembered one by one is bounded; the rest waits until it is settled.
            if event.id >= settled {
                if room <= 0 { continue }
                room -= 1
            }
            events.append(event)
        }
        self.events = events
        self.scanned = scanned
        self.settled = settled
        isWhole = log.count < limit
    }

    /// Before which id a round reads.
    static func end(at now: Date) -> AuditBound { .bound(now - pause) }

    /// Events of one user in order; different users stand in different lanes. What is about no user is a lane, too.
    var lanes: [[AuditEvent]] {
        var order: [UserID?] = []
        var lanes: [UserID?: [AuditEvent]] = [:]
        for event in events {
            if lanes[event.userID] == nil { order.append(event.userID) }
            lanes[event.userID, default: []].append(event)
        }
        return order.compactMap { lanes[$0] }
    }

    /// What follows.
    struct Outcome {
        var progress: HookProgress
        /// Events that were given up, with why.
        var givenUp: [(event: String, reason: String)] = []
        /// Why the hook is disabled.
        var disabledBecause: String?
    }

    /// - Parameters:
    ///   - replies: by the event's id; an event without one was not tried.
    ///   - jitter: 0 to 1.
    func outcome(
        of replies: [String: HookReply], for before: HookProgress, at now: Date, jitter: Double
    ) -> Outcome {
        var outcome = Outcome(progress: before)
        var delivered = 0
        var failure: HookReply?
        for event in events {
            guard let reply = replies[event.id] else { continue }
            outcome.progress.answers.insert(
                .init(event: event.id, at: now, isDelivered: reply.isDelivered, result: reply.text), at: 0)
            if reply.isDelivered {
                delivered += 1
                outcome.progress.done.insert(event.id)
                outcome.progress.failing[event.id] = nil
            } else {
                failure = reply
            }
        }
        outcome.progress.answers = Array(outcome.progress.answers.prefix(HookProgress.mostAnswers))
        if delivered > 0 {
            outcome.progress.delivered += delivered
            outcome.progress.lastDeliveredAt = now
            outcome.progress.failingSince = nil
            outcome.progress.attempts = 0
        }
        if let failure {
            outcome.progress.lastError = failure.text
            outcome.progress.lastErrorAt = now
            outcome.progress.attempts += 1
            if delivered == 0 { outcome.progress.failingSince = before.failingSince ?? now }
            let pause = Self.retries.pause(afterAttempts: outcome.progress.attempts, jitter: jitter)
            outcome.progress.nextAttemptAt = now + max(pause, min(failure.retryAfter ?? 0, Self.retries.longestPause))
            giveUp(replies, &outcome, at: now)
            if case .answered(status: 410, _) = failure {
                outcome.disabledBecause = "gone"
            } else if let since = outcome.progress.failingSince, now.timeIntervalSince(since) >= Self.patience {
                outcome.disabledBecause = "unreachable"
            }
        } else {
            outcome.progress.nextAttemptAt = nil
        }
        advance(&outcome.progress)
        return outcome
    }

    /// Counts the failures of single events, and gives those up that stand in the way of others.
    private func giveUp(_ replies: [String: HookReply], _ outcome: inout Outcome, at now: Date) {
        for event in events {
            guard let reply = replies[event.id], case .answered(let status, _) = reply, !reply.isDelivered else {
                continue
            }
            var trial = outcome.progress.failing[event.id] ?? HookProgress.Trial(attempts: 0, since: now)
            trial.attempts += 1
            let isDelivering = outcome.progress.lastDeliveredAt.map { $0 >= trial.since } ?? false
            let isRefused = reply.isRefusal && trial.attempts >= Self.mostRefusals
            guard isRefused || trial.attempts >= Self.mostFailures && isDelivering else {
                outcome.progress.failing[event.id] = trial
                continue
            }
            outcome.progress.failing[event.id] = nil
            outcome.progress.done.insert(event.id)
            outcome.progress.failed += 1
            outcome.givenUp.append((event.id, "status-\(status)"))
        }
    }

    /// Moves the cursor over all that is done with and settled.
    private func advance(_ progress: inout HookProgress) {
        for (id, isOpen) in scanned {
            guard id < settled, !isOpen || progress.done.contains(id) else { break }
            // An administrator may have moved it on meanwhile.
            if id > progress.cursor { progress.cursor = id }
        }
        let open = scanned.contains { $0.isOpen && !progress.done.contains($0.id) }
        // Nothing came: what is settled need not be read again.
        if isWhole, !open, progress.cursor < settled { progress.cursor = settled }
        let cursor = progress.cursor
        progress.done = progress.done.filter { $0 > cursor }
        progress.failing = progress.failing.filter { $0.key > cursor }
    }
}

extension HookReply {
    /// The service itself does not want the event, however often it comes (RFC 9110, section 15.5); what asks for patience is none.
    fileprivate var isRefusal: Bool {
        guard case .answered(let status, _) = self else { return false }
        return (400..<500).contains(status) && ![408, 410, 425, 429].contains(status)
    }

    fileprivate var retryAfter: TimeInterval? {
        if case .answered(_, let after) = self { after } else { nil }
    }
}
