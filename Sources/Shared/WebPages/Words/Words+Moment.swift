import Foundation
import HTMLText

extension Words {
    /// How long ago something was, as people say it, up to a week; then the day, and that it is one of UTC. The exact instant, in UTC, is
    /// with it (HTML, `time`), so no reader's zone has to be known.
    public func moment(_ date: Date, now: Date) -> PageText {
        let instant = date.formatted(.iso8601)
        let exact = "\(instant.prefix(16).replacing("T", with: " ")) UTC"
        guard let said = ago(Int(now.timeIntervalSince(date))) else {
            let day = String(instant.prefix(10))
            return PageText(
                plain: "\(day) (UTC)",
                html: "<time datetime=\"\(instant)\" title=\"\(exact)\">\(day)</time> (UTC)")
        }
        return PageText(
            plain: said,
            html: "<time datetime=\"\(instant)\" title=\"\(exact)\">\(HTMLText.escaped(said))</time>")
    }

    /// An instant to come, or one that has to be exact: `2026-11-22 14:05 (UTC)`.
    public func instant(_ date: Date) -> PageText {
        let instant = date.formatted(.iso8601)
        let said = "\(instant.prefix(16).replacing("T", with: " "))"
        return PageText(plain: "\(said) (UTC)", html: "<time datetime=\"\(instant)\">\(said)</time> (UTC)")
    }

    /// The last day that ends no later than an instant, and that it is one of UTC: `2026-12-03 (UTC)`.
    public func lastDay(before end: Date) -> PageText {
        let day = String((end - 1).formatted(.iso8601).prefix(10))
        return PageText(plain: "\(day) (UTC)", html: "<time datetime=\"\(day)\">\(day)</time> (UTC)")
    }

    private func ago(_ seconds: Int) -> String? {
        switch seconds {
        case ..<60: plain("momentNow")
        case ..<3600: plain("momentMinutes", ["count": .number(seconds / 60)])
        case ..<86_400: plain("momentHours", ["count": .number(seconds / 3600)])
        case ..<604_800: plain("momentDays", ["count": .number(seconds / 86_400)])
        default: nil
        }
    }
}
