import Foundation
import Synchronization

/// Finds what other processes sent to devices that wait at this one, which of those they removed, and what was decided there about attempts that
/// pages wait for here: one look a second for all of them together, and none while neither waits or nothing was committed.
///
/// What this process writes wakes devices and pages itself (``Notifier``). Each of them that begins to wait looks for itself after it
/// began to listen, so between the two nothing is lost.
public final class DeviceWatch: Sendable {
    private let realm: Realm
    private let state = Mutex(State())

    private struct State {
        /// What the store said before the last look.
        var mark: Int64?
        /// Messages of the last look.
        var known: Set<OutboxArrival> = []
        /// Revisions at the last look of the attempts that pages wait for; ``gone`` of those that there were not.
        var revisions: [Data: Int] = [:]
    }

    private static let gone = -1

    /// How far back a look goes, in seconds: what a commit may take, and what clocks of servers may differ.
    static let reach: TimeInterval = 60
    /// The most messages that one look finds; devices to which more were sent at once find theirs when they ask again.
    static let limit = 10_000

    /// A watch over the devices and pages that wait at this process; ``run(lookingEvery:)`` begins it.
    public init(realm: Realm) {
        self.realm = realm
    }

    /// Looks until the task is cancelled.
    public func run(lookingEvery pause: Duration = .seconds(1)) async {
        while (try? await Task.sleep(for: pause)) != nil {
            // A store that does not answer says so to those who ask it; the next look finds what this one did not.
            try? await look()
        }
    }

    /// Wakes the devices to which something was sent since the last look, and those that are gone; and the pages whose attempt has changed since, or
    /// was not looked for then: what they saw of it is not known here.
    func look() async throws {
        let realm = realm
        guard
            realm.notifier.hasListeners(under: FactorID.topicPrefix)
                || realm.notifier.hasListeners(under: FlowHandle.topicPrefix)
        else { return }
        let mark = try await realm.store.changeMark()
        if let mark, state.withLock({ $0.mark }) == mark { return }
        let since = realm.clock.now - Self.reach
        let devices = Set(
            realm.notifier.topics(under: FactorID.topicPrefix).map {
                FactorID(rawValue: String($0.dropFirst(FactorID.topicPrefix.count)))
            })
        let attempts = Set(
            realm.notifier.topics(under: FlowHandle.topicPrefix).compactMap { FlowHandle.digest(ofTopic: $0) })
        let (found, present, revisions) = try await realm.store.read { transaction in
            var arrivals: Set<OutboxArrival> = []
            if !devices.isEmpty {
                arrivals = Set(try transaction.outboxArrivals(by: .push, createdSince: since, limit: Self.limit))
            }
            return (
                arrivals, try transaction.factorIDs(among: devices), try transaction.flowRevisions(among: attempts)
            )
        }
        let seen = Dictionary(uniqueKeysWithValues: attempts.map { ($0, revisions[$0] ?? Self.gone) })
        let (fresh, changed) = state.withLock { state in
            // The mark of before the look: what was committed meanwhile is looked for again.
            state.mark = mark
            let fresh = found.subtracting(state.known)
            let changed = attempts.filter { seen[$0] != state.revisions[$0] }
            state.known = found
            state.revisions = seen
            return (fresh, changed)
        }
        let woken = devices.subtracting(present).union(fresh.map { FactorID(rawValue: $0.recipient) })
        realm.notifier.notify(woken.map(\.topic) + changed.map(FlowHandle.topic))
    }
}

extension FactorID {
    static let topicPrefix = "device/"
    /// What a device that waits listens to.
    var topic: String { Self.topicPrefix + rawValue }
}
