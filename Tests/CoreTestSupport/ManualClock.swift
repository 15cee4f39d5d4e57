import CountersignCore
import Foundation
import Synchronization

/// A clock that stands still until a test moves it. It begins with a TOTP step.
package final class ManualClock: WallClock {
    package static let beginning: Int64 = 1_790_000_010_000_000

    private let microseconds = Mutex(ManualClock.beginning)

    package init() {}

    package var now: Date { Date(microseconds: microseconds.withLock { $0 }) }

    /// What a store with a clock of its own is moved by, so that it shows this time.
    package var displacement: TimeInterval { now.timeIntervalSince(SystemClock().now) }

    package func advance(_ seconds: TimeInterval) {
        microseconds.withLock { $0 += Int64(seconds * 1_000_000) }
    }
}
