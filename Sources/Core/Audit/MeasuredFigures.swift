import Foundation
import Synchronization

/// What a server measures itself because no event of the log says it: messages that it delivered, and how long requests took.
///
/// Each server counts in memory and adds what came since to one document of the store, at most once a minute and only where something
/// came: the figures are of all servers, survive restarts, and a process that is killed loses a minute (`docs/decisions/0489`).
public final class MeasuredFigures: Sendable {
    static let document = "measured-figures"

    private let deliveries: DeliveryStatistics
    private let durations: RequestDurations
    /// What was written before, by the names of the document.
    private let written = Mutex<[String: Int]>([:])

    /// What these have counted and will.
    public init(deliveries: DeliveryStatistics, durations: RequestDurations) {
        self.deliveries = deliveries
        self.durations = durations
    }

    /// Adds what came since the last time to the hour that is under way.
    ///
    /// Where the store does not take it, it is added the next time.
    public func write(to realm: Realm) async throws {
        let present = present
        let fresh = written.withLock { written in
            var fresh: [String: Int] = [:]
            for (key, count) in present where count > written[key] ?? 0 {
                fresh[key] = count - (written[key] ?? 0)
                written[key] = count
            }
            return fresh
        }
        guard !fresh.isEmpty else { return }
        let hour = Figures.hour(of: realm.clock.now)
        do {
            try await realm.store.write { transaction in
                var tally = try HourlyTally.read(Self.document, transaction)
                for (key, count) in fresh { tally.hours[String(hour), default: [:]][key, default: 0] += count }
                tally.forget(before: hour - Figures.hours + 1)
                try transaction.putDocument(Self.document, JSONEncoder().encode(tally))
            }
        } catch {
            written.withLock { written in
                for (key, count) in fresh { written[key, default: 0] -= count }
            }
            throw error
        }
    }

    /// All counts since the process began.
    private var present: [String: Int] {
        var counts: [String: Int] = [:]
        for (name, channels) in Self.delivered {
            let count = channels.reduce(0) { $0 + deliveries.counts(of: $1).delivered }
            if count > 0 { counts[name.rawValue] = count }
        }
        for (kind, numbers) in durations.all {
            for (bucket, count) in numbers { counts["\(HourlyTally.requests)/\(kind.rawValue)/\(bucket)"] = count }
        }
        return counts
    }

    /// A code that a service of the developer's own sends counts as a mail, as it does where it fails.
    private static let delivered: [(Figures.Name, [OutboxMessage.Channel])] = [
        (.deliveredMails, [.email, .otp]), (.deliveredPushes, [.push]),
    ]
}

/// Numbers by hour since 1970, then by name: what servers measured, as the document has it.
struct HourlyTally: Codable, Sendable {
    /// `requests/pages/37`: requests of that kind, in that bucket.
    static let requests = "requests"

    var hours: [String: [String: Int]] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        hours = try members.decodeIfPresent([String: [String: Int]].self, forKey: .hours) ?? [:]
    }

    static func read(_ name: String, _ transaction: any StoreTransaction) throws -> HourlyTally {
        try transaction.document(name).map { try JSONDecoder().decode(HourlyTally.self, from: $0) } ?? HourlyTally()
    }

    mutating func forget(before hour: Int) {
        hours = hours.filter { Int($0.key).map { $0 >= hour } ?? false }
    }

    /// Durations of each kind of request, over these hours.
    func latencies(of range: [Int]) -> [Figures.Latency] {
        RequestDurations.Kind.allCases.map { kind in
            let prefix = "\(Self.requests)/\(kind.rawValue)/"
            let hourly = range.map { hour in
                (hours[String(hour)] ?? [:]).reduce(into: [Int: Int]()) { numbers, entry in
                    guard entry.key.hasPrefix(prefix), let bucket = Int(entry.key.dropFirst(prefix.count)),
                        (0..<DurationBuckets.count).contains(bucket)
                    else { return }
                    numbers[bucket] = entry.value
                }
            }
            let whole = hourly.reduce(into: [Int: Int]()) { $0.merge($1, uniquingKeysWith: +) }
            return Figures.Latency(
                kind: kind, counts: hourly.map { $0.values.reduce(0, +) },
                medians: hourly.map { DurationBuckets.quantile(0.5, of: $0) },
                highs: hourly.map { DurationBuckets.quantile(Figures.highPart, of: $0) },
                median: DurationBuckets.quantile(0.5, of: whole),
                high: DurationBuckets.quantile(Figures.highPart, of: whole))
        }
    }
}

extension Figures {
    /// Of a hundred requests ninety-nine took no longer.
    static let highPart = 0.99

    /// How long requests of one kind took, hour by hour, in microseconds.
    public struct Latency: Sendable, Equatable {
        /// What is measured together.
        public let kind: RequestDurations.Kind
        /// Requests of each hour.
        public let counts: [Int]
        /// What half of the requests of an hour did not exceed; nil where there were none.
        public let medians: [Int?]
        /// What ninety-nine of a hundred did not exceed.
        public let highs: [Int?]
        /// What half of the requests of the day did not exceed.
        public let median: Int?
        /// What ninety-nine of a hundred of the day did not exceed.
        public let high: Int?
    }
}
