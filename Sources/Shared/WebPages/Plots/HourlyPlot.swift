import Foundation
import HTMLText

/// A small plot of numbers, one bar for each: an SVG element that stands in a page.
///
/// It takes its colours from the style sheet, so that it follows light and dark and needs nothing that the policy of pages refuses: no
/// style of its own, no script, no picture from elsewhere. Who does not see it is read title and summary.
///
/// The bars are stretched over the width that there is, in an inner element; texts are in the outer one, and keep their size.
public struct HourlyPlot: Sendable {
    /// Negative numbers count as zero.
    public let counts: [Int]
    public let title: String
    /// Says in a sentence what the plot shows, such as the sum and the highest hour.
    public let summary: String
    /// What stands below a bar, by its index among the counts.
    public let marks: [Int: String]
    /// Higher numbers of the same things, drawn as outlines around the bars; none, or as many as there are counts.
    public let outlines: [Int]
    /// How the highest number is written.
    let number: @Sendable (Int) -> String

    /// - Parameter number: how the highest number is written; nil writes it with its thousands apart.
    public init(
        counts: [Int], title: String, summary: String, marks: [Int: String] = [:], outlines: [Int] = [],
        number: (@Sendable (Int) -> String)? = nil
    ) {
        self.counts = counts
        self.outlines = outlines.count == counts.count ? outlines : []
        self.number = number ?? Self.grouped
        self.title = title
        self.summary = summary
        self.marks = marks
    }

    /// A plot of hours: below every sixth of a day stands its hour, in UTC.
    /// - Parameter hours: their beginnings, one for each count.
    public init(
        counts: [Int], hours: [Date], title: String, summary: String, outlines: [Int] = [],
        number: (@Sendable (Int) -> String)? = nil
    ) {
        var marks: [Int: String] = [:]
        for (index, hour) in hours.enumerated() where index < counts.count {
            let ofDay = Int((hour.timeIntervalSince1970 / 3600).rounded(.down)) % 24
            if ofDay % 6 == 0 { marks[index] = ofDay < 10 ? "0\(ofDay):00" : "\(ofDay):00" }
        }
        self.init(
            counts: counts, title: title, summary: summary, marks: marks, outlines: outlines, number: number)
    }

    /// Bars that are drawn at most, the last ones.
    static let mostBars = 168
    /// The height of the inner element, and what is free in it above the highest bar.
    private static let (height, top) = (48, 4)
    /// The width of a bar with its gap.
    private static let pitch = 10
    /// Where the inner element begins, below the number of the highest bar; and the height of the whole, with the marks.
    private static let (head, whole) = (18, 88)

    /// The element. Texts are escaped.
    public var svg: String {
        let shown = counts.suffix(Self.mostBars).map { max(0, $0) }
        let outlined = outlines.suffix(Self.mostBars).map { max(0, $0) }
        let width = max(1, shown.count) * Self.pitch
        let highest = max(shown.max() ?? 0, outlined.max() ?? 0)
        var text = "<svg class=\"plot\" role=\"img\" width=\"100%\" height=\"\(Self.whole)\">"
        text += "<title>\(Self.escaped(title))</title><desc>\(Self.escaped(summary))</desc>"
        if highest > 0 {
            let y = Self.head + Self.top
            text += "<text class=\"plot-text\" x=\"0\" y=\"\(Self.head - 4)\">\(Self.escaped(number(highest)))</text>"
            text += "<line class=\"plot-grid\" x1=\"0\" y1=\"\(y)\" x2=\"100%\" y2=\"\(y)\"/>"
        }
        text +=
            "<svg y=\"\(Self.head)\" width=\"100%\" height=\"\(Self.height + 1)\" "
            + "viewBox=\"0 0 \(width) \(Self.height + 1)\" preserveAspectRatio=\"none\">"
        text += Self.bars(outlined, highest, "plot-outline") + Self.bars(shown, highest, "plot-bar")
        text += "</svg>"
        let axis = Self.head + Self.height
        text += "<line class=\"plot-axis\" x1=\"0\" y1=\"\(axis)\" x2=\"100%\" y2=\"\(axis)\"/>"
        return text + texts(below: shown.count) + "</svg>"
    }

    private static func bars(_ numbers: [Int], _ highest: Int, _ name: String) -> String {
        var text = ""
        for (index, number) in numbers.enumerated() where number > 0 {
            // What is there at all is seen.
            let whole = Double(height - top) * Double(number) / Double(max(1, highest))
            let bar = max(1, Int(whole.rounded()))
            let x = index * pitch + 1
            text +=
                "<rect class=\"\(name)\" x=\"\(x)\" y=\"\(height - bar)\" width=\"\(pitch - 2)\" height=\"\(bar)\"/>"
        }
        return text
    }

    /// The marks. Those at the ends are written inwards, so that none is cut off.
    private func texts(below count: Int) -> String {
        let first = counts.count - count
        var text = ""
        for (index, mark) in marks.sorted(by: { $0.key < $1.key }) where index >= first && index < counts.count {
            // In thousandths of the width: the middle of the bar.
            let place = (2 * (index - first) + 1) * 1000 / (2 * max(1, count))
            let anchor = place < 50 ? "start" : place > 950 ? "end" : "middle"
            let x = place < 50 ? "0" : place > 950 ? "100%" : "\(place / 10).\(place % 10)%"
            text +=
                "<text class=\"plot-text\" x=\"\(x)\" y=\"\(Self.whole - 6)\" text-anchor=\"\(anchor)\">"
                + "\(Self.escaped(mark))</text>"
        }
        return text
    }

    /// Thousands apart by a narrow space, which the languages of pages all read (ISO 80000-1, section 7.3.1).
    @Sendable private static func grouped(_ number: Int) -> String {
        var digits = String(number)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits = String(digits.dropLast(3))
        }
        return ([digits] + groups).joined(separator: "\u{202F}")
    }

    private static func escaped(_ text: String) -> String { HTMLText.escaped(PageText.harmless(text)) }
}
