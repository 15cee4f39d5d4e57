import Foundation
import Synchronization

/// How long a client that polls has to wait between two questions, where each that comes too early makes it five seconds longer
/// (RFC 8628, section 3.5).
///
/// Counted in this process and never written, as ``PollPace`` is: nothing of security hangs on it.
final class PollIntervals: Sendable {
    private struct Pace {
        var last: Date
        var interval: TimeInterval
    }

    /// Seconds before the second question.
    static let first: TimeInterval = 5
    /// Seconds that a question which comes too early adds.
    static let step: TimeInterval = 5
    /// Attempts that are remembered at once. Where there are more, all are forgotten, which admits some questions too many.
    static let capacity = 20_000

    private let paces = Mutex<[String: Pace]>([:])

    /// Notes a question; false where it came too early.
    func admits(_ name: String, at now: Date) -> Bool {
        paces.withLock { paces in
            guard var pace = paces[name] else {
                if paces.count >= Self.capacity { paces = [:] }
                paces[name] = Pace(last: now, interval: Self.first)
                return true
            }
            let isEarly = pace.last <= now && now < pace.last + pace.interval
            pace.last = now
            if isEarly { pace.interval += Self.step }
            paces[name] = pace
            return !isEarly
        }
    }

    /// Forgets an attempt that is over.
    func forget(_ name: String) { paces.withLock { $0[name] = nil } }
}
