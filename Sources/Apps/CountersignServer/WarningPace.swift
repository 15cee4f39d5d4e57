import Synchronization

/// Says when a warning about something that lasts is due: at once, and then once a minute. Metrics count in between.
final class WarningPace: Sendable {
    /// How long a warning lasts.
    static let pause = Duration.seconds(60)

    private let warnedAt = Mutex<ContinuousClock.Instant?>(nil)

    /// Whether to warn now. The answer yes begins the next pause.
    func isDue(at now: ContinuousClock.Instant) -> Bool {
        warnedAt.withLock { last in
            if let last, now - last < Self.pause { return false }
            last = now
            return true
        }
    }
}
