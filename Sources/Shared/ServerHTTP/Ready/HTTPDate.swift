/// An instant as HTTP writes it (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameter seconds: since 1970-01-01T00:00:00Z; what lies before that counts as that instant.
    static func text(of seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let (day, time) = (Int(seconds / 86_400), Int(seconds % 86_400))
        // Eras of 400 years that begin on the first of March, so that the leap day is the last of its year.
        let shifted = day + 719_468
        let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        let clock = [time / 3600, time / 60 % 60, time % 60].map { padded($0, 2) }.joined(separator: ":")
        let date = "\(padded(dayOfYear - (153 * march + 2) / 5 + 1, 2)) \(months[month - 1]) \(padded(year, 4))"
        return "\(days[day % 7]), \(date) \(clock) GMT"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
