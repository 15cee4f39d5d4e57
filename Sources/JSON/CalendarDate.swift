/// A day of the Gregorian calendar, also before it was introduced (ISO 8601, section 4.2.1): plain arithmetic for the texts of
/// instants, without a formatter.
package struct CalendarDate: Sendable, Equatable {
    /// Year 0 is the one before year 1.
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// 1 to 31.
    package let day: Int

    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// - Parameter days: since 1970-01-01; earlier days are negative.
    package init(daysSinceEpoch days: Int) {
        let (cycle, dayOfCycle) = (days + Self.epoch).flooredQuotientAndRemainder(by: Self.daysOfCycle)
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * fromMarch + 2) / 5 + 1
    }

    /// Days since 1970-01-01; of dates that exist.
    package var daysSinceEpoch: Int {
        let (cycle, yearOfCycle) = (month <= 2 ? year - 1 : year).flooredQuotientAndRemainder(by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return cycle * Self.daysOfCycle + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
            - Self.epoch
    }

    /// Whether the calendar has the date.
    package var exists: Bool { (1...12).contains(month) && day >= 1 && day <= Self.days(inMonth: month, of: year) }

    /// `Mon`, `Tue`, … (RFC 5322, section 3.3; RFC 9110, section 5.6.7).
    package var weekday: String {
        // 1970-01-01 was a Thursday.
        Self.weekdays[(daysSinceEpoch + 4).flooredQuotientAndRemainder(by: 7).remainder]
    }

    /// `Jan`, `Feb`, … of a date that exists.
    package var monthName: String { Self.months[month - 1] }

    // Years are counted from March, so that the leap day is the last day of its year, in cycles of 400 years.
    private static let daysOfCycle = 146_097
    /// 1970-01-01, counted from March of year 0.
    private static let epoch = 719_468
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// A time of day in whole seconds, beside its date: what texts of an instant are made of.
package struct CalendarTime: Sendable, Equatable {
    package let date: CalendarDate
    package let hour: Int
    package let minute: Int
    package let second: Int

    /// - Parameter seconds: since 1970-01-01T00:00:00Z, without leap seconds; earlier ones are negative.
    package init(secondsSinceEpoch seconds: Int) {
        let (days, ofDay) = seconds.flooredQuotientAndRemainder(by: 86_400)
        date = CalendarDate(daysSinceEpoch: days)
        (hour, minute, second) = (ofDay / 3600, ofDay / 60 % 60, ofDay % 60)
    }

    /// `08:49:37`.
    package var clock: String { [hour, minute, second].map { $0.padded(to: 2) }.joined(separator: ":") }
}

extension Int {
    /// The number with zeros before it, of a number that is not negative.
    package func padded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }

    /// The remainder is not negative where the number is.
    fileprivate func flooredQuotientAndRemainder(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
