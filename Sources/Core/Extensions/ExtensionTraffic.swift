import Foundation
import Synchronization

/// Which calls are under way in this process, so that a slow service cannot use up the server; and what was written to the
/// log about it, so that a broken one cannot fill the disk.
final class ExtensionTraffic: Sendable {
    /// Calls to one extension at once.
    static let limitPerExtension = 16
    /// Calls to all extensions at once.
    static let limit = 64
    /// Failures of one extension that are written to the audit log within ``window``.
    static let reportLimit = 60
    /// Seconds.
    static let window: TimeInterval = 60

    private struct State {
        var underWay: [String: Int] = [:]
        var total = 0
        var reports: [String: (since: Date, count: Int)] = [:]
    }

    private let state = Mutex(State())

    /// Takes a permit; the caller returns it with ``leave(_:)``.
    func enter(_ id: String) -> Bool {
        state.withLock { state in
            guard state.total < Self.limit, state.underWay[id, default: 0] < Self.limitPerExtension else {
                return false
            }
            state.total += 1
            state.underWay[id, default: 0] += 1
            return true
        }
    }

    func leave(_ id: String) {
        state.withLock { state in
            state.total -= 1
            let rest = state.underWay[id, default: 1] - 1
            state.underWay[id] = rest > 0 ? rest : nil
        }
    }

    /// Whether a failure is to be written down.
    func mayReport(_ id: String, at now: Date) -> Bool {
        state.withLock { state in
            if let (since, count) = state.reports[id], abs(now.timeIntervalSince(since)) < Self.window {
                state.reports[id] = (since, count + 1)
                return count < Self.reportLimit
            }
            state.reports[id] = (now, 1)
            return true
        }
    }
}
