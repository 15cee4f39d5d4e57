import Foundation

/// An instant as RFC 3339 in UTC with milliseconds, `2026-07-29T08:15:00.250Z`: every machine and every reader of a log
/// means the same by it.
public struct Timestamp: Codable, Sendable, Hashable {
    /// In whole milliseconds, so that it survives being written and read.
    public let date: Date

    /// The instant, rounded down to a whole millisecond.
    public init(_ date: Date) {
        self.date = Date(microseconds: date.milliseconds * 1000)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let date = try? Date(text, strategy: Self.milliseconds) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "This is no RFC 3339 time.")
        }
        // What is read is a Double, which may lie just below the millisecond that was meant.
        self.init(date + 0.000_5)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(date.formatted(Self.milliseconds))
    }

    /// The instant that an RFC 3339 text is, with or without fractions of a second; nil where it is none.
    package init?(rfc3339 text: String) {
        guard text.utf8.count <= 64,
            let date = (try? Date(text, strategy: Self.milliseconds)) ?? (try? Date(text, strategy: .iso8601))
        else { return nil }
        self.init(date + 0.000_5)
    }

    /// With milliseconds: `2026-07-29T08:15:00.250Z`.
    package var rfc3339: String { date.formatted(Self.milliseconds) }

    private static var milliseconds: Date.ISO8601FormatStyle { .init(includingFractionalSeconds: true) }
}
