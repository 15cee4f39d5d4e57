import Synchronization

/// A time that passes when the test says so.
final class MovedTime: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { instant.withLock { $0 } }

    func pass(_ duration: Duration) { instant.withLock { $0 = $0 + duration } }
}
