import Foundation

/// Where the core and the server learn the time.
///
/// Everything that decides by time takes it from here, so that a test (or `--dev`) can move it. Instants have a
/// resolution of one microsecond, which is what stores keep; a finer one would not survive a round trip.
///
/// **How the files of this folder meet.** They are what the rules take from outside instead of reaching for it, and texts that
/// carry a guarantee: `WallClock` the time, `RandomSource` random values, `Sealer` sealing under one of `MasterKeys`, `Notifier`
/// news within the process, `BoundedQuestion` an answer by a deadline. `Secret` prints as `<secret>`, `PlainText` has no zero
/// byte, `StringName` is an id that is not taken for another kind's. Only this folder asks the system for time and random values.
public protocol WallClock: Sendable {
    /// The present instant, rounded down to a microsecond.
    var now: Date { get }
    /// Seconds by which the clock was moved on purpose, as `--dev` and tests do; 0 for a machine's clock, however wrong it
    /// is. The database's time is moved as far where it is taken in place of the machine's.
    var displacement: TimeInterval { get }
}

extension WallClock {
    public var displacement: TimeInterval { 0 }
}

/// The machine's clock.
public struct SystemClock: WallClock {
    /// The machine's clock; all instances are one.
    public init() {}

    public var now: Date { Date(microseconds: Date().microseconds) }
}

extension Date {
    /// Microseconds since 1970-01-01T00:00:00Z, rounded down.
    ///
    /// Instants outside the years ±290,000 are clamped: a stranger's number must not trap.
    public var microseconds: Int64 {
        let value = (timeIntervalSince1970 * 1_000_000).rounded(.down)
        guard value.isFinite else { return 0 }
        return Int64(max(-9.0e18, min(9.0e18, value)))
    }

    /// Milliseconds since 1970, rounded down.
    public var milliseconds: Int64 { Int64((Double(microseconds) / 1000).rounded(.down)) }

    /// Whole seconds since 1970, rounded down: what a JWT's `NumericDate` carries (RFC 7519, section 2).
    public var seconds: Int64 { Int64((Double(microseconds) / 1_000_000).rounded(.down)) }

    /// The beginning of the instant's second.
    var wholeSecond: Date { Date(microseconds: seconds * 1_000_000) }

    /// The instant that many microseconds after 1970-01-01T00:00:00Z.
    ///
    /// Half a microsecond is added so that `Date(microseconds: n).microseconds == n` whatever the rounding of `Double`.
    public init(microseconds: Int64) {
        self.init(timeIntervalSince1970: (Double(microseconds) + 0.5) / 1_000_000)
    }
}
