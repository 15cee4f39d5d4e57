import Foundation

/// What a user has put off: enrolling a second factor where one is required.
public struct PutOffEnrolment: Sendable, Equatable, Codable {
    /// How often the user has done so.
    public let times: Int
    /// When the user did so last.
    public let at: Date

    /// What was put off so often, and last at that instant.
    public init(times: Int, at: Date) {
        self.times = times
        self.at = at
    }
}

/// What a user without a second factor may still put off.
public struct EnrolmentDelay: Sendable, Equatable {
    /// How often, the next time among them; nil is without bound.
    public let timesLeft: Int?
    /// The end of the last day on which that is possible; nil where none is set.
    public let until: Date?
}

/// Enrolling a second factor that is required may be put off: each time for a day, whichever applications the user signs in to, so that
/// every server and every tab sees the same (`docs/decisions/0430`).
extension SecondFactorSettings {
    /// Seconds for which a user who has put it off is not asked again.
    static let delay: TimeInterval = 86_400

    /// Whether a text can be ``skippableUntil``: a day of the calendar, `2026-12-03`.
    public static func isDay(_ text: String) -> Bool { start(ofDay: text) != nil }

    private static func start(ofDay text: String) -> Date? {
        guard text.utf8.count == 10, let start = Timestamp(rfc3339: "\(text)T00:00:00Z"),
            start.rfc3339.hasPrefix(text)
        else { return nil }
        return start.date
    }

    /// From when on nothing is put off any more; nil where no day is set. A day that cannot be read is over.
    var skippableEnd: Date? {
        skippableUntil.map { Self.start(ofDay: $0).map { $0 + 86_400 } ?? .distantPast }
    }

    /// Whether anybody may put it off.
    public func isSkippable(at now: Date) -> Bool {
        guard skippableTimes != nil || skippableUntil != nil, skippableTimes != 0 else { return false }
        return skippableEnd.map { now < $0 } ?? true
    }

    /// What a user may still put off; nil where that is nothing.
    public func delay(for profile: UserProfile, at now: Date) -> EnrolmentDelay? {
        guard isSkippable(at: now) else { return nil }
        let left = skippableTimes.map { $0 - (profile.putOffEnrolment?.times ?? 0) }
        if let left, left <= 0 { return nil }
        return EnrolmentDelay(timesLeft: left, until: skippableEnd)
    }

    /// Whether a user has put it off, and is not asked again yet. What was put off counts no more where the rule admits no delay any more.
    func isPutOff(by profile: UserProfile, at now: Date) -> Bool {
        guard let given = profile.putOffEnrolment, isSkippable(at: now) else { return false }
        return abs(now.timeIntervalSince(given.at)) < Self.delay
    }
}

extension UserProfile {
    /// Counts once more what the user puts off.
    mutating func putOffEnrolment(at now: Date) {
        putOffEnrolment = PutOffEnrolment(times: (putOffEnrolment?.times ?? 0) + 1, at: now)
    }
}

extension PutOffEnrolment: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var times: Int?
        var at: Date?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "times": times = try json.read()
            case "at": at = try json.read()
            default: try json.skip()
            }
        }
        self.times = try json.required(times, "times")
        self.at = try json.required(at, "at")
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("at", at)
        try json.write("times", times)
        json.endObject()
    }
}

extension AuditEvent.Kind {
    /// A user put off enrolling a second factor.
    public static let factorPutOff = Self(rawValue: "factor.put-off")
}
