import CountersignCore
import Foundation
import Synchronization

/// Counts what is not worth a row, in windows that begin with the first of it, in this process alone.
final class RecentCounts: Sendable {
    private struct Window {
        let since: Date
        var count: Int
    }

    /// Names that are remembered at once. Where there are more, all are forgotten, which admits some too many.
    static let capacity = 20_000

    private let windows = Mutex<[String: Window]>([:])

    /// Counts one; the end of the window where it is one too many.
    func until(_ name: String, _ limit: RateLimit, at now: Date) -> Date? {
        windows.withLock { windows in
            func isOpen(_ window: Window) -> Bool { window.since <= now && now < window.since + limit.window }
            if var window = windows[name], isOpen(window) {
                guard window.count < limit.count else { return window.since + limit.window }
                window.count += 1
                windows[name] = window
                return nil
            }
            if windows.count >= Self.capacity {
                windows = windows.filter { isOpen($0.value) }
                if windows.count >= Self.capacity { windows = [:] }
            }
            windows[name] = Window(since: now, count: 1)
            return nil
        }
    }
}
