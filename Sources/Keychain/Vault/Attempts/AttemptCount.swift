import Foundation

/// How many wrong answers were given in a row, and when the last was. A pure rule; ``AttemptLedger`` keeps it on disk.
///
/// It limits an attacker at the prompt. An attacker with the file can copy it or roll it back, and is limited only by
/// Argon2id's cost.
struct AttemptCount: Sendable, Hashable {
    /// A moment by two clocks.
    struct Moment: Sendable, Hashable {
        /// Milliseconds since 1970 by the wall clock.
        var wall: Int64
        /// Nanoseconds since the start of the machine.
        var sinceBoot: UInt64
        /// Which start.
        var boot: [UInt8]
    }

    var failures: UInt32
    var last: Moment

    /// Wrong answers that cost no waiting.
    static let freeTries = 3
    static let longestWait = 300

    /// Seconds before the next answer is accepted, after so many wrong ones: 0, 0, 0, 1, 2, 4 … 300.
    static func wait(after failures: UInt32) -> Int {
        guard failures >= freeTries else { return 0 }
        let doublings = Int(failures) - freeTries
        return doublings >= 9 ? longestWait : min(1 << doublings, longestWait)
    }

    /// Seconds still to be waited at `now`, rounded up.
    ///
    /// Within one run of the machine the monotonic clock counts; after a restart the wall clock does. Where that one
    /// stands before the last attempt, nothing has passed: see ``anchored(at:)``.
    func secondsToWait(at now: Moment) -> Int {
        let wait = Double(Self.wait(after: failures))
        return max(0, Int((wait - elapsed(at: now)).rounded(.up)))
    }

    private func elapsed(at now: Moment) -> Double {
        if now.boot == last.boot {
            return now.sinceBoot >= last.sinceBoot ? Double(now.sinceBoot - last.sinceBoot) / 1e9 : 0
        }
        let (difference, overflow) = now.wall.subtractingReportingOverflow(last.wall)
        return overflow ? 0 : max(0, Double(difference) / 1e3)
    }

    /// The same count, dated now, when time went backwards since; nil when it did not. Without it a clock set back by a
    /// year would lock out for a year.
    func anchored(at now: Moment) -> AttemptCount? {
        let wentBack = now.boot == last.boot ? now.sinceBoot < last.sinceBoot : now.wall < last.wall
        return wentBack ? AttemptCount(failures: failures, last: now) : nil
    }

    func failed(at now: Moment) -> AttemptCount {
        AttemptCount(failures: failures == .max ? failures : failures + 1, last: now)
    }

    /// How many more answers are accepted without a longer wait than now.
    var triesLeft: Int { max(0, Self.freeTries - Int(failures)) }
}
