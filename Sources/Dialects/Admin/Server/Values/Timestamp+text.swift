import CountersignCore
import Foundation

extension Timestamp {
    /// For people who read commands and lists, in whole seconds: `2026-07-29T08:15:00Z`.
    public var text: String { date.formatted(.iso8601) }
}
