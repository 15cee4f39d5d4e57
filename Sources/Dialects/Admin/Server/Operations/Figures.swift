import CountersignCore

/// What happened in the last day, hour by hour: sign-ins, refusals by reason, second factors by kind, what was delivered, how long requests
/// took.
public struct ShowFigures: AdministrationOperation {
    public static let name = "figures:show"
    public static let right = AdministrationRight.readFigures

    public init() {}

    public struct Answer: Codable, Sendable {
        /// Beginnings of 24 hours in UTC, the oldest first; the last one is under way.
        public let hours: [Timestamp]
        /// Every name at least once.
        public let series: [FigureSeries]
        /// How long requests took, each kind once.
        public let latencies: [LatencySeries]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let day = try await realm.figures.lastDay()
        return Answer(
            hours: day.hours.map(Timestamp.init),
            series: day.series.map { FigureSeries(name: $0.name.rawValue, label: $0.label, counts: $0.counts) },
            latencies: day.latencies.map(LatencySeries.init))
    }
}

/// One figure over the hours.
public struct FigureSeries: Codable, Sendable, Equatable {
    /// `sign-ins`, `sign-ups`, `refusals`, `lockouts`, `second-factors`, `mails-delivered`, `mails-failed`, `pushes-delivered`,
    /// `pushes-failed`, `hooks-failed`.
    public let name: String
    /// The reason of refusals, the kind of second factors; nil for others, and where nothing happened.
    public let label: String?
    /// As many as there are hours.
    public let counts: [Int]

    public var total: Int { counts.reduce(0, +) }
}

/// How long requests of one kind took over the hours, in microseconds.
public struct LatencySeries: Codable, Sendable, Equatable {
    /// `pages`, `applications` (their requests, whatever the protocol), `administration`.
    public let requests: String
    /// Requests of each hour.
    public let counts: [Int]
    /// What half of the requests of an hour did not exceed; 0 where there were none.
    public let medians: [Int]
    /// What ninety-nine of a hundred did not exceed; 0 where there were none.
    public let highs: [Int]
    /// What half of the requests of all hours did not exceed; nil where there were none.
    public let median: Int?
    /// What ninety-nine of a hundred of all hours did not exceed.
    public let high: Int?

    init(_ latency: Figures.Latency) {
        requests = latency.kind.rawValue
        counts = latency.counts
        (medians, highs) = (latency.medians.map { $0 ?? 0 }, latency.highs.map { $0 ?? 0 })
        (median, high) = (latency.median, latency.high)
    }

    public var total: Int { counts.reduce(0, +) }

    /// A duration as people read it: `840 µs`, `12 ms`, `9000 ms`, `31 s`.
    public static func text(_ microseconds: Int) -> String {
        switch microseconds {
        case ..<1000: "\(microseconds) µs"
        case ..<10_000_000: "\(microseconds / 1000) ms"
        default: "\(microseconds / 1_000_000) s"
        }
    }
}
