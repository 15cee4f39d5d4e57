import Foundation

/// A mail as it goes over the wire: headers, a part in plain text and one in HTML (RFC 5322, RFC 2046 section 5.1.4).
struct MailMessage {
    let from: MailAddress
    let to: MailAddress
    let mail: ComposedMail
    /// The outbox's; the same for every attempt, and so is what is made of it.
    let id: String
    let date: Date

    /// Ends of lines are CR LF, as everything between mail servers.
    var bytes: [UInt8] {
        let host = from.address.split(separator: "@").last.map(String.init) ?? "localhost"
        let boundary = "=_countersign_\(id)"
        var headers: [(String, String)] = [
            ("Date", Self.date(date)), ("From", Self.mailbox(from)), ("To", Self.mailbox(to)),
            ("Subject", MailEncoding.header(mail.subject)), ("Message-ID", "<\(id).countersign@\(host)>"),
            // No vacation notices, please (RFC 3834).
            ("Auto-Submitted", "auto-generated"), ("MIME-Version", "1.0"),
            ("Content-Type", "multipart/alternative;\r\n boundary=\"\(boundary)\""),
        ]
        if let language = mail.language { headers.append(("Content-Language", language)) }
        var text = headers.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
        // The last alternative is the one to show.
        for (type, part) in [("text/plain", mail.text), ("text/html", mail.html)] {
            let (encoding, lines) = MailEncoding.body(part)
            text +=
                "--\(boundary)\r\nContent-Type: \(type); charset=utf-8\r\n"
                + "Content-Transfer-Encoding: \(encoding)\r\n\r\n\(lines)"
        }
        text += "--\(boundary)--\r\n"
        return Array(text.utf8)
    }

    private static func mailbox(_ address: MailAddress) -> String {
        guard let name = address.name else { return "<\(address.address)>" }
        let isAtom = name.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 32
        }
        let shown = isAtom && name.utf8.count <= 60 ? name : MailEncoding.encodedWords(name)
        return "\(shown) <\(address.address)>"
    }

    /// RFC 5322, section 3.3, in UTC.
    static func date(_ date: Date) -> String {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let (days, second) = seconds.quotientAndRemainder(byFlooring: 86_400)
        let weekday = (days + 4).quotientAndRemainder(byFlooring: 7).remainder
        // Years begin in March here, so that a leap day is the last of one; 146,097 days are 400 years.
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(byFlooring: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 2 : monthFromMarch - 10
        let year = era * 400 + yearOfEra + (month < 2 ? 1 : 0)
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(weekdays[weekday]), \(two(day)) \(months[month]) \(year) "
            + "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60)) +0000"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}

extension Int {
    /// Of negative numbers too the remainder is not negative.
    fileprivate func quotientAndRemainder(byFlooring divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
