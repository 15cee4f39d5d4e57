import CountersignCore
import Synchronization
import TestSupport

/// A store that goes away when a test says so.
package final class FaultyStore: ForwardingStore {
    package enum Fault: Sendable {
        /// Nothing is written.
        case away
        /// It is written, but the caller gets no answer.
        case silent
    }

    private struct State {
        var fault: Fault?
        /// Writes before those that it concerns.
        var spared = 0
        /// Writes that it concerns; nil for all.
        var left: Int?
    }

    package let base: any Store
    private let state = Mutex(State())

    package init(_ base: any Store) {
        self.base = base
    }

    /// - Parameters:
    ///   - spared: how many writes come before it.
    ///   - writes: how many writes it lasts; nil until the next word.
    package func set(_ fault: Fault?, after spared: Int = 0, for writes: Int? = nil) {
        state.withLock { $0 = State(fault: fault, spared: spared, left: writes) }
    }

    package func aroundWrite<T: Sendable>(_ pass: () async throws -> T) async throws -> T {
        let fault = state.withLock { state -> Fault? in
            if state.spared > 0 {
                state.spared -= 1
                return nil
            }
            guard let left = state.left else { return state.fault }
            state.left = left - 1
            return left > 0 ? state.fault : nil
        }
        switch fault {
        case nil: return try await pass()
        case .away: throw StoreError(.unavailable, "away")
        case .silent:
            _ = try await pass()
            throw StoreError(.outcomeUnknown, "went away while it committed")
        }
    }
}
