import Foundation

/// How long an authenticator waits after wrong answers, and when it stops altogether.
///
/// The count is per authenticator, so that guessing one factor does not lock the rightful user out of another; a right
/// answer sets it back to nothing.
public struct LockoutPolicy: Sendable, Equatable {
    /// Wrong answers in a row before the first wait.
    public var freeAttempts: Int
    /// Seconds of the first wait; each further wrong answer doubles it.
    public var firstWait: TimeInterval
    /// Seconds beyond which a wait does not grow.
    public var longestWait: TimeInterval
    /// Wrong answers in a row after which nothing is judged until an administrator resets the authenticator.
    public var disabledAfter: Int?

    /// A policy of these waits. Without `disabledAfter` no number of wrong answers stops it for good.
    public init(freeAttempts: Int, firstWait: TimeInterval, longestWait: TimeInterval, disabledAfter: Int? = nil) {
        self.freeAttempts = freeAttempts
        self.firstWait = firstWait
        self.longestWait = longestWait
        self.disabledAfter = disabledAfter
    }

    /// Codes of six digits: five, then 30 s doubling to an hour; at 100 the factor is disabled (NIST SP 800-63B-4,
    /// section 3.2.2, allows no more than 100 in a row).
    public static let oneTimeCode = LockoutPolicy(
        freeAttempts: 5, firstWait: 30, longestWait: 3600, disabledAfter: 100)
    /// Passwords: ten, then 30 s doubling to a quarter of an hour. Never disabled: an attacker who knows an address
    /// could lock its owner out.
    public static let password = LockoutPolicy(freeAttempts: 10, firstWait: 30, longestWait: 900)
    /// A mailed code: five, then it is dead; another can be sent.
    public static let mailedCode = LockoutPolicy(freeAttempts: 5, firstWait: 0, longestWait: 0, disabledAfter: 5)

    /// What a charge says.
    public enum Charge: Sendable, Equatable {
        /// The answer may be judged; the counter is to be kept first.
        case admitted(AttemptCounter)
        /// Not before this instant.
        case blocked(until: Date)
        /// Not until an administrator resets the authenticator.
        case disabled
    }

    /// Counts one attempt, before the answer is judged.
    /// - Parameter charge: names the attempt, which is open until it is settled; nil where its outcome is known.
    public func charge(_ counter: AttemptCounter?, key: String, at now: Date, as charge: String? = nil) -> Charge {
        var counter = counter ?? AttemptCounter(key: key, since: now)
        counter.dropLapsed(at: now)
        if let disabledAfter, counter.count >= disabledAfter { return .disabled }
        if let blockedUntil = counter.blockedUntil, blockedUntil > now { return .blocked(until: blockedUntil) }
        counter.add(charge, at: now, blocksUntil: wait(after: counter.count + 1).map { now + $0 })
        return .admitted(counter)
    }

    /// Seconds to wait after so many wrong answers in a row; nil for none.
    private func wait(after count: Int) -> TimeInterval? {
        guard count >= freeAttempts, firstWait > 0 else { return nil }
        return min(firstWait * pow(2, Double(min(count - freeAttempts, 32))), longestWait)
    }
}
