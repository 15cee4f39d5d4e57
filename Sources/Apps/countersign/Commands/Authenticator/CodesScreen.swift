import AuthenticatorBook
import Foundation
import OneTimePassword

/// Codes on a screen that updates.
struct CodesScreen {
    enum Row {
        case code(OpenedCodes)
        /// Gives no code unless it is named.
        case named(Account)
    }

    let rows: [Row]

    /// Until the user presses q.
    func run() async throws {
        let terminal = try KeyTerminal(usesOwnScreen: true)
        try await terminal.whileReadingKeys {
            while true {
                terminal.draw(lines(at: Date(), size: terminal.size))
                // The next whole second, when something changes.
                let now = Date().timeIntervalSince1970
                switch await terminal.key(within: .milliseconds(Int((1 - now + now.rounded(.down)) * 1000) + 1)) {
                case .character("q"), .character("Q"), .end: return
                default: continue
                }
            }
        }
    }

    /// What fits on a screen of that size.
    func lines(at now: Date, size: (rows: Int, columns: Int)) -> [String] {
        let labels = rows.map { Self.label($0).printable }
        let width = min(labels.map(\.count).max() ?? 0, max(8, size.columns - 34))
        let room = max(1, size.rows - 3)
        var lines = zip(rows, labels).prefix(room).map { row, label in
            let label = label.count > width ? label.prefix(width - 1) + "…" : label[...]
            return "  \(label)\(String(repeating: " ", count: width - label.count))  \(Self.text(of: row, at: now))"
        }
        if rows.count > room {
            lines.append("  … and \(rows.count - room) more: countersign authenticator codes ACCOUNT")
        }
        return lines + ["", "  q ends"]
    }

    private static func label(_ row: Row) -> String {
        switch row {
        case .code(let opened): opened.account.label
        case .named(let account): account.label
        }
    }

    private static func text(of row: Row, at now: Date) -> String {
        switch row {
        case .named(let account): return "codes \(account.id) gives its code"
        case .code(let opened):
            let left = opened.secondsRemaining(at: now)
            let filled = (left * 10 + opened.period - 1) / opened.period
            let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 10 - filled)
            return "\(grouped(opened.code(at: now).stringCode))  \(bar) \(left) s"
        }
    }

    /// `123 456`, as people read it.
    static func grouped(_ code: String) -> String {
        let half = code.count / 2
        return code.count < 6 ? code : "\(code.prefix(half)) \(code.dropFirst(half))"
    }
}
