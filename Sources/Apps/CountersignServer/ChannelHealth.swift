import CountersignCore
import Synchronization

/// Tells from single attempts when a channel no longer delivers anything, so that an outage is one warning a minute and not one for each
/// message.
///
/// One recipient whose server asks for patience is none: others are delivered in between.
final class ChannelHealth: Sendable {
    /// Attempts in a row that failed before it counts as an outage.
    static let threshold = 3
    /// How long a warning lasts.
    static let pause = Duration.seconds(60)

    private struct Course {
        var inVain = 0
        var warnedAt: ContinuousClock.Instant?
    }

    private let courses = Mutex<[OutboxMessage.Channel: Course]>([:])

    /// One more attempt failed.
    /// - Returns: how many that are in a row, where a warning is due.
    func postponed(_ channel: OutboxMessage.Channel, at now: ContinuousClock.Instant) -> Int? {
        courses.withLock { courses in
            var course = courses[channel] ?? Course()
            defer { courses[channel] = course }
            course.inVain += 1
            let isSilent = course.warnedAt.map { now - $0 < Self.pause } ?? false
            guard course.inVain >= Self.threshold, !isSilent else { return nil }
            course.warnedAt = now
            return course.inVain
        }
    }

    /// A message was delivered.
    /// - Returns: whether a warning said that none is.
    func delivered(_ channel: OutboxMessage.Channel) -> Bool {
        courses.withLock { $0.removeValue(forKey: channel)?.warnedAt != nil }
    }
}
