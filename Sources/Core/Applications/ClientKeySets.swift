import Foundation
import Synchronization

/// Fetches key sets of applications. The core decides when, and what they are good for; a fetcher knows HTTP, and to which addresses
/// requests may go.
public protocol KeySetFetcher: Sendable {
    /// Fetches once: no redirect is followed, nothing repeated.
    /// - Parameter isStrangers: whether no administrator checked who named the address: then it is fetched from the public Internet alone,
    ///   whatever other networks the operator opened.
    /// - Returns: nil where there is no answer of 200, or it is too large.
    func fetch(_ uri: String, isStrangers: Bool) async -> FetchedKeySet?
}

/// A key set as its server gave it out.
public struct FetchedKeySet: Sendable {
    /// At most 64 KiB.
    public let body: Data
    /// Seconds for which the server says that it may be kept; nil where it says nothing.
    public let lifetime: TimeInterval?

    /// What a fetcher got.
    public init(body: Data, lifetime: TimeInterval?) {
        self.body = body
        self.lifetime = lifetime
    }
}

/// For realms that fetch nothing.
public struct NoKeySetFetcher: KeySetFetcher {
    /// A fetcher whose sets are never there.
    public init() {}

    public func fetch(_ uri: String, isStrangers: Bool) async -> FetchedKeySet? { nil }
}

/// The key sets that applications publish (`jwks_uri`; RFC 7591, section 2), kept as their servers allow and between five minutes and a day.
///
/// One is asked for anew when its time is over, or when an assertion names a key that it does not have; once a minute at most, and once for
/// all who wait. Where there is no answer, the keys of before go on.
final class ClientKeySets: Sendable {
    /// Seconds that keys are kept at least, and at most.
    static let leastLifetime: TimeInterval = 300
    static let mostLifetime: TimeInterval = 86_400
    /// Seconds between two fetches of one set, and while nothing was ever fetched.
    static let pause: TimeInterval = 60
    static let firstPause: TimeInterval = 5
    /// Sets that are kept of strangers' applications, and as many of others'. The one that was not used for longest makes room for another.
    static let capacity = 1000

    private struct Entry: Sendable {
        var keys: [AssertionKey]?
        var freshUntil = Date.distantPast
        var askedAt: Date?
        var fetching: Task<FetchedKeySet?, Never>?
        /// When it was used last: the number of that use.
        var use = 0

        func isMissing(_ id: String?) -> Bool {
            guard let id else { return false }
            return keys?.contains { $0.id == id } != true
        }

        /// Whether to ask for the set.
        func isDue(naming id: String?, at now: Date) -> Bool {
            if let askedAt, askedAt <= now, now < askedAt + (keys == nil ? firstPause : pause) { return false }
            guard keys != nil, now < freshUntil else { return true }
            return isMissing(id)
        }
    }

    /// Sets by address.
    private struct Shelf: Sendable {
        private(set) var entries: [String: Entry] = [:]
        private var uses = 0

        /// The set of an address, which is in use by that.
        /// - Returns: nil where it is not there and none makes room for it, as all are being fetched.
        mutating func use(_ uri: String) -> Entry? {
            if entries[uri] == nil, entries.count >= ClientKeySets.capacity {
                let idle = entries.filter { $0.value.fetching == nil }
                guard let oldest = idle.min(by: { $0.value.use < $1.value.use }) else { return nil }
                entries[oldest.key] = nil
            }
            uses += 1
            entries[uri, default: Entry()].use = uses
            return entries[uri]
        }

        mutating func change(_ uri: String, _ change: (inout Entry) -> Void) {
            guard var entry = entries[uri] else { return }
            change(&entry)
            entries[uri] = entry
        }
    }

    private let fetcher: any KeySetFetcher
    private let shelf = Mutex(Shelf())
    /// What strangers named is kept apart: what could not be fetched for them may be there for others, and however many they are, they take
    /// no room of others.
    private let strangersShelf = Mutex(Shelf())

    init(_ fetcher: any KeySetFetcher) {
        self.fetcher = fetcher
    }

    /// The keys of a set; none where it never could be read.
    /// - Parameters:
    ///   - isStrangers: whether no administrator checked the application.
    ///   - id: the `kid` that an assertion names.
    ///   - now: by the realm's clock.
    func keys(
        of uri: String, isStrangers: Bool = false, naming id: String?, at now: Date
    ) async -> [AssertionKey] {
        if isStrangers { return await keys(of: uri, on: strangersShelf, isStrangers: true, naming: id, at: now) }
        return await keys(of: uri, on: shelf, isStrangers: false, naming: id, at: now)
    }

    private func keys(
        of uri: String, on shelf: borrowing Mutex<Shelf>, isStrangers: Bool, naming id: String?, at now: Date
    ) async -> [AssertionKey] {
        let fetching = shelf.withLock { shelf -> Task<FetchedKeySet?, Never>? in
            guard let entry = shelf.use(uri) else { return nil }
            if let fetching = entry.fetching { return entry.keys == nil || entry.isMissing(id) ? fetching : nil }
            guard entry.isDue(naming: id, at: now) else { return nil }
            // Of all who wait: a caller that leaves does not end it. The fetcher bounds its time.
            let task = Task { [fetcher] in await fetcher.fetch(uri, isStrangers: isStrangers) }
            shelf.change(uri) { ($0.askedAt, $0.fetching) = (now, task) }
            return task
        }
        if let fetching {
            let fetched = await fetching.value
            shelf.withLock { shelf in
                shelf.change(uri) { entry in
                    guard entry.fetching == fetching else { return }
                    entry.fetching = nil
                    guard let fetched, let keys = AssertionKey.usableKeys(ofJWKS: fetched.body) else { return }
                    entry.keys = keys
                    let lifetime = min(max(fetched.lifetime ?? 0, Self.leastLifetime), Self.mostLifetime)
                    entry.freshUntil = now + lifetime
                }
            }
        }
        return shelf.withLock { $0.entries[uri]?.keys } ?? []
    }
}

extension AssertionKey {
    /// Keys of a set that are looked at.
    private static let longestSet = 50

    /// The keys of a published set that assertions can be verified by. What is no such key is left out: sets are for other purposes too.
    /// - Returns: nil where it is no set.
    static func usableKeys(ofJWKS bytes: Data) -> [AssertionKey]? {
        guard let jwks = try? JSONParser.parse(Array(bytes)), case .array(let members)? = jwks["keys"] else {
            return nil
        }
        return members.prefix(longestSet).compactMap { try? AssertionKey(jwk: $0) }
    }
}
