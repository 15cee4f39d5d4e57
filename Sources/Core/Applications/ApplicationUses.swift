import Foundation
import Synchronization

/// That an application worked with this server by one protocol.
public struct ApplicationUse: Sendable, Equatable {
    /// The application.
    public let application: ClientID
    /// The protocol.
    public let dialect: Dialect
    /// When it did so the last time that is known.
    public let at: Date

    /// The row as stores read and write it.
    public init(application: ClientID, dialect: Dialect, at: Date) {
        (self.application, self.dialect, self.at) = (application, dialect, at)
    }
}

/// When applications were last used, and by which protocols (`docs/decisions/0438`).
///
/// A use is a grant that a user's sign-in opened or a refresh token went on with, a token that a client of security checks got, and a
/// secret or an assertion that proved to be the application's. That a request names an application is none: everybody can.
///
/// A request writes nothing for it. ``Maintenance`` writes what this process has noted, which is at most one row an hour for each
/// application and protocol.
public struct ApplicationUses: Sendable {
    let realm: Realm

    /// Seconds after a use was written within which another one is not: what is written is right to an hour.
    public static let granularity: TimeInterval = 3600
    /// Seconds by which the clocks of two servers may differ: a use that seems to be this much earlier than its application is one of it, as of
    /// the application's beginning. What is earlier still was another application of the same id.
    public static let clockDifference: TimeInterval = 300
    /// Uses that one transaction writes at most.
    static let batch = 500

    /// Notes a use that no grant of a user shows.
    public func note(_ application: ClientID, by dialect: Dialect) {
        realm.useNotes.note(CollectionOfOne(UseNotes.Key(application: application, dialect: dialect)), ofUsers: false)
    }

    /// The uses of applications, the latest of each first; nothing for those that were never used. What other servers have not written
    /// is not among them.
    public func list(of ids: [ClientID]) async throws -> [ClientID: [ApplicationUse]] {
        let written = try await realm.store.read { try $0.applicationUses(of: ids) }
        let latest = Dictionary(grouping: written + realm.useNotes.waiting(of: Set(ids)), by: \.application)
        return latest.mapValues { uses in
            var seen: Set<Dialect> = []
            return uses.sorted { $0.at > $1.at }.filter { seen.insert($0.dialect).inserted }
        }
    }

    /// Writes what this process has noted. What could not be written is noted still.
    public func flush() async throws {
        let all = realm.useNotes.waiting()
        for start in stride(from: 0, to: all.count, by: Self.batch) {
            let noted = Array(all[start..<min(start + Self.batch, all.count)])
            let kept = try await realm.store.write { transaction in
                var kept: Set<UseNotes.Key> = []
                for (key, note) in noted {
                    // The grant of a sign-in on a page goes again: there the application got nothing yet. The application comes before
                    // the rows of its uses, as where it is removed with them.
                    if note.isOfUser, try !transaction.grants(of: key.application, before: nil, limit: 1).isEmpty {
                        try transaction.keepRegistration(key.application)
                        kept.insert(key)
                    }
                    try transaction.note(
                        ApplicationUse(application: key.application, dialect: key.dialect, at: note.at))
                }
                return kept
            }
            realm.useNotes.wrote(noted, kept: kept)
        }
    }
}

/// Uses that this process has seen and not written, and when it wrote the last of each.
final class UseNotes: Sendable {
    struct Key: Hashable, Sendable {
        let application: ClientID
        let dialect: Dialect
    }

    struct Note: Sendable, Equatable {
        var at: Date
        /// Whether a user got something by it. An application that registered itself is kept for nothing less.
        var isOfUser: Bool
    }

    /// Keys of each of both lists. More applications are not used in one hour, or the hour of some is forgotten or known too late.
    static let most = 10_000

    private struct State {
        var waiting: [Key: Note] = [:]
        var written: [Key: Note] = [:]
    }

    private let clock: any WallClock
    private let state = Mutex(State())

    init(clock: any WallClock) { self.clock = clock }

    func note(_ keys: some Collection<Key>, ofUsers isOfUser: Bool) {
        let now = clock.now
        state.withLock { state in
            for key in keys {
                if let written = state.written[key], now.timeIntervalSince(written.at) < ApplicationUses.granularity,
                    written.isOfUser || !isOfUser
                {
                    continue
                }
                guard let known = state.waiting[key] else {
                    if state.waiting.count < Self.most { state.waiting[key] = Note(at: now, isOfUser: isOfUser) }
                    continue
                }
                state.waiting[key] = Note(at: max(known.at, now), isOfUser: known.isOfUser || isOfUser)
            }
        }
    }

    /// In the order in which rows are locked.
    func waiting() -> [(key: Key, note: Note)] {
        // Sorted outside the lock, for which requests wait.
        state.withLock { $0.waiting }.map { (key: $0.key, note: $0.value) }.sorted {
            ($0.key.application.rawValue, $0.key.dialect.rawValue)
                < ($1.key.application.rawValue, $1.key.dialect.rawValue)
        }
    }

    /// Forgets what was noted of applications that are removed: another application can get the id of one.
    func forget(_ applications: [ClientID]) {
        let gone = Set(applications)
        state.withLock { state in
            state.waiting = state.waiting.filter { !gone.contains($0.key.application) }
            state.written = state.written.filter { !gone.contains($0.key.application) }
        }
    }

    func waiting(of applications: Set<ClientID>) -> [ApplicationUse] {
        state.withLock { state in
            state.waiting.filter { applications.contains($0.key.application) }.map {
                ApplicationUse(application: $0.key.application, dialect: $0.key.dialect, at: $0.value.at)
            }
        }
    }

    /// - Parameter kept: the uses by users for which there was a grant, so that the application's registration is kept. Another's first grant
    ///   is still to come, and is noted within the hour too.
    func wrote(_ notes: [(key: Key, note: Note)], kept: Set<Key>) {
        state.withLock { state in
            if state.written.count + notes.count > Self.most {
                let oldest = clock.now - ApplicationUses.granularity
                state.written = state.written.filter { $0.value.at > oldest }
                // Forgotten, they are written once more.
                if state.written.count + notes.count > Self.most { state.written = [:] }
            }
            for (key, note) in notes {
                // Forgotten meanwhile, as its application was removed.
                guard let left = state.waiting[key] else { continue }
                let isKept = kept.contains(key)
                state.written[key] = Note(at: note.at, isOfUser: isKept)
                // What came meanwhile is the same use; a user's first is not.
                if left == note || isKept || !left.isOfUser { state.waiting[key] = nil }
            }
        }
    }
}
