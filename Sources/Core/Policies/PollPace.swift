import Foundation
import Synchronization

/// How often a request that waits for something may come again (`slow_down`: RFC 8628, section 3.5; OpenID Connect
/// Client-Initiated Backchannel Authentication Core 1.0, section 11).
///
/// Counted in this process and never written: a question that changes nothing should not cost a commit, and one that is
/// asked of several servers in turn may come as often at each. Nothing of security hangs on it.
final class PollPace: Sendable {
    private struct Window {
        let since: Date
        var count: Int
    }

    /// Attempts that are remembered at once. Where there are more, all are forgotten, which admits some requests too many.
    static let capacity = 20_000

    private let windows = Mutex<[String: Window]>([:])

    /// Counts one; false where it is one too many in its window, which begins with the first.
    func admits(_ name: String, _ limit: RateLimit, at now: Date) -> Bool {
        windows.withLock { windows in
            func isOpen(_ window: Window) -> Bool {
                // A window of the future: the clock was set back.
                window.since <= now && now < window.since + limit.window
            }
            if var window = windows[name], isOpen(window) {
                guard window.count < limit.count else { return false }
                window.count += 1
                windows[name] = window
                return true
            }
            if windows.count >= Self.capacity {
                windows = windows.filter { isOpen($0.value) }
                if windows.count >= Self.capacity { windows = [:] }
            }
            windows[name] = Window(since: now, count: 1)
            return limit.count > 0
        }
    }

    /// Whether one more would be one too many. Counts nothing.
    func isUsedUp(_ name: String, _ limit: RateLimit, at now: Date) -> Bool {
        windows.withLock { windows in
            guard let window = windows[name], window.since <= now else { return false }
            return now < window.since + limit.window && window.count >= limit.count
        }
    }

    /// Attempts that are remembered.
    var count: Int { windows.withLock(\.count) }
}

/// Polling: requests that ask whether something has happened yet.
public struct Polls: Sendable {
    let realm: Realm

    /// Counts one poll of an attempt; false where the client should slow down. Ask it after the handle has been found good, so
    /// that only attempts that there are take up room.
    /// - Parameter limit: the protocol's own.
    public func admits(_ handle: FlowHandle, _ limit: RateLimit) -> Bool {
        realm.pollPace.admits(handle.publicName, limit, at: realm.clock.now)
    }
}
