import JSON

/// An instant as HTTP writes it (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    /// - Parameter seconds: since 1970-01-01T00:00:00Z; what lies before that counts as that instant.
    static func text(of seconds: Int64) -> String {
        let time = CalendarTime(secondsSinceEpoch: Int(max(0, seconds)))
        let date = time.date
        let day = "\(date.day.padded(to: 2)) \(date.monthName) \(date.year.padded(to: 4))"
        return "\(date.weekday), \(day) \(time.clock) GMT"
    }
}
