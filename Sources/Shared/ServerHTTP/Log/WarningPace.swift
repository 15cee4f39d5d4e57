import Logging
import Synchronization

/// Says which lines are due in the log where what they tell of lasts, or where a client can bring it about with each request: the first ones of
/// each minute. The others are counted, and the next line of their kind says how many they were. Metrics count every one in between.
///
/// So a client can neither fill a disk nor push other lines out of sight. A kind is kept for as long as the pace: clients must not be able to
/// choose its name.
public final class WarningPace: Sendable {
    /// The time in which so many lines are written, from the first of them on.
    public static let pause = Duration.seconds(60)
    /// How many are written where each tells of something of its own: a request whose user asks about it, a message, an event.
    public static let mostOfTheirOwn = 30

    private struct Course {
        /// When the first of the lines was written that count.
        var beginning: ContinuousClock.Instant
        var written = 0
        var leftOut = 0
    }

    private let most: Int
    private let courses = Mutex<[String: Course]>([:])

    /// - Parameter most: how many lines of a kind are written in ``pause``.
    public init(most: Int = 1) {
        self.most = most
    }

    /// Whether one more line of the kind is to be written now.
    /// - Returns: how many of the kind were left out since the last one that was written; nil where this one is left out too.
    public func leftOut(_ kind: String = "", at now: ContinuousClock.Instant) -> Int? {
        courses.withLock { courses in
            var course = courses[kind] ?? Course(beginning: now)
            defer { courses[kind] = course }
            if now - course.beginning >= Self.pause { (course.beginning, course.written) = (now, 0) }
            guard course.written < most else {
                course.leftOut += 1
                return nil
            }
            let leftOut = course.leftOut
            course.leftOut = 0
            course.written += 1
            return leftOut
        }
    }

    /// The same for lines that say themselves how much there was.
    public func isDue(at now: ContinuousClock.Instant) -> Bool { leftOut(at: now) != nil }
}

extension Logger.Metadata {
    /// The same, with how many lines of the kind were left out before this one.
    public func with(leftOut: Int) -> Logger.Metadata {
        leftOut > 0 ? merging(["leftOut": .stringConvertible(leftOut)]) { $1 } : self
    }
}
