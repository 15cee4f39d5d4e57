import CountersignCore

/// What happened in the last day, hour by hour: sign-ins, refusals by reason, second factors by kind.
public struct ShowFigures: AdministrationOperation {
    public static let name = "figures:show"
    public static let right = AdministrationRight.readFigures

    public init() {}

    public struct Answer: Codable, Sendable {
        /// Beginnings of 24 hours in UTC, the oldest first; the last one is under way.
        public let hours: [Timestamp]
        /// Every name at least once.
        public let series: [FigureSeries]
    }

    public func perform(
        _ permit: AdministrationPermit, on realm: Realm, by client: ClientContext
    ) async throws -> Answer {
        let day = try await realm.figures.lastDay()
        return Answer(
            hours: day.hours.map(Timestamp.init),
            series: day.series.map { FigureSeries(name: $0.name.rawValue, label: $0.label, counts: $0.counts) })
    }
}

/// One figure over the hours.
public struct FigureSeries: Codable, Sendable, Equatable {
    /// `sign-ins`, `sign-ups`, `refusals`, `lockouts`, `second-factors`, `mails-failed`, `pushes-failed`, `hooks-failed`.
    public let name: String
    /// The reason of refusals, the kind of second factors; nil for others, and where nothing happened.
    public let label: String?
    /// As many as there are hours.
    public let counts: [Int]

    public var total: Int { counts.reduce(0, +) }
}
