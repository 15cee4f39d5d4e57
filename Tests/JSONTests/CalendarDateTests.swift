import Testing

@testable import JSON

@Suite("Dates of the calendar")
struct CalendarDateTests {
    @Test(arguments: [
        (0, 1970, 1, 1, "Thu"), (-1, 1969, 12, 31, "Wed"), (11_016, 2000, 2, 29, "Tue"), (11_017, 2000, 3, 1, "Wed"),
        (20_720, 2026, 9, 24, "Thu"), (47_540, 2100, 2, 28, "Sun"), (47_541, 2100, 3, 1, "Mon"),
        (-719_528, 0, 1, 1, "Sat"), (2_932_896, 9999, 12, 31, "Fri"),
    ])
    func `A count of days is a date, and the date that count`(
        days: Int, year: Int, month: Int, day: Int, weekday: String
    ) {
        let date = CalendarDate(daysSinceEpoch: days)
        #expect(date == CalendarDate(year: year, month: month, day: day))
        #expect(date.daysSinceEpoch == days && date.weekday == weekday && date.exists)
    }

    @Test func `Every day of 800 years follows the one before`() {
        var before = CalendarDate(daysSinceEpoch: -146_097)
        for days in -146_096...146_097 {
            let date = CalendarDate(daysSinceEpoch: days)
            let isNext =
                date == CalendarDate(year: before.year, month: before.month, day: before.day + 1)
                || date == CalendarDate(year: before.year, month: before.month + 1, day: 1)
                || date == CalendarDate(year: before.year + 1, month: 1, day: 1) && before.month == 12
            guard isNext, date.exists, date.daysSinceEpoch == days else {
                Issue.record("\(date) after \(before)")
                return
            }
            before = date
        }
    }

    @Test(arguments: [
        (2023, 2, 29), (1900, 2, 29), (2024, 4, 31), (2024, 0, 1), (2024, 13, 1), (2024, 1, 0), (2024, 1, 32),
    ])
    func `Dates that the calendar has not do not exist`(year: Int, month: Int, day: Int) {
        #expect(!CalendarDate(year: year, month: month, day: day).exists)
    }

    @Test func `Times of day are in whole seconds, also before 1970`() {
        let last = CalendarTime(secondsSinceEpoch: -1)
        #expect(last.date.monthName == "Dec" && last.date.day == 31 && last.clock == "23:59:59")
        #expect(CalendarTime(secondsSinceEpoch: 3_661).clock == "01:01:01")
        #expect(
            [7.padded(to: 2), 12.padded(to: 2), 1994.padded(to: 4), 123.padded(to: 2)] == ["07", "12", "1994", "123"])
    }
}
