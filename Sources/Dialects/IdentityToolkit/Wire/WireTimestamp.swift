import Foundation
import JSON

/// The protocol's points in time: RFC 3339 in UTC with six digits of a second, `2026-09-24T10:11:12.123456Z`.
///
/// Clients of the original take a time without a fraction for no time at all, so it is always written. Reading takes
/// any number of digits and any offset. Plain arithmetic: no formatter is made. Source: RFC 3339 5.6.
public enum WireTimestamp {
    /// The text for a point in time, rounded to microseconds. Times outside the years 0 to 9999 are moved to the
    /// nearest edge.
    public static func string(from date: Date) -> String {
        let seconds = date.timeIntervalSince1970
        let bounded = seconds.isNaN ? 0 : min(max(seconds, earliest), latest)
        let whole = bounded.rounded(.down)
        let micros = ((bounded - whole) * 1_000_000).rounded()
        // A fraction may be rounded up to a whole second.
        let time = CalendarTime(secondsSinceEpoch: Int(whole) + Int(micros) / 1_000_000)
        let day = time.date
        return "\(day.year.padded(to: 4))-\(day.month.padded(to: 2))-\(day.day.padded(to: 2))T\(time.clock)."
            + "\((Int(micros) % 1_000_000).padded(to: 6))Z"
    }

    /// The point in time that a text names, or nil where it is no RFC 3339 time.
    public static func date(from text: String) -> Date? {
        var reader = Reader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2)
        else { return nil }
        let date = CalendarDate(year: year, month: month, day: day)
        guard date.exists, hour < 24, minute < 60, second <= 60 else { return nil }
        var fraction = 0.0
        if reader.skip(".") {
            guard let digits = reader.fraction() else { return nil }
            fraction = digits
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        let seconds = date.daysSinceEpoch * 86_400 + hour * 3_600 + minute * 60 + second
        return Date(timeIntervalSince1970: Double(seconds - offset) + fraction)
    }

    private static let earliest = -62_167_219_200.0
    private static let latest = 253_402_300_799.0

    private struct Reader {
        private var rest: Substring.UTF8View

        init(_ text: String) { rest = Substring(text).utf8 }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: character) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func digit() -> Int? {
            guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            rest.removeFirst()
            return Int(byte - UInt8(ascii: "0"))
        }

        mutating func number(_ width: Int) -> Int? {
            var value = 0
            for _ in 0..<width {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        /// Digits after the point; what is finer than a nanosecond is passed over.
        mutating func fraction() -> Double? {
            guard var value = digit() else { return nil }
            var scale = 10
            while let next = digit() {
                guard scale < 1_000_000_000 else { continue }
                value = value * 10 + next
                scale *= 10
            }
            return Double(value) / Double(scale)
        }

        /// Seconds east of UTC.
        mutating func offset() -> Int? {
            if skip("Z") || skip("z") { return 0 }
            let sign = skip("+") ? 1 : skip("-") ? -1 : 0
            guard sign != 0, let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60
            else { return nil }
            return sign * (hours * 3_600 + minutes * 60)
        }
    }
}
