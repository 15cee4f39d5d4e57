import Foundation
import Synchronization

/// The master keys that this process knows, and which of them seals.
///
/// Which one seals is not for a process to decide: the store says so, by the key that its check document is sealed with
/// (``Realm/checkMasterKey()``). Every transaction that seals asks for it, so that all processes change over in the
/// same instant. A key that is met and not known is looked for where keys come from, at most once a second; who needs
/// it waits. A key that was learnt is forgotten only when the process ends: a value may be on its way that was read
/// before it was sealed again.
public final class MasterKeys: Sendable {
    /// Reads all keys again from where they come from, the newest first. It must not block the caller's thread.
    public typealias Source = @Sendable () async throws -> [Sealer.MasterKey]

    private struct State {
        /// As they were read, the newest first; then those that were there before.
        var known: [Sealer.MasterKey]
        var current: Sealer.MasterKey
        /// The check document that says so, and how many replacements there were before it.
        var check: Data?
        var generation = -1
        /// A reading that has not begun yet.
        var next: Task<Void, any Error>?
        var lastReading: ContinuousClock.Instant?
    }

    private let state: Mutex<State>
    private let source: Source?
    private let interval: Duration

    /// - Parameters:
    ///   - newest: seals as long as the store does not say otherwise.
    ///   - others: open what they sealed.
    ///   - source: nil where no further keys can come.
    ///   - interval: the least time between two readings of the source.
    public init(
        _ newest: Sealer.MasterKey, _ others: [Sealer.MasterKey] = [], interval: Duration = .seconds(1),
        source: Source? = nil
    ) {
        state = Mutex(State(known: [newest] + others, current: newest))
        self.source = source
        self.interval = interval
    }

    /// All that are known, the newest first.
    public var all: [Sealer.MasterKey] { state.withLock { $0.known } }
    /// Which one sealed last, as far as this process has seen.
    public var current: Sealer.MasterKey { state.withLock { $0.current } }

    func named(_ name: [UInt8]) -> Sealer.MasterKey? {
        state.withLock { $0.known.first { $0.name == name } }
    }

    // MARK: Which one seals

    static let checkDocument = "master-key-check"
    private static let checkContext = "master-key-check"
    private static let checkWord = "countersign"

    /// The key that the store's data is sealed with, as the transaction sees it.
    /// - Throws: ``SealingError`` where it is not known.
    func current(in transaction: any StoreTransaction) throws -> Sealer.MasterKey {
        try follow(try transaction.document(Self.checkDocument))
    }

    /// Never goes back: a transaction may see what was before a replacement, and its own rollback may follow.
    private func follow(_ check: Data?) throws -> Sealer.MasterKey {
        let (current, isSeen) = state.withLock { ($0.current, check == nil || $0.check == check) }
        guard let check, !isSeen else { return current }
        let generation = try generation(of: check)
        return try state.withLock { state in
            if generation >= state.generation {
                guard let key = state.known.first(where: { $0.name == Sealer.keyName(of: check) }) else {
                    throw SealingError("This is not a sealed value.")
                }
                (state.current, state.check, state.generation) = (key, check, generation)
            }
            return state.current
        }
    }

    /// How many replacements there were before the one that wrote the check document.
    func generation(of check: Data) throws -> Int {
        let word = String(decoding: try Sealer.open(check, for: Self.checkContext, with: self), as: UTF8.self)
        let parts = word.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.first.map(String.init) == Self.checkWord else {
            throw SealingError("The check of the master key holds something else.")
        }
        return parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    }

    static func check(of generation: Int, under key: Sealer.MasterKey, random: any RandomSource) throws -> Data {
        var word = generation == 0 ? checkWord : "\(checkWord)/\(generation)"
        // `Data(word.utf8)` asks whether a view of UTF-8 lies in one piece, and a start searches all conformances for that.
        let bytes = word.withUTF8 { Data(buffer: $0) }
        return try Sealer(active: key, random: random).seal(bytes, for: checkContext, under: key)
    }

    // MARK: Learning keys

    /// Takes up keys that were read.
    /// - Returns: those that are new.
    @discardableResult
    public func learn(_ keys: [Sealer.MasterKey]) -> [Sealer.MasterKey] {
        state.withLock { state in
            let fresh = keys.filter { key in !state.known.contains { $0.name == key.name } }
            state.known = keys + state.known.filter { known in !keys.contains { $0.name == known.name } }
            return fresh
        }
    }

    /// Runs the body, and where it meets a key that is not known, once more after the keys were read again.
    public func retrying<T>(_ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as SealingError where error.missingKey != nil {
            guard source != nil else { throw error }
            do { try await readAnew() } catch let failure { throw error.because(failure) }
            return try await body()
        }
    }

    /// Reads the source, at most once in ``interval``; callers that come while one waits for its turn share it.
    private func readAnew() async throws {
        let task = state.withLock { state -> Task<Void, any Error> in
            if let next = state.next { return next }
            let turn = state.lastReading.map { $0 + interval }
            let task = Task {
                if let turn { try? await Task.sleep(until: turn, clock: .continuous) }
                // From here on a new caller needs another reading: this one may be too early for them.
                self.state.withLock { state in
                    state.next = nil
                    state.lastReading = .now
                }
                if let source = self.source { self.learn(try await source()) }
            }
            state.next = task
            return task
        }
        try await task.value
    }
}

/// A store whose transactions read each row once (``RememberingTransaction``), and run once more after the keys were read
/// again, where they met one that was not known. Who waits for what a write did is woken after the commit: deliveries whose channel
/// got a message, and no others; devices that were asked, or removed; pages that wait for a device's answer.
struct KeyedStore: Store {
    let base: any Store
    let keys: MasterKeys
    private let notifier: Notifier
    private let logouts: LogoutNotices
    private let statistics: EventStatistics
    private let uses: UseNotes
    let standing = StandingDocuments()

    init(
        base: any Store, keys: MasterKeys, notifier: Notifier, logouts: LogoutNotices, statistics: EventStatistics,
        uses: UseNotes
    ) {
        self.statistics = statistics
        self.uses = uses
        self.base = base
        self.keys = keys
        self.notifier = notifier
        self.logouts = logouts
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (any StoreTransaction) throws -> T) async throws -> T {
        try await keys.retrying {
            try await base.read { [standing] in try body(RememberingTransaction($0, standing: standing)) }
        }
    }

    func write<T: Sendable>(
        _ isolation: Isolation, _ durability: Durability, expecting rows: @escaping @Sendable () -> [ExpectedRows],
        _ body: @escaping @Sendable (any StoreTransaction) throws -> T
    ) async throws -> T {
        let condition = WriteCondition.current?()
        return try await keys.retrying {
            let (result, topics, events, used, gone) = try await base.write(isolation, durability) {
                [standing, logouts] in
                let transaction = RememberingTransaction($0, standing: standing)
                // What the condition asks for brings the standing documents; without one the body's first row does.
                if transaction.asksAhead {
                    for row in rows() where condition != nil || !row.wouldBringDocuments { try transaction.expect(row) }
                }
                try condition?(transaction)
                let result = try body(transaction)
                try logouts.write(transaction.notes.endings, in: transaction)
                return (
                    result, transaction.notes.topics, transaction.notes.events, transaction.notes.used,
                    transaction.notes.removedApplications
                )
            }
            if !events.isEmpty { statistics.count(events) }
            if !gone.isEmpty { uses.forget(gone) }
            if !used.isEmpty { uses.note(used, ofUsers: true) }
            if !topics.isEmpty { notifier.notify(topics) }
            return result
        }
    }

    func changeMark() async throws -> Int64? { try await base.changeMark() }
}
