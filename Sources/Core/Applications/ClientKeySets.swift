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
    /// Sets that are kept. Where there are more, those that are being fetched alone stay.
    static let capacity = 1000

    /// What strangers named is kept apart: what could not be fetched for them may be there for others.
    private struct Name: Hashable {
        let uri: String
        let isStrangers: Bool
    }

    private struct Entry: Sendable {
        var keys: [AssertionKey]?
        var freshUntil = Date.distantPast
        var askedAt: Date?
        var fetching: Task<FetchedKeySet?, Never>?

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

    private let fetcher: any KeySetFetcher
    private let entries = Mutex<[Name: Entry]>([:])

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
        let name = Name(uri: uri, isStrangers: isStrangers)
        let fetching = entries.withLock { entries -> Task<FetchedKeySet?, Never>? in
            var entry = entries[name] ?? Entry()
            if let fetching = entry.fetching { return entry.keys == nil || entry.isMissing(id) ? fetching : nil }
            guard entry.isDue(naming: id, at: now) else { return nil }
            if entries.count >= Self.capacity { entries = entries.filter { $0.value.fetching != nil } }
            // Of all who wait: a caller that leaves does not end it. The fetcher bounds its time.
            let task = Task { [fetcher] in await fetcher.fetch(uri, isStrangers: isStrangers) }
            entry.askedAt = now
            entry.fetching = task
            entries[name] = entry
            return task
        }
        if let fetching {
            let fetched = await fetching.value
            entries.withLock { entries in
                guard entries[name]?.fetching == fetching else { return }
                entries[name]?.fetching = nil
                guard let fetched, let keys = AssertionKey.usableKeys(ofJWKS: fetched.body) else { return }
                entries[name]?.keys = keys
                let lifetime = min(max(fetched.lifetime ?? 0, Self.leastLifetime), Self.mostLifetime)
                entries[name]?.freshUntil = now + lifetime
            }
        }
        return entries.withLock { $0[name]?.keys } ?? []
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
