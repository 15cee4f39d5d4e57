import CountersignCore
import Foundation
import Synchronization

/// A clock that stands still until a test moves it.
package final class FrozenClock: WallClock {
    /// 2026-09-24T10:11:12.123456Z, as in the specification's examples.
    package static let start: Int64 = 1_790_244_672_123_456

    private let microseconds = Mutex(FrozenClock.start)

    package init() {}

    package var now: Date { Date(microseconds: microseconds.withLock { $0 }) }

    package func advance(_ seconds: Double) {
        microseconds.withLock { $0 += Int64(seconds * 1_000_000) }
    }
}
