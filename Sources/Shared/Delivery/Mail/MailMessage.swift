import CountersignCore
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
        let isAtom = name.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: " ") }
        let shown = isAtom && name.utf8.count <= 60 ? name : MailEncoding.encodedWords(name)
        return "\(shown) <\(address.address)>"
    }

    /// RFC 5322, section 3.3, in UTC.
    static func date(_ date: Date) -> String {
        let time = CalendarTime(secondsSinceEpoch: Int(date.timeIntervalSince1970.rounded(.down)))
        let day = time.date
        return "\(day.weekday), \(day.day.padded(to: 2)) \(day.monthName) \(day.year) \(time.clock) +0000"
    }
}
