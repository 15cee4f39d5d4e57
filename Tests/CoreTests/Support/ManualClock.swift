import CountersignCore
import Foundation
import Synchronization

/// A clock that stands still until a test moves it. It begins with a TOTP step.
final class ManualClock: WallClock {
    static let beginning: Int64 = 1_790_000_010_000_000

    private let microseconds = Mutex(ManualClock.beginning)

    var now: Date { Date(microseconds: microseconds.withLock { $0 }) }

    /// What a store with a clock of its own is moved by, so that it shows this time.
    var displacement: TimeInterval { now.timeIntervalSince(SystemClock().now) }

    func advance(_ seconds: TimeInterval) {
        microseconds.withLock { $0 += Int64(seconds * 1_000_000) }
    }
}
