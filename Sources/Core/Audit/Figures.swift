import Foundation

/// How often something happened, hour by hour, over the last day: for people who look at a plot.
///
/// The log is what is counted, so that nothing is written for it when users sign in (`docs/decisions/0353`). Hours that are over are
/// counted once and kept in one document; what came since is counted when it is asked for. What the log does not have is measured by each
/// server: ``MeasuredFigures``.
public struct Figures: Sendable {
    let realm: Realm

    static let document = "figures"
    /// Hours that are shown; the last one is under way.
    public static let hours = 24
    /// Seconds after which an event has surely come into the log: it has its time from before it was committed.
    static let settling: TimeInterval = 30
    /// Seconds of the log that are counted at a time.
    static let step: TimeInterval = 3600
    /// Labels of one figure, the most frequent first.
    static let mostLabels = 12

    /// The names. They are stable.
    public enum Name: String, Sendable, CaseIterable {
        /// Completed sign-ins.
        case signIns = "sign-ins"
        /// Accounts that users made.
        case signUps = "sign-ups"
        /// Answers that were refused; labelled with the reason.
        case refusals
        /// Answers that were refused because so many had been wrong before.
        case lockouts
        /// Second factors that sign-ins were completed with; labelled with the kind.
        case secondFactors = "second-factors"
        /// Mails that the next server on their way took.
        case deliveredMails = "mails-delivered"
        /// Mails that will not arrive.
        case failedMails = "mails-failed"
        /// Pushes that the service of the devices took.
        case deliveredPushes = "pushes-delivered"
        /// Pushes that will not arrive.
        case failedPushes = "pushes-failed"
        /// Events that a hook was not told in the end.
        case failedHooks = "hooks-failed"
    }

    /// The numbers of one figure, hour by hour.
    public struct Series: Sendable, Equatable {
        /// The figure.
        public let name: Name
        /// A reason or a kind; nil where there are none.
        public let label: String?
        /// One number for each hour.
        public let counts: [Int]
    }

    /// The last 24 hours.
    public struct Day: Sendable, Equatable {
        /// Beginnings of hours, the oldest first.
        public let hours: [Date]
        /// In the order of ``Name``, then of how often; a name of which nothing is known has one series of zeros.
        public let series: [Series]
        /// How long requests took, each kind once.
        public let latencies: [Latency]
    }

    /// The last day as of now.
    public func lastDay() async throws -> Day {
        let now = realm.clock.now
        let last = Self.hour(of: now)
        let first = last - Self.hours + 1
        let (tally, measured) = try await realm.store.read { transaction in
            var tally = try Tally.read(transaction)
            let begin = max(tally.through ?? .distantPast, Self.begin(of: first))
            tally.add(try transaction.auditCounts(from: .bound(begin), before: .end))
            return (tally, try HourlyTally.read(MeasuredFigures.document, transaction))
        }
        return tally.day(from: first, to: last, measured)
    }

    /// What could not be delivered to the outside, the newest first: 20 events at most, found by their ids.
    public func failures() async throws -> [AuditEvent] {
        let begin = Self.begin(of: Self.hour(of: realm.clock.now) - Self.hours + 1)
        return try await realm.store.read { transaction in
            let tally = try Tally.read(transaction)
            let recent = try transaction.auditEvents(
                ofKinds: Self.failureKinds, from: .bound(max(tally.through ?? .distantPast, begin)), before: .end,
                limit: Self.mostFailures)
            // What the log has forgotten since is no failure of today.
            let known = try tally.failures.prefix(Self.mostFailures - recent.count).compactMap {
                try transaction.auditEvent($0)
            }
            return recent + known
        }
    }

    /// Failures that are remembered.
    static let mostFailures = 20
    static let failureKinds: Set<AuditEvent.Kind> = [.mailFailed, .pushFailed, .logoutFailed, .extensionFailed]

    /// Counts what has settled since the last time, an hour of the log at a time. Servers that do so together count everything once.
    public func advance() async throws {
        let now = realm.clock.now
        for _ in 0...Self.hours {
            let known = try await realm.store.read { try Tally.read($0) }.through
            let oldest = Self.begin(of: Self.hour(of: now) - Self.hours + 1)
            let begin = max(known ?? oldest, oldest)
            let end = min(begin + Self.step, now - Self.settling)
            guard end > begin else { return }
            let (counts, failures) = try await realm.store.read { transaction in
                let counts = try transaction.auditCounts(from: .bound(begin), before: .bound(end))
                // The part of the log is read a second time only where something failed.
                let hasFailures = counts.contains { Self.failureKinds.contains($0.kind) }
                return (
                    counts,
                    hasFailures
                        ? try transaction.auditEvents(
                            ofKinds: Self.failureKinds, from: .bound(begin), before: .bound(end),
                            limit: Self.mostFailures
                        ).map(\.id) : []
                )
            }
            // Where nothing happens nothing is written, but that the next look need not be long.
            if counts.isEmpty, end.timeIntervalSince(begin) < Self.step { return }
            let isNext = try await realm.store.write { transaction in
                var tally = try Tally.read(transaction)
                guard tally.through == known else { return false }
                tally.add(counts)
                tally.failures = Array((failures + tally.failures).prefix(Self.mostFailures))
                tally.through = end
                tally.forget(before: Self.hour(of: oldest))
                try transaction.putDocument(Self.document, JSONEncoder().encode(tally))
                return true
            }
            guard isNext else { return }
        }
    }

