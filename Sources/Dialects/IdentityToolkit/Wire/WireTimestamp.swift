import Foundation

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
        return string(microseconds: Int64(whole) * 1_000_000 + Int64(micros))
    }

    /// The point in time that a text names, or nil where it is no RFC 3339 time.
    public static func date(from text: String) -> Date? {
        var reader = Reader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2)
        else { return nil }
        guard (1...12).contains(month), (1...daysInMonth(month, of: year)).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        var fraction = 0.0
        if reader.skip(".") {
            guard let digits = reader.fraction() else { return nil }
            fraction = digits
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        let seconds = daysSinceEpoch(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60 + second
        return Date(timeIntervalSince1970: Double(seconds - offset) + fraction)
    }

    private static let earliest = -62_167_219_200.0
    private static let latest = 253_402_300_799.0

    private static func string(microseconds: Int64) -> String {
        let seconds = microseconds.floorDivided(by: 1_000_000)
        let days = Int(seconds.floorDivided(by: 86_400))
        let ofDay = Int(seconds) - days * 86_400
        let (year, month, day) = civil(daysSinceEpoch: days)
        let micros = Int(microseconds - seconds * 1_000_000)
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T" + padded(ofDay / 3_600, 2) + ":"
            + padded(ofDay / 60 % 60, 2) + ":" + padded(ofDay % 60, 2) + "." + padded(micros, 6) + "Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    // Both directions count years from March, so that the leap day is the last day of a year, in eras of 400 years.

    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.floorDivided(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(daysSinceEpoch days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func daysInMonth(_ month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

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

extension BinaryInteger {
    fileprivate func floorDivided(by divisor: Self) -> Self {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
