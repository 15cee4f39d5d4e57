import CountersignCore
import Foundation

/// The state that a security check is in for one client: a name, and since when. Each state lasts as long as the check
/// says; after that the client is in the state ``expired`` (MobileFirst's `ExternalizableSecurityCheck`).
public struct ExternalizableState: Sendable, Equatable, Codable {
    /// Where nothing was set, or what was set is over.
    public static let expired = "expired"

    /// What was set last, over or not.
    public private(set) var name: String?
    /// When ``name`` was set; nil where nothing was.
    public private(set) var setAt: Date?

    /// A state in which nothing was set: ``expired``.
    public init() {}

    /// A state that the check has not declared.
    public struct UnknownState: Error, Sendable, CustomStringConvertible {
        /// The name that was to be set.
        public let name: String
        public var description: String { "The check declares no state \"\(name)\"." }
    }

    /// The state now.
    /// - Parameter durations: seconds that each state lasts, as the check declares them now.
    public func current(_ durations: [String: TimeInterval], at now: Date) -> String {
        // To the microsecond, which is what stores keep.
        guard let name, let end = expiresAt(durations), now.microseconds < end.microseconds else {
            return Self.expired
        }
        return name
    }

    /// When the state that was set is over; nil where none was, or the check does not know it any more.
    public func expiresAt(_ durations: [String: TimeInterval]) -> Date? {
        guard let name, let setAt, let duration = durations[name] else { return nil }
        return setAt + Self.bounded(duration)
    }

    /// Seconds as they count: from none to ``SecurityCheckConfiguration/longestDuration``, and none for what is no number.
    static func bounded(_ seconds: TimeInterval) -> TimeInterval {
        seconds > 0 ? min(seconds, TimeInterval(SecurityCheckConfiguration.longestDuration)) : 0
    }

    /// Sets the state, beginning now. Setting the state that holds changes nothing: its time does not begin again.
    public mutating func set(
        _ name: String, _ durations: [String: TimeInterval], at now: Date
    ) throws(UnknownState) {
        guard durations[name] != nil else { throw UnknownState(name: name) }
        guard current(durations, at: now) != name else { return }
        self.name = name
        setAt = now
    }
}
