import Foundation

/// Tells how far something long has come: a line that is written over on a terminal, a line every few seconds elsewhere.
struct ProgressMeter {
    /// How far, of how much, in how long.
    struct Reading: Equatable {
        /// Users.
        var count: Int
        /// From 0 to 1; nil where the end is not known.
        var fraction: Double?
        /// Seconds.
        var elapsed: Double
    }

    private let verb: String
    private let isTerminal: Bool
    private let isSilent: Bool
    private let clock = ContinuousClock()
    private let began: ContinuousClock.Instant
    private var reportedAt: ContinuousClock.Instant
    private var hasLine = false

    /// - Parameter verb: what was done to so many: `imported`.
    init(_ verb: String, isSilent: Bool, isTerminal: Bool = Terminal.showsProgress) {
        self.verb = verb
        self.isTerminal = isTerminal
        self.isSilent = isSilent
        began = clock.now
        reportedAt = began
    }

    var elapsed: Double { (clock.now - began) / .seconds(1) }

    /// Shows it, where it is time to.
    mutating func show(_ count: Int, fraction: Double?) {
        guard !isSilent, clock.now - reportedAt >= (isTerminal ? .milliseconds(100) : .seconds(5)) else { return }
        reportedAt = clock.now
        let text = Self.text(verb, Reading(count: count, fraction: fraction, elapsed: elapsed), bar: isTerminal)
        if isTerminal {
            Terminal.write("\r\u{1B}[K" + text)
            hasLine = true
        } else {
            Terminal.say(text)
        }
    }

    /// Takes the line away, so that another can be printed.
    mutating func clear() {
        guard hasLine else { return }
        Terminal.write("\r\u{1B}[K")
        hasLine = false
    }

    /// `[#####---------------]  25%  2500 imported  1000/s  8 s left`
    static func text(_ verb: String, _ reading: Reading, bar: Bool) -> String {
        var parts: [String] = []
        if let fraction = reading.fraction.map({ min(max($0, 0), 1) }) {
            let full = Int((fraction * 20).rounded(.down))
            let drawing = "[" + String(repeating: "#", count: full) + String(repeating: "-", count: 20 - full) + "]  "
            parts.append((bar ? drawing : "") + "\(Int((fraction * 100).rounded(.down)))%")
        }
        parts.append("\(reading.count) \(verb)")
        if reading.elapsed >= 0.1 {
            parts.append("\(Int((Double(reading.count) / reading.elapsed).rounded()))/s")
            if let fraction = reading.fraction, fraction > 0.001 {
                parts.append("\(duration(reading.elapsed / fraction * (1 - min(fraction, 1)))) left")
            }
        }
        return parts.joined(separator: "  ")
    }

    /// `8 s`, `2 min 05 s`, `1 h 05 min`.
    static func duration(_ seconds: Double) -> String {
        let total = Int(min(max(seconds, 0), 31_536_000).rounded())
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        if total < 60 { return "\(total) s" }
        if total < 3600 { return "\(total / 60) min \(two(total % 60)) s" }
        return "\(total / 3600) h \(two(total % 3600 / 60)) min"
    }
}