    static func hour(of date: Date) -> Int { Int((date.timeIntervalSince1970 / 3600).rounded(.down)) }
    static func begin(of hour: Int) -> Date { Date(timeIntervalSince1970: Double(hour) * 3600) }
}

/// What was counted, as the document has it.
private struct Tally: Codable, Sendable {
    /// Up to where the log was counted.
    var through: Date?
    /// Numbers by hour since 1970, then by name and label: `refusals/wrongAnswer`.
    var hours: [String: [String: Int]] = [:]
    /// Ids of what could not be delivered, the newest first.
    var failures: [String] = []

    init() {}

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        through = try members.decodeIfPresent(Date.self, forKey: .through)
        hours = try members.decodeIfPresent([String: [String: Int]].self, forKey: .hours) ?? [:]
        failures = try members.decodeIfPresent([String].self, forKey: .failures) ?? []
    }

    static func read(_ transaction: any StoreTransaction) throws -> Tally {
        try transaction.document(Figures.document).map { try JSONDecoder().decode(Tally.self, from: $0) } ?? Tally()
    }

    mutating func add(_ counts: [AuditCount]) {
        for count in counts {
            for key in Self.keys(of: count) { hours[String(count.hour), default: [:]][key, default: 0] += count.count }
        }
    }

    mutating func forget(before hour: Int) {
        hours = hours.filter { Int($0.key).map { $0 >= hour } ?? false }
    }

    /// What an event counts as.
    private static func keys(of count: AuditCount) -> [String] {
        let name: Figures.Name
        switch count.kind {
        case .signedIn:
            let factor = count.secondFactor.map { ["\(Figures.Name.secondFactors.rawValue)/\($0)"] }
            return [Figures.Name.signIns.rawValue] + (factor ?? [])
        case .answerRefused:
            let reason = count.reason ?? ""
            let isLockout = [Refusal.Reason.lockedOut, .authenticatorDisabled].map(\.rawValue).contains(reason)
            return ["\(Figures.Name.refusals.rawValue)/\(reason)"] + (isLockout ? [Figures.Name.lockouts.rawValue] : [])
        case .signedUp: name = .signUps
        case .mailFailed: name = .failedMails
        case .pushFailed: name = .failedPushes
        case .hookEventFailed: name = .failedHooks
        default: return []
        }
        return [name.rawValue]
    }

    func day(from first: Int, to last: Int, _ measured: HourlyTally) -> Figures.Day {
        let range = Array(first...last)
        let rows = range.map { hour in
            (hours[String(hour)] ?? [:]).merging(measured.hours[String(hour)] ?? [:], uniquingKeysWith: +)
        }
        let keys = Set(rows.flatMap(\.keys))
        let series = Figures.Name.allCases.flatMap { name -> [Figures.Series] in
            let own = keys.filter { $0 == name.rawValue || $0.hasPrefix(name.rawValue + "/") }
            let all = own.map { key in
                let label = key.dropFirst(name.rawValue.count + 1)
                return Figures.Series(
                    name: name, label: label.isEmpty ? nil : String(label), counts: rows.map { $0[key] ?? 0 })
            }
            let sorted = all.sorted { left, right in
                let sums = (left.counts.reduce(0, +), right.counts.reduce(0, +))
                return sums.0 == sums.1 ? left.label ?? "" < right.label ?? "" : sums.0 > sums.1
            }
            return sorted.isEmpty
                ? [Figures.Series(name: name, label: nil, counts: range.map { _ in 0 })]
                : Array(sorted.prefix(Figures.mostLabels))
        }
        return Figures.Day(
            hours: range.map(Figures.begin), series: series, latencies: measured.latencies(of: range))
    }
}

/// A place in the log: before the events of an instant.
public struct AuditBound: Sendable, Equatable {
    /// Sorts before the ids of all events of the instant and after those of earlier ones.
    public let id: String

    /// The place before all events of an instant.
    public static func bound(_ date: Date) -> AuditBound { AuditBound(id: AuditEvent.idPrefix(at: date)) }
    /// After everything: `g` comes after all hexadecimal digits.
    public static let end = AuditBound(id: "g")
}

/// How many events of one sort an hour has.
public struct AuditCount: Sendable, Equatable {
    /// Hours since 1970.
    public let hour: Int
    /// The kind of the events.
    public let kind: AuditEvent.Kind
    /// Why an answer was refused; nil for other kinds.
    public let reason: String?
    /// The kind of second factor that a sign-in was completed with.
    public let secondFactor: String?
    /// How many there were in that hour.
    public let count: Int

    /// A count as stores make it.
    public init(hour: Int, kind: AuditEvent.Kind, reason: String?, secondFactor: String?, count: Int) {
        self.hour = hour
        self.kind = kind
        self.reason = reason
        self.secondFactor = secondFactor
        self.count = count
    }

    /// The member of a sign-in's details that names the second factor.
    public static let secondFactorMember = "secondFactor"
}

extension Realm {
    /// What happened in the last day, hour by hour.
    public var figures: Figures { Figures(realm: self) }
}
